// Every finding: a program that has it, and its twin that does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>

#include "tilewright/dsl/ops.h"
#include "tilewright/improve/apply.h"
#include "tilewright/ir/print.h"

namespace tilewright::improve {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32, BF16 = DType::BF16, I32 = DType::I32;

using Write = void (*)(Builder& p, bool has);

catalog::ProgramDef define(Write write, bool has) {
  catalog::ProgramDef def;
  def.name = "advised";
  def.build = [write, has](const catalog::Config&) {
    Builder p("advised");
    write(p, has);
    return p.finish();
  };
  def.inputs = [](const catalog::Config&) { return std::map<std::string, catalog::Init>{}; };
  def.tolerances[""] = {1e-3, 1e-3};
  return def;
}

session::Request exact_request(const std::string& rules = "exact") {
  session::Request r = session::request_for("a2a3sim");
  r.rules = rules;
  return r;
}

const Finding* find(const Advice& a, const std::string& code) {
  for (const Findings* list : {&a.findings, &a.small})
    if (const auto it = std::ranges::find(*list, code, &Finding::code); it != list->end())
      return &*it;
  return nullptr;
}

// ---- programs ----------------------------------------------------------------------------------

void zero_init(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 512}, F32);
  const Tensor y = p.output("y", {16, 512}, F32);
  for (Index i : p.parallel(4).named("i")) {
    auto core = p.incore("clear");
    if (has)
      assemble(y, p.full({16, 128}, F32, 0.0), {0, i * 128});
    else
      assemble(y, neg(slice(x, {16, 128}, {0, i * 128})), {0, i * 128});
  }
  for (Index i : p.parallel(4).named("j")) {
    auto core = p.incore("work");
    const Tile t = slice(has ? x : y, {16, 128}, {0, i * 128});
    assemble(y, exp(t), {0, i * 128});
  }
}

void matmul_add(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 512}, BF16);
  const Tensor w = p.weight("w", {512, 64}, BF16);
  const Tensor y = p.output("y", {16, 64}, F32);
  auto core = p.incore("product");
  const auto factors = [&](const Index& k) {
    return std::pair(slice(x, {16, 128}, {0, k * 128}), slice(w, {128, 64}, {k * 128, 0}));
  };
  if (has) {
    const Tile acc = p.full({16, 64}, F32, 0.0);
    for (Index k : p.range(4).named("k")) {
      const auto [a, b] = factors(k);
      const Tile product = matmul(a, b);
      assign(acc, add(acc, product));
    }
    assemble(y, acc, {0, 0});
  } else {
    const auto [a, b] = factors(0);
    const Tile acc = matmul(a, b);
    for (Index k : p.range(1, 4).named("k")) {
      const auto [c, d] = factors(k);
      matmul_acc(acc, c, d);
    }
    assemble(y, acc, {0, 0});
  }
}

void small_tasks(Builder& p, bool has) {
  constexpr int64_t kBlocks = 512;
  const Tensor x = p.input("x", {16, 64 * kBlocks}, F32);
  const Tensor y = p.output("y", {16, 64 * kBlocks}, F32);
  const int64_t per_task = has ? 1 : 32;
  for (Index i : p.parallel(kBlocks / per_task).named("i")) {
    auto core = p.incore("tiny");
    for (Index j : p.range(per_task).named("j")) {
      const Index col = (i * per_task + j) * 64;
      assemble(y, exp(slice(x, {16, 64}, {0, col})), {0, col});
    }
  }
}

void ordered(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, F32);
  const Tensor y = p.output("y", {16, 1024}, F32);
  const Tensor state = p.state("state", {16, 128}, F32);
  for (Index i : p.range(8).named("i")) {
    auto core = p.incore("step");
    const Tile t = exp(slice(x, {16, 128}, {0, i * 128}));
    if (has)
      assemble(y, t, {0, i * 128});
    else
      assemble(state, add(slice(state, {16, 128}, {0, 0}), t), {0, 0});
  }
  if (!has) {
    auto core = p.incore("last");
    for (Index i : p.range(8).named("j"))
      assemble(y, neg(slice(x, {16, 128}, {0, i * 128})), {0, i * 128});
  }
}

