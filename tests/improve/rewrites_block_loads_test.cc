// Blocks that lie one after the other and are loaded one by one, and their twins.
#include "rewrite_testing.h"
#include "tilewright/ir/print.h"
#include "tilewright/models/qwen3/catalog.h"

namespace tilewright::improve {
namespace {

using namespace dsl;
using namespace testing_rewrites;

catalog::ProgramDef blocks_of_layer(const std::string& name) {
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return std::move(def);
  ADD_FAILURE() << name;
  return {};
}

// Scores of one query row block against a cache, 64 keys at a time or 512.
void scores_of_blocks(Builder& p, bool has) {
  constexpr int64_t kKeys = 2048;
  const int64_t block = has ? 64 : 512;
  const Tensor q = p.input("q", {16, 128}, DType::BF16);
  const Tensor keys = p.weight("keys", {kKeys, 128}, DType::BF16);
  const Tensor y = p.output("y", {kKeys / 64 * 16, 64}, DType::F32);
  auto core = p.incore("scores");
  const Tile query = slice(q, {16, 128}, {0, 0});
  for (Index i : p.range(kKeys / block).named("i")) {
    const Tile rows = slice(keys, {block, 128}, {i * block, 0});
    for (Index j : p.range(block / 64).named("j")) {
      const Tile k = slice(rows, {64, 128}, {j * 64, 0});
      assemble(y, matmul(query, k, {.b_trans = true}), {(i * (block / 64) + j) * 16, 0});
    }
  }
}

void scores_one_by_one(Builder& p, bool has) {
  if (!has) return scores_of_blocks(p, false);
  const Tensor q = p.input("q", {16, 128}, DType::BF16);
  const Tensor keys = p.weight("keys", {2048, 128}, DType::BF16);
  const Tensor y = p.output("y", {512, 64}, DType::F32);
  auto core = p.incore("scores");
  const Tile query = slice(q, {16, 128}, {0, 0});
  for (Index i : p.range(32).named("i")) {
    const Tile k = slice(keys, {64, 128}, {i * 64, 0});
    assemble(y, matmul(query, k, {.b_trans = true}), {i * 16, 0});
  }
}

// What a step loads is what the step before it wrote.
void chained(Builder& p, bool) {
  const Tensor state = p.state("state", {16, 1024}, DType::F32);
  auto core = p.incore("chain");
  for (Index i : p.range(7).named("i")) {
    const Tile t = slice(state, {16, 128}, {0, i * 128});
    assemble(state, exp(t), {0, i * 128 + 128});
  }
}

TEST(BlockLoads, AreLoadedTogether) {
  const session::Request request = request_by("exact");
  expect_gain(define_pair(scores_one_by_one, true), request, load_blocks_together, "block-loads");
  expect_nothing(define_pair(scores_one_by_one, false), request, load_blocks_together);
  const Proposed p = propose(define_pair(scores_one_by_one, true), request, load_blocks_together);
  ASSERT_TRUE(p.fastest());
  EXPECT_LE(p.fastest()->after_us, time_of_program(define_pair(scores_one_by_one, false), request));
}

TEST(BlockLoads, AreLeftAloneWhereTheLoopWritesThem) {
  expect_nothing(define_pair(chained, true), request_by("exact"), load_blocks_together);
}

// The last block of a sequence is partly valid, and how many there are only data knows.
TEST(BlockLoads, OfSequencesComputeTheSame) {
  const catalog::ProgramDef def = blocks_of_layer("qwen3/scope2");
  const session::Request request = request_by("exact", "tiny");
  expect_gain(def, request, load_blocks_together, "block-loads");
}

// The base of hw-native-sys/pypto-lib#185, with blocks of 64, and its authors' rewrite with blocks
// of 256, a deeper output projection, and K and V that share their left tiles.
TEST(BlockLoads, OfTheLayerAreAsFastAsTheAuthorsLongerBlocks) {
  const catalog::ProgramDef def = blocks_of_layer("qwen3/decode");
  session::Request request = request_by("april-2026", "qwen3-32b-wide");
  request.set = {{"form", 964}, {"ctx", 4096}, {"seq_tile", 64}, {"o_k", 128}, {"kv_fused", 1}};
  session::Request authors = request;
  authors.set["seq_tile"] = 256;
  authors.set["o_k"] = 512;
  authors.set["kv_fused"] = 2;
  const double goal = time_of_program(def, authors);
  EXPECT_LE(improve_fully(def, request, load_blocks_together, goal).after_us, goal);
}

}  // namespace
}  // namespace tilewright::improve
