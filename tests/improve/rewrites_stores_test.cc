// Results that nobody reads.
#include "rewrite_cases.h"

namespace tilewright::improve::store_tests {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32;

// The scope clears a tensor that the next one writes, beside work of its own.
void clears_beside_work(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 2048}, F32);
  const Tensor y = p.output("y", {16, 2048}, F32);
  const Tensor z = p.output("z", {16, 2048}, F32);
  {
    auto core = p.incore("first");
    for (Index i : p.range(8).named("i")) {
      if (has) assemble(z, p.full({16, 256}, F32, 0.0), {0, i * 256});
      assemble(y, exp(slice(x, {16, 256}, {0, i * 256})), {0, i * 256});
    }
  }
  auto core = p.incore("second");
  for (Index i : p.range(8).named("j"))
    assemble(z, neg(slice(y, {16, 256}, {0, i * 256})), {0, i * 256});
}

// Rows that nobody else writes have to be cleared.
void needed(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 2048}, F32);
  const Tensor y = p.output("y", {32, 2048}, F32);
  auto core = p.incore("first");
  for (Index i : p.range(8).named("i")) {
    assemble(y, p.full({16, 256}, F32, 0.0), {16, i * 256});
    assemble(y, exp(slice(x, {16, 256}, {0, i * 256})), {0, i * 256});
  }
}

// A tile that is computed and overwritten, and a tensor that nobody reads.
void unread(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 2048}, F32);
  const Tensor y = p.output("y", {16, 2048}, F32);
  const Tensor trace = p.tensor("trace", {16, 2048}, F32);
  auto core = p.incore("work");
  for (Index i : p.range(8).named("i")) {
    const Tile t = slice(x, {16, 256}, {0, i * 256});
    const Tile result = has ? exp(t) : neg(t);
    if (has) assemble(trace, t, {0, i * 256});
    if (has) assign(result, neg(t));
    assemble(y, result, {0, i * 256});
  }
}

// The second value is made of the first.
void used(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 256}, F32);
  const Tensor y = p.output("y", {16, 256}, F32);
  auto core = p.incore("work");
  const Tile t = exp(slice(x, {16, 256}, {0, 0}));
  assign(t, neg(t));
  assemble(y, t, {0, 0});
}

TEST(ZeroInit, BesideOtherWork) { expect_rewrite("zero-init", clears_beside_work, 0.05); }
TEST(ZeroInit, LeavesWhatIsNeeded) { expect_no_rewrite("zero-init", needed); }
TEST(DeadStore, OfATileAndATensor) { expect_rewrite("dead-store", unread, 0.05); }
TEST(DeadStore, LeavesWhatIsReadAgain) { expect_no_rewrite("dead-store", used); }

}  // namespace
}  // namespace tilewright::improve::store_tests