void reads(Builder& p, bool has) {
  const Tensor rows = p.input("rows", {8}, I32);
  const Tensor x = p.input("x", {16, 1024}, F32);
  const Tensor y = p.output("y", {16, 128}, F32);
  auto core = p.incore("scale");
  const Tile sum = p.full({16, 128}, F32, 0.0);
  // Pipelined, so that nothing else is waited for.
  for (Index i : p.pipeline(8, {.stages = 4}).named("i")) {
    const Index n = p.read(rows, {has ? Index(0) : i});
    assign(sum, add(sum, mul(slice(x, {16, 128}, {0, i * 128}), Scalar(n))));
  }
  assemble(y, sum, {0, 0});
}

void shared(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, BF16);
  const Tensor w1 = p.weight("w1", {1024, 3072}, BF16);
  const Tensor w2 = p.weight("w2", {1024, 3072}, BF16);
  const Tensor y1 = p.output("y1", {16, 3072}, F32);
  const Tensor y2 = p.output("y2", {16, 3072}, F32);
  const auto left = [&](const Index& k) { return slice(x, {16, 128}, {0, k * 128}); };
  const auto right = [&](const Tensor& w, const Index& k, const Index& n) {
    return slice(w, {128, 64}, {k * 128, n * 64});
  };
  const auto product = [&](const Tensor& w, const Tensor& y, const Index& n) {
    const Tile acc = matmul(left(0), right(w, 0, n));
    for (Index k : p.range(1, 8).named("k")) matmul_acc(acc, left(k), right(w, k, n));
    assemble(y, acc, {0, n * 64});
  };
  for (Index n : p.parallel(48).named("n")) {
    auto core = p.incore("one");
    if (has) {
      product(w1, y1, n);
      continue;
    }
    const Tile first = left(0);
    const Tile a = matmul(first, right(w1, 0, n));
    const Tile b = matmul(first, right(w2, 0, n));
    for (Index k : p.range(1, 8).named("k")) {
      const Tile both = left(k);
      matmul_acc(a, both, right(w1, k, n));
      matmul_acc(b, both, right(w2, k, n));
    }
    assemble(y1, a, {0, n * 64});
    assemble(y2, b, {0, n * 64});
  }
  if (!has) return;
  for (Index n : p.parallel(48).named("m")) {
    auto core = p.incore("two");
    product(w2, y2, n);
  }
}

// cube -> vector in two scopes, or one mixed scope.
void epilogue(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 256}, BF16);
  const Tensor w = p.weight("w", {256, 512}, BF16);
  const Tensor y = p.output("y", {16, 512}, F32);
  const Tensor middle = p.tensor("middle", {16, 512}, F32);
  for (Index n : p.parallel(4).named("n")) {
    {
      auto core = p.incore("product");
      const Tile t = matmul(slice(x, {16, 256}, {0, 0}), slice(w, {256, 128}, {0, n * 128}));
      if (!has) {
        assemble(y, exp(t), {0, n * 128});
        continue;
      }
      assemble(middle, t, {0, n * 128});
    }
    auto core = p.incore("finish");
    assemble(y, exp(slice(middle, {16, 128}, {0, n * 128})), {0, n * 128});
  }
}

void round_trip(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 512}, F32);
  const Tensor y = p.output("y", {16, 512}, F32);
  const Tensor middle = p.tensor("middle", {16, 512}, F32);
  for (Index n : p.parallel(4).named("n")) {
    {
      auto core = p.incore("first");
      const Tile t = exp(slice(x, {16, 128}, {0, n * 128}));
      if (!has) {
        assemble(y, neg(t), {0, n * 128});
        continue;
      }
      assemble(middle, t, {0, n * 128});
    }
    auto core = p.incore("second");
    assemble(y, neg(slice(middle, {16, 128}, {0, n * 128})), {0, n * 128});
  }
}

void fill_task(Builder& p, bool has) {
  const Tensor x = p.input("x", {8, 128}, F32);
  const Tensor y = p.output("y", {16, 128}, F32);
  const Tensor padded = p.tensor("padded", {16, 128}, F32);
  if (has) {
    auto core = p.incore("pad");
    assemble(padded, p.full({8, 128}, F32, 0.0), {8, 0});
  }
  {
    auto core = p.incore("copy");
    if (!has) assemble(padded, p.full({8, 128}, F32, 0.0), {8, 0});
    assemble(padded, neg(slice(x, {8, 128}, {0, 0})), {0, 0});
  }
  auto core = p.incore("use");
  assemble(y, exp(slice(padded, {16, 128}, {0, 0})), {0, 0});
}

