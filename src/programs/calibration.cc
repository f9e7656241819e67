#include "tilewright/programs/calibration.h"

#include "tilewright/dsl/ops.h"
#include "tilewright/programs/rope.h"
#include "tilewright/programs/rows.h"

namespace tilewright::programs {

using namespace dsl;

namespace {

constexpr int64_t kRows = 16;

catalog::ProgramDef define(const std::string& name, std::function<void(Builder&)> body) {
  catalog::ProgramDef def;
  def.name = name;
  def.summary = "measured; see docs/platforms.md";
  def.build = [name, body = std::move(body)](const catalog::Config&) {
    Builder p(name);
    body(p);
    return p.finish();
  };
  return def;
}

// ---- RoPE --------------------------------------------------------------------------------------

constexpr int64_t kKvHeads = 8, kQPerKv = 8, kHeadDim = 128, kHalf = kHeadDim / 2, kMaxSeq = 4096;

// Each half is stored by itself, as the measured programs do.
void store_halves(const Tensor& out, const Halves& u, const Index& row) {
  assemble(out, cast(u.low, DType::BF16), {row, 0});
  assemble(out, cast(u.high, DType::BF16), {row, kHalf});
}

void rope(Builder& p, bool at_once) {
  const int64_t heads = kKvHeads * kQPerKv;
  const Tensor q = p.input("q", {kRows * heads, kHeadDim}, DType::F32);
  const Tensor k = p.input("k", {kRows * kKvHeads, kHeadDim}, DType::F32);
  const Tensor v = p.input("v", {kRows * kKvHeads, kHeadDim}, DType::F32);
  const Tensor cos = p.input("cos", {kMaxSeq, kHeadDim}, DType::F32);
  const Tensor sin = p.input("sin", {kMaxSeq, kHeadDim}, DType::F32);
  const Tensor k_cache = p.state("k_cache", {kRows * kKvHeads * kMaxSeq, kHeadDim}, DType::BF16);
  const Tensor v_cache = p.state("v_cache", {kRows * kKvHeads * kMaxSeq, kHeadDim}, DType::BF16);
  const Tensor q_out = p.output("q_out", {kRows * kKvHeads * 2 * kQPerKv, kHeadDim}, DType::BF16);
  for (Index b : p.parallel(kRows).named("b")) {
    auto core = p.incore("rope");
    const RopeTable table = table_at(cos, sin, 7, kHalf);
    for (Index kv : p.range(kKvHeads).named("kv")) {
      const Index head = b * kKvHeads + kv;
      const Index row = head * kMaxSeq + 7;
      store_halves(k_cache, rotate(load_halves(k, head, 1, kHalf), table), row);
      assemble(v_cache, cast(slice(v, {1, kHeadDim}, {head, 0}), DType::BF16), {row, 0});
      const Index slab = head * 2 * kQPerKv;
      if (at_once) {
        store_halves(q_out, rotate(load_halves(q, head * kQPerKv, kQPerKv, kHalf), table), slab);
        assemble(q_out, cast(p.full({kQPerKv, kHeadDim}, DType::F32, 0.0), DType::BF16),
                 {slab + kQPerKv, 0});
        continue;
      }
      for (Index qi : p.range(kQPerKv).named("qi"))
        store_halves(q_out, rotate(load_halves(q, head * kQPerKv + qi, 1, kHalf), table), slab + qi);
    }
  }
  if (at_once) return;
  // The padding rows were cleared by a task of their own.
  auto core = p.incore("pad");
  for (Index head : p.range(kRows * kKvHeads).named("head"))
    assemble(q_out, cast(p.full({kQPerKv, kHeadDim}, DType::F32, 0.0), DType::BF16),
             {head * 2 * kQPerKv + kQPerKv, 0});
}

// ---- matmuls -----------------------------------------------------------------------------------

// One deep step in pieces that fit the cube's operand memories; `first` starts the sum.
void multiply_pieces(Builder& p, const Tile& acc, const Tile& a, const Tile& b, int64_t piece,
                     bool transposed, const Index& step) {
  const int64_t depth = a.dim(1);
  const int64_t n = transposed ? b.dim(0) : b.dim(1);
  for (int64_t k = 0; k < depth; k += piece) {
    const Tile left = slice(a, {kRows, piece}, {0, k});
    const Tile right = transposed ? slice(b, {n, piece}, {0, k}) : slice(b, {piece, n}, {k, 0});
    const MatmulOptions o{.out_dtype = {}, .b_trans = transposed};
    if (k > 0) {
      matmul_acc(acc, left, right, o);
      continue;
    }
    {
      auto first = p.when(step == 0);
      assign(acc, matmul(left, right, o));
    }
    {
      auto later = p.otherwise();
      matmul_acc(acc, left, right, o);
    }
  }
}

void down(Builder& p, int64_t n_tile) {
  constexpr int64_t kDepth = 17408, kWidth = 5120, kStep = 256, kMostRight = 32768;
  const Tensor source = p.input("source", {kRows, kDepth}, DType::BF16);
  const Tensor w = p.weight("w", {kDepth, kWidth}, DType::BF16);
  const Tensor out = p.output("out", {kRows, kWidth}, DType::F32);
  const Tensor x = p.tensor("x", {kRows, kDepth}, DType::BF16);
  {
    // In the measured layer the tasks are submitted long before their input is there.
    auto core = p.incore("input");
    for (Index i : p.range(kDepth / kStep).named("i"))
      assemble(x, slice(source, {kRows, kStep}, {0, i * kStep}), {0, i * kStep});
  }
  for (Index block : p.parallel(kWidth / n_tile).named("block")) {
    auto core = p.incore("down");
    const Tile acc = p.accumulator({kRows, n_tile});
    for (Index kb : p.range(kDepth / kStep).named("kb")) {
      const Tile a = load(x, {0, kb * kStep}, {kRows, kStep}, {.valid_shape = {}, .target = MemorySpace::Mat});
      const Tile b = load(w, {kb * kStep, block * n_tile}, {kStep, n_tile},
                          {.valid_shape = {}, .target = MemorySpace::Mat});
      multiply_pieces(p, acc, a, b, std::min(kStep, kMostRight / n_tile), false, kb);
    }
    assemble(out, acc, {0, block * n_tile});
  }
}

void lm_head(Builder& p) {
  constexpr int64_t kDepth = 5120, kVocab = 152064, kN = 256, kStep = 512, kPiece = 128, kBlocks = 2;
  const Tensor x = p.input("x", {kRows, kDepth}, DType::BF16);
  const Tensor w = p.weight("w", {kVocab, kDepth}, DType::BF16);
  const Tensor out = p.output("out", {kRows, kVocab}, DType::F32);
  for (Index task : p.parallel(kVocab / kN / kBlocks).named("task")) {
    auto core = p.incore("lm_head");
    for (Index half : p.range(kBlocks).named("half")) {
      const Index n0 = (task * kBlocks + half) * kN;
      const Tile acc = p.accumulator({kRows, kN});
      for (Index kb : p.range(kDepth / kStep).named("kb")) {
        const Tile a = load(x, {0, kb * kStep}, {kRows, kStep}, {.valid_shape = {}, .target = MemorySpace::Mat});
        const Tile b = load(w, {n0, kb * kStep}, {kN, kStep}, {.valid_shape = {}, .target = MemorySpace::Mat});
        multiply_pieces(p, acc, a, b, kPiece, true, kb);
      }
      assemble(out, acc, {0, n0});
    }
  }
}

void int8(Builder& p, int64_t steps, int64_t stages) {
  constexpr int64_t kCores = 24, kM = 128, kK = 128, kN = 64;
  const Tensor keys = p.input("keys", {kCores * steps * kM, kK}, DType::I8);
  const Tensor query = p.input("query", {kN, kK}, DType::I8);
  const Tensor out = p.output("out", {kCores * steps * kM, kN}, DType::I32);
  for (Index core_index : p.parallel(kCores).named("core")) {
    auto core = p.incore("int8");
    const Tile q = slice(query, {kN, kK}, {0, 0});
    for (Index i : staged_loop(p, 0, steps, stages).named("i")) {
      const Index row = (core_index * steps + i) * kM;
      const Tile product = matmul(slice(keys, {kM, kK}, {row, 0}), q, {.out_dtype = {}, .b_trans = true});
      assemble(out, product, {row, 0});
    }
  }
}

}  // namespace

catalog::ProgramDef calibration_rope(bool at_once) {
  return define("calibration/rope", [=](Builder& p) { rope(p, at_once); });
}

catalog::ProgramDef calibration_down(int64_t n_tile) {
  return define("calibration/down", [=](Builder& p) { down(p, n_tile); });
}

catalog::ProgramDef calibration_lm_head() {
  return define("calibration/lm-head", [](Builder& p) { lm_head(p); });
}

catalog::ProgramDef calibration_int8(int64_t steps, int64_t stages) {
  return define("calibration/int8", [=](Builder& p) { int8(p, steps, stages); });
}

}  // namespace tilewright::programs