void gm_sum(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, F32);
  const Tensor y = p.output("y", {16, 128}, F32);
  const Tensor sum = p.tensor("sum", {16, 128}, F32);
  if (has) {
    {
      auto core = p.incore("start");
      assemble(sum, exp(slice(x, {16, 128}, {0, 0})), {0, 0});
    }
    for (Index i : p.range(1, 8).named("i")) {
      auto core = p.incore("more");
      const Tile old = slice(sum, {16, 128}, {0, 0});
      assemble(sum, add(old, exp(slice(x, {16, 128}, {0, i * 128}))), {0, 0});
    }
    auto core = p.incore("end");
    assemble(y, neg(slice(sum, {16, 128}, {0, 0})), {0, 0});
  } else {
    auto core = p.incore("all");
    const Tile total = exp(slice(x, {16, 128}, {0, 0}));
    for (Index i : p.range(1, 8).named("i"))
      assign(total, add(total, exp(slice(x, {16, 128}, {0, i * 128}))));
    assemble(y, neg(total), {0, 0});
  }
}

// Of every second block, so that tiles cannot simply be made wider.
void narrow(Builder& p, bool has) {
  const Tensor x = p.input("x", {256, 8192}, F32);
  const Tensor y = p.output("y", {256, 4096}, F32);
  const int64_t cols = has ? 32 : 256, rows = has ? 256 : 32;
  for (Index r : p.parallel(256 / rows).named("r"))
    for (Index i : p.parallel(4096 / cols).named("i")) {
      auto core = p.incore("move");
      assemble(y, exp(slice(x, {rows, cols}, {r * rows, i * 2 * cols})), {r * rows, i * cols});
    }
}

void padded(Builder& p, bool has) {
  const int64_t rows = has ? 4 : 16;
  const Tensor x = p.input("x", {rows, 512}, BF16);
  const Tensor w = p.weight("w", {512, 512}, BF16);
  const Tensor y = p.output("y", {rows, 512}, F32);
  auto core = p.incore("product");
  for (Index n : p.range(8).named("n"))
    for (Index k : p.range(1).named("k"))
      assemble(y,
               matmul(slice(x, {rows, 512}, {0, k * 512}), slice(w, {512, 64}, {k * 512, n * 64})),
               {0, n * 64});
}

// Every second block again.
void right_memory(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 8192}, BF16);
  const Tensor w = p.weight("w", {8192, 64}, BF16);
  const Tensor y = p.output("y", {16, 64}, F32);
  const int64_t k_tile = has ? 64 : 512;
  auto core = p.incore("product");
  const Tile acc = matmul(slice(x, {16, k_tile}, {0, 0}), slice(w, {k_tile, 64}, {0, 0}));
  for (Index k : p.range(1, 4096 / k_tile).named("k"))
    matmul_acc(acc, slice(x, {16, k_tile}, {0, k * 2 * k_tile}),
               slice(w, {k_tile, 64}, {k * 2 * k_tile, 0}));
  assemble(y, acc, {0, 0});
}

void merges(Builder& p, bool has) {
  const int64_t blocks = has ? 64 : 8;
  const Tensor m = p.input("m", {blocks * 8, 1}, F32);
  const Tensor o = p.input("o", {blocks * 8, 128}, F32);
  const Tensor y = p.output("y", {8, 128}, F32);
  auto core = p.incore("merge");
  const Tile running_m = p.full({8, 1}, F32, 0.0);
  const Tile running_o = p.full({8, 128}, F32, 0.0);
  for (Index b : p.range(blocks).named("b")) {
    const Tile block_m = slice(m, {8, 1}, {b * 8, 0});
    const Tile top = maximum(running_m, block_m);
    const Tile alpha = exp(sub(running_m, top));
    const Tile beta = exp(sub(block_m, top));
    const Tile old = row_expand_mul(running_o, alpha);
    assign(running_o, add(old, row_expand_mul(slice(o, {8, 128}, {b * 8, 0}), beta)));
    assign(running_m, top);
  }
  assemble(y, running_o, {0, 0});
}

void single_rows(Builder& p, bool has) {
  const Tensor x = p.input("x", {64, 128}, F32);
  const Tensor y = p.output("y", {64, 128}, F32);
  const int64_t rows = has ? 1 : 8;
  auto core = p.incore("rotate");
  for (Index r : p.range(64 / rows).named("r")) {
    const Tile a = slice(x, {rows, 64}, {r * rows, 0});
    const Tile b = slice(x, {rows, 64}, {r * rows, 64});
    const Tile left = mul(a, 0.5);
    assemble(y, sub(left, mul(b, 0.25)), {r * rows, 0});
    const Tile right = mul(b, 0.5);
    assemble(y, add(right, mul(a, 0.25)), {r * rows, 64});
  }
}

// ---- tests -------------------------------------------------------------------------------------

struct Case {
  const char* code;
  Write write;
  bool mechanical = false;
  const char* rules = "exact";
  double gain = 0.01;  // us at least, when it is mechanical
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.code; }

class Advised : public testing::TestWithParam<Case> {};

TEST_P(Advised, IsFoundWhereItIsAndNotInItsTwin) {
  const Case& c = GetParam();
  const catalog::ProgramDef bad_def = define(c.write, true);
  const Advice bad = advise(bad_def, exact_request(c.rules));
  ASSERT_TRUE(bad.profile) << bad.session->diagnostics().text();
  const Finding* f = find(bad, c.code);
  ASSERT_TRUE(f) << c.code;
  EXPECT_NE(f->where.text(), "");
  EXPECT_EQ(f->now_us, bad.profile->all.total_us);
  EXPECT_EQ(f->rewritten != nullptr, c.mechanical);
  const catalog::ProgramDef good_def = define(c.write, false);
  const Advice good = advise(good_def, exact_request(c.rules));
  ASSERT_TRUE(good.profile) << good.session->diagnostics().text();
  const Finding* still = find(good, c.code);
  EXPECT_FALSE(still) << (still ? still->what : "");
}

class Rewritten : public Advised {};

TEST_P(Rewritten, IsFasterAndComputesTheSame) {
  const Case& c = GetParam();
  const catalog::ProgramDef def = define(c.write, true);
  const Advice a = advise(def, exact_request(c.rules));
  const Finding* f = find(a, c.code);
  ASSERT_TRUE(f && f->rewritten);
  EXPECT_FALSE(f->estimated);
  EXPECT_GE(f->gain_us(), c.gain);
  for (const OutputMatch& o :
       compare_results(def, exact_request(), a.session->program(), *f->rewritten))
    EXPECT_TRUE(o.comparison.passed()) << o.name;
  EXPECT_NE(ir::print(*f->rewritten), ir::print(a.session->program()));
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.code;
  std::ranges::replace(name, '-', '_');
  return name;
}

const Case kMechanical[] = {
    {"zero-init", zero_init, true},
    {"matmul-acc", matmul_add, true},
    {"small-tasks", small_tasks, true},
    // The loop's tasks write one tensor, so later runtimes order them either way.
    {"ordered-loop", ordered, true, "may-2026", 0},
    {"invariant-read", reads, true},
    {"gm-reduction", gm_sum, true},
    {"shared-loads", shared, true},
    {"epilogue", epilogue, true},
    {"round-trip", round_trip, true},
};
const Case kStructural[] = {
    {"fill-task", fill_task}, {"small-dma", narrow},          {"padded-rows", padded},
    {"merge-chain", merges},  {"l0b-underuse", right_memory}, {"single-rows", single_rows},
};
INSTANTIATE_TEST_SUITE_P(Mechanical, Advised, testing::ValuesIn(kMechanical), test_name);
INSTANTIATE_TEST_SUITE_P(Structural, Advised, testing::ValuesIn(kStructural), test_name);
INSTANTIATE_TEST_SUITE_P(Mechanical, Rewritten, testing::ValuesIn(kMechanical), test_name);

TEST(Advice, HasAPageWithEveryCode) {
  std::ifstream file(TILEWRIGHT_DOCS "/advice.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const auto& cases : {std::span<const Case>(kMechanical), std::span<const Case>(kStructural)})
    for (const Case& c : cases)
      EXPECT_NE(text.str().find("### `" + std::string(c.code) + "`"), std::string::npos) << c.code;
}

TEST(Apply, MakesEveryMechanicalChangeThatHelps) {
  const catalog::ProgramDef def = define(small_tasks, true);
  const Applied a = apply_advice(def, exact_request());
  EXPECT_TRUE(a.changed());
  EXPECT_LT(a.after_us, a.before_us);
  for (const OutputMatch& o : a.outputs)
    EXPECT_TRUE(o.comparison.passed()) << o.name;
}

}  // namespace
}  // namespace tilewright::improve
