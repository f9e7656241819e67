// Every call form of the dialect and the operation it becomes.
#include "support.h"

namespace frontend_test {
namespace {

struct Form {
  const char* line;
  const char* means;
};

class EveryForm : public testing::TestWithParam<Form> {};

// Operands: t [16 x 64] f32, h [16 x 64] bf16, v [16 x 1] f32, r [1 x 64] f32, i [16 x 64] i32.
const char* const kOperands =
    "t = pl.slice(x, [16, N], [0, 0])\n"
    "h = pl.slice(b, [16, N], [0, 0])\n"
    "v = pl.row_sum(t)\n"
    "r = pl.slice(x, [1, N], [0, 0])\n"
    "i = pl.cast(t, target_type=pl.INT32)\n";

TEST_P(EveryForm, BecomesItsOperation) {
  const std::string before = scope_listing(kOperands);
  const std::string after = scope_listing(std::string(kOperands) + GetParam().line + "\n");
  ASSERT_EQ(after.substr(0, before.size()), before);
  EXPECT_EQ(after.substr(before.size()), std::string(GetParam().means) + "\n");
}

const Form kForms[] = {
    // ---- memory ----
    {"q = pl.create_tensor([4, N // 2], dtype=pl.BF16)",
     "q = pl.create_tensor([4, 32], dtype=pl.BF16)"},
    {"q = pl.create_tensor((4, 8), pl.BF16)", "q = pl.create_tensor([4, 8], dtype=pl.BF16)"},
    {"q = pl.create_tile([4, 8], dtype=pl.FP32, target_memory=pl.MemorySpace.Acc)",
     "q = pl.create_tile([4, 8], dtype=pl.FP32, target_memory=pl.MemorySpace.Acc)"},
    {"q = pl.full([4, 8], dtype=pl.FP32, value=-1.5)",
     "q = pl.full([4, 8], dtype=pl.FP32, value=-1.5)"},
    {"q = pl.tile.full([4, 8], dtype=pl.INT32, value=3)",
     "q = pl.full([4, 8], dtype=pl.INT32, value=3)"},
    {"q = pl.full([4, 8], dtype=pl.FP32, value=float(\"-inf\"))",
     "q = pl.full([4, 8], dtype=pl.FP32, value=float(\"-inf\"))"},
    {"q = pl.create_tensor([4, 8], dtype=pl.FP32, init_value=0.0)",
     "q = pl.full([4, 8], dtype=pl.FP32, value=0.0)"},
    {"q = pl.slice(x, [8, 32], [8, 32], valid_shape=[4, 16])",
     "q = pl.slice(x, [8, 32], [8, 32], valid_shape=[4, 16])"},
    {"q = pl.slice(x, [8, 32], offset=[8, 32])", "q = pl.slice(x, [8, 32], [8, 32])"},
    {"q = x[8:16, :]", "q = pl.slice(x, [8, 64], [8, 0])"},
    {"q = x[:8]", "q = pl.slice(x, [8, 64], [0, 0])"},
    {"q = x[8:, 0:N]", "q = pl.slice(x, [8, 64], [8, 0])"},
    {"q = x[3, 0:N]", "q = pl.slice(x, [1, 64], [3, 0])"},
    {"q = x[3, 4]", "q = pl.tensor.read(x, [3, 4])"},
    {"q = pl.load(x, [0, 32], [16, 32])",
     "q = pl.load(x, [0, 32], [16, 32], target_memory=pl.MemorySpace.Vec)"},
    {"q = pl.load(b, [0, 0], [16, 32], target_memory=pl.MemorySpace.Mat, valid_shapes=[8, 32])",
     "q = pl.load(b, [0, 0], [16, 32], target_memory=pl.MemorySpace.Mat, valid_shape=[8, 32])"},
    {"q = pl.load(b, [0, 0], [16, 32], pl.MemorySpace.Mat, transpose=True)",
     "q = pl.load(b, [0, 0], [16, 32], target_memory=pl.MemorySpace.Mat, transpose=True)"},
    {"q = pl.tile.load(b, [0, 0], [16, 32], [8, 32], target_memory=pl.MemorySpace.Mat)",
     "q = pl.load(b, [0, 0], [16, 32], target_memory=pl.MemorySpace.Mat, valid_shape=[8, 32])"},
    {"y = pl.assemble(y, t, [0, 0])", "y = pl.assemble(y, t, [0, 0])"},
    {"y[0:16, 0:64] = t", "y = pl.assemble(y, t, [0, 0])"},
    {"y[:] = t", "y = pl.assemble(y, t, [0, 0])"},
    {"y = pl.assemble(y, t, [0, 0], atomic=pl.AtomicType.Add)",
     "y = pl.assemble(y, t, [0, 0], atomic=pl.AtomicType.Add)"},
    {"out = pl.store(t, [0, 0], y)", "y = pl.store(t, [0, 0], y)"},
    {"pl.store(t, [0, 0], y)", "y = pl.store(t, [0, 0], y)"},
    {"pl.store(t, [0, 0], y, [16, N])", "y = pl.store(t, [0, 0], y)"},
    {"pl.store(t, [0, 0], y, shapes=[1, 16, N])", "y = pl.store(t, [0, 0], y)"},
    {"pl.tile.store(t, [0, 0], y, shapes=[8, 32])",
     "slice = pl.slice(t, [8, 32], [0, 0])\ny = pl.store(slice, [0, 0], y)"},
    {"q = pl.move(h, target_memory=pl.MemorySpace.Left)",
     "q = pl.move(h, target_memory=pl.MemorySpace.Left)"},
    {"pl.write(y, [2, 3], 1.5)",
     "full = pl.full([1, 1], dtype=pl.FP32, value=1.5)\ny = pl.assemble(y, full, [2, 3])"},
    {"q = t", "q = t"},
    // ---- layout ----
    {"q = pl.reshape(t, [N, 16])", "q = pl.reshape(t, [64, 16])"},
    {"q = pl.concat(t, t)", "q = pl.concat(t, t)"},
    {"q = pl.tile.transpose(t, 0, 1)", "q = pl.transpose(t, 0, 1)"},
    {"q = pl.fillpad(t, pad_value=pl.PadValue.min)",
     "q = pl.fillpad(t, pad_value=pl.PadValue.min)"},
    {"q = pl.tile.fillpad(t, 0)", "q = pl.fillpad(t, pad_value=pl.PadValue.zero)"},
    {"q = pl.fillpad(t, pad_value=float(\"inf\"))", "q = pl.fillpad(t, pad_value=pl.PadValue.max)"},
    {"q = pl.set_validshape(t, 4, N - 1)", "q = pl.set_validshape(t, 4, 63)"},
    {"q = pl.tensor.set_validshape(t, [4, 8])", "q = pl.set_validshape(t, 4, 8)"},
    {"q = pl.cast(t, target_type=pl.BF16)", "q = pl.cast(t, target_type=pl.BF16)"},
    {"q = pl.cast(t, pl.BF16, mode=\"round\")",
     "q = pl.cast(t, target_type=pl.BF16, mode=\"round\")"},
    {"q = pl.cast(t, target_type=pl.INT32, mode=\"none\")", "q = pl.cast(t, target_type=pl.INT32)"},
    // ---- matmul ----
    {"q = pl.matmul(h, w, c_matrix_nz=False)", "q = pl.matmul(h, w, out_dtype=pl.FP32)"},
    {"q = pl.matmul(h, w)", "q = pl.matmul(h, w, out_dtype=pl.FP32)"},
    {"q = pl.matmul(h, w, out_dtype=pl.BF16, b_trans=True)",
     "q = pl.matmul(h, w, out_dtype=pl.BF16, b_trans=True)"},
    {"q = pl.matmul(h, h, a_trans=True)", "q = pl.matmul(h, h, out_dtype=pl.FP32, a_trans=True)"},
    {"q = pl.matmul_acc(t, h, w, b_trans=True)", "t = pl.matmul_acc(t, h, w, b_trans=True)"},
    {"q = pl.matmul_bias(h, w, r)", "q = pl.matmul_bias(h, w, r, out_dtype=pl.FP32)"},
    {"q = pl.gemv(pl.slice(b, [1, N], [0, 0]), w)",
     "slice = pl.slice(b, [1, 64], [0, 0])\nq = pl.gemv(slice, w, out_dtype=pl.FP32)"},
    // ---- elementwise and reduce ----
    {"q = pl.add(t, t)", "q = pl.add(t, t)"},
    {"q = pl.sub(t, 1)", "q = pl.sub(t, 1)"},
    {"q = pl.mul(0.5, t)", "q = pl.mul(t, 0.5)"},
    {"q = pl.div(t, 1.0 / N)", "q = pl.div(t, 0.015625)"},
    {"q = pl.maximum(t, t)", "q = pl.maximum(t, t)"},
    {"q = pl.minimum(t, -0.0)", "q = pl.minimum(t, -0.0)"},
    {"q = pl.cmp(t, t, cmp_type=5)", "q = pl.cmp(t, t, cmp_type=5)"},
    {"q = pl.fmod(t, t)", "q = pl.fmod(t, t)"},
    {"q = pl.fmods(t, 16.0)", "q = pl.fmod(t, 16.0)"},
    {"q = pl.tile.adds(t, 2.0)", "q = pl.add(t, 2.0)"},
    {"q = pl.neg(t)", "q = pl.neg(t)"},
    {"q = pl.abs(t)", "q = pl.abs(t)"},
    {"q = pl.log(t)", "q = pl.log(t)"},
    {"q = pl.relu(t)", "q = pl.maximum(t, 0.0)"},
    {"q = pl.relu(i)", "q = pl.maximum(i, 0.0)"},
    {"q = pl.exp(t)", "q = pl.exp(t)"},
    {"q = pl.sqrt(t)", "q = pl.sqrt(t)"},
    {"q = pl.recip(t)", "q = pl.recip(t)"},
    {"q = pl.rsqrt(t, high_precision=True)", "q = pl.rsqrt(t, high_precision=True)"},
    {"q = pl.row_expand(t, v)", "q = pl.row_expand(t, v)"},
    {"q = pl.col_expand(t, r)", "q = pl.col_expand(t, r)"},
    {"q = pl.row_expand_expdif(t, v)",
     "row_expand_sub = pl.row_expand_sub(t, v)\nq = pl.exp(row_expand_sub)"},
    {"q = pl.col_expand_expdif(t, r)",
     "col_expand_sub = pl.col_expand_sub(t, r)\nq = pl.exp(col_expand_sub)"},
    {"q = pl.row_expand_mul(t, v)", "q = pl.row_expand_mul(t, v)"},
    {"q = pl.row_expand_sub(t, v)", "q = pl.row_expand_sub(t, v)"},
    {"q = pl.row_expand_add(t, v)", "q = pl.row_expand_add(t, v)"},
    {"q = pl.row_expand_div(t, v)", "q = pl.row_expand_div(t, v)"},
    {"q = pl.col_expand_mul(t, r)", "q = pl.col_expand_mul(t, r)"},
    {"q = pl.col_expand_sub(t, r)", "q = pl.col_expand_sub(t, r)"},
    {"q = pl.col_expand_add(t, r)", "q = pl.col_expand_add(t, r)"},
    {"q = pl.col_expand_div(t, r)", "q = pl.col_expand_div(t, r)"},
    {"q = pl.tile.row_sum(t, t)", "q = pl.row_sum(t)"},
    {"q = pl.row_max(t)", "q = pl.row_max(t)"},
    {"q = pl.row_min(t)", "q = pl.row_min(t)"},
    {"q = pl.row_argmax(t)", "q = pl.row_argmax(t)"},
    {"q = pl.tile.row_argmin(t, t)", "q = pl.row_argmin(t)"},
    {"q = pl.col_sum(t)", "q = pl.col_sum(t)"},
    {"q = pl.col_max(t)", "q = pl.col_max(t)"},
    {"q = pl.col_min(t)", "q = pl.col_min(t)"},
    // ---- sort ----
    {"q = pl.arange(3, [1, N], dtype=pl.INT32)", "q = pl.arange(3, [1, 64], dtype=pl.INT32)"},
    {"q = pl.sort32(t, i)", "q = pl.sort32(t, i)"},
    {"q = pl.mrgsort(t, block_len=32)", "q = pl.mrgsort(t, block_len=32)"},
    {"q = pl.mrgsort(t, t)", "q = pl.mrgsort(t, t)"},
    {"q = pl.mrgsort(t, t, t, t)",
     "mrgsort = pl.mrgsort(t, t)\nmrgsort_1 = pl.mrgsort(t, t)\n"
     "q = pl.mrgsort(mrgsort, mrgsort_1)"},
    {"q = pl.tile.gather(t, i, t)",
     "reshape = pl.reshape(t, [1, 1024])\nreshape_1 = pl.reshape(i, [1, 1024])\n"
     "gather = pl.gather(reshape, dim=-1, index=reshape_1)\nq = pl.reshape(gather, [16, 64])"},
    {"q = pl.gather(t, mask_pattern=pl.tile.MaskPattern.P1010, output_dtype=pl.INT32)",
     "q = pl.gather(t, mask_pattern=pl.tile.MaskPattern.P1010, output_dtype=pl.INT32)"},
    {"q = pl.gather(t, dim=-1, index=i)", "q = pl.gather(t, dim=-1, index=i)"},
    {"q = pl.tensor.scatter(pl.slice(x, [16, 32], [0, 0]), "
     "mask_pattern=pl.tile.MaskPattern.P0101, dst=t)",
     "slice = pl.slice(x, [16, 32], [0, 0])\n"
     "q = pl.scatter(slice, mask_pattern=pl.tile.MaskPattern.P0101, dst=t)"},
    // ---- words for several operations ----
    {"q = pl.create_l1([4, 8], pl.BF16)",
     "q = pl.create_tile([4, 8], dtype=pl.BF16, target_memory=pl.MemorySpace.Mat)"},
    {"q = pl.create_l1([4, N], pl.BF16)\nq = pl.gather_row(q, b, [2, 0], [5, 0], [1, N])",
     "q = pl.create_tile([4, 64], dtype=pl.BF16, target_memory=pl.MemorySpace.Mat)\n"
     "rows = pl.slice(b, [1, 64], [5, 0])\nq = pl.assemble(q, rows, [2, 0])"},
    {"q = pl.create_l1([4, N], pl.BF16)\n"
     "q = pl.gather_row(q, b, [0, 0], [5, 0], [4, N], valid_shape=[3, N])",
     "q = pl.create_tile([4, 64], dtype=pl.BF16, target_memory=pl.MemorySpace.Mat)\n"
     "rows = pl.slice(b, [4, 64], [5, 0], valid_shape=[3, 64])\nq = pl.assemble(q, rows, [0, 0])"},
    {"q = pl.matmul(h, pl.tile.transpose_view(h))",
     "q = pl.matmul(h, h, out_dtype=pl.FP32, b_trans=True)"},
    {"k = pl.move(pl.tile.transpose_view(h), target_memory=pl.Mem.Right)\nq = pl.matmul(h, k)",
     "k = pl.move(h, target_memory=pl.MemorySpace.Right)\n"
     "q = pl.matmul(h, k, out_dtype=pl.FP32, b_trans=True)"},
    {"q = pl.exp(pl.tile.transpose_view(t))",
     "t_transposed_1 = pl.transpose(t, 0, 1)\nq = pl.exp(t_transposed_1)"},
    // ---- scalars: expressions, not statements, except reads ----
    {"n = pl.cast(pl.read(lens, [1]), pl.INDEX)\nq = pl.slice(x, [1, N], [pl.min(n, 15), 0])",
     "lens_value = pl.tensor.read(lens, [1])\nq = pl.slice(x, [1, 64], [pl.min(lens_value, 15), "
     "0])"},
    {"n = pl.tensor.dim(x, 1) - pl.max(2, 3)\nq = pl.slice(x, [1, 4], [n // 4 % 3, 0])",
     "q = pl.slice(x, [1, 4], [0, 0])"},
    {"s = pl.read(x, [0, 1])\nq = pl.mul(t, s * 2.0 - 1)",
     "s = pl.tensor.read(x, [0, 1])\nnumber = s * 2.0\nnumber_1 = number - 1\n"
     "q = pl.mul(t, number_1)"},
    {"s = 1.0 / pl.read(lens, [0])\nk = pl.cast(s, pl.INT32)\nq = pl.slice(x, [1, N], [k, 0])",
     "lens_value = pl.tensor.read(lens, [0])\ns = 1.0 / (lens_value)\nk = pl.cast(s, pl.INT32)\n"
     "q = pl.slice(x, [1, 64], [k, 0])"},
    {"s = pl.max(pl.read(x, [0, 1]), 0.0)\nif s > 0.5:\n    q = pl.exp(t)",
     "x_value = pl.tensor.read(x, [0, 1])\ns = pl.max(x_value, 0.0)\nwhole = s > 0.5\n"
     "if whole != 0:\n    q = pl.exp(t)"},
    {"a = pl.array.create(4, pl.INT32)\na[1] = 3\nn = a[1]\nq = pl.slice(x, [1, N], [n, 0])",
     "a = pl.create_tensor([4], dtype=pl.INT32)\nfull = pl.full([1], dtype=pl.INT32, value=3)\n"
     "a = pl.assemble(a, full, [1])\nn = pl.tensor.read(a, [1])\n"
     "q = pl.slice(x, [1, 64], [n, 0])"},
    {"q = pl.add(t, pl.read(x, [0, 1]))",
     "x_value = pl.tensor.read(x, [0, 1])\nq = pl.add(t, x_value)"},
};

INSTANTIATE_TEST_SUITE_P(Frontend, EveryForm, testing::ValuesIn(kForms));

struct Head {
  const char* line;
  const char* means;
};

class EveryHead : public testing::TestWithParam<Head> {};

TEST_P(EveryHead, BecomesItsLoopOrScope) {
  const auto l = lower(program(std::string(GetParam().line) + "\n    pass\n"));
  ASSERT_EQ(l.program.diagnostics.text(), "");
  EXPECT_EQ(listing(l.program), std::string(GetParam().means) + "\n    pass\n");
}

const Head kHeads[] = {
    {"for i in pl.range(N):", "for i in pl.range(64):"},
    {"for i in pl.range(0, N, 1):", "for i in pl.range(64):"},
    {"for i in pl.range(1, N, 2):", "for i in pl.range(1, 64, 2):"},
    {"for i in pl.parallel(N, chunk=4):", "for i in pl.parallel(64, chunk=4):"},
    {"for i in pl.parallel(0, N, 1, chunk=2, chunk_policy=\"leading_full\", "
     "attrs={\"loop_origin\": pl.LoopOrigin.ChunkOuter}):",
     "for i in pl.parallel(64, chunk=2, chunk_policy=\"leading_full\"):"},
    {"for i in pl.pipeline(2, N, stage=4):", "for i in pl.pipeline(2, 64, stage=4):"},
    {"for i in pl.unroll(3):", "for i in pl.unroll(3):"},
    {"for i in pl.spmd(N // 8, name_hint=\"g\", sync_start=True):",
     "for i in pl.spmd(8, sync_start=True, name_hint=\"g\"):"},
    {"with pl.spmd(8):", "for block in pl.spmd(8):"},
    {"with pl.incore():", "with pl.at(level=pl.Level.CORE_GROUP):"},
    {"with pl.at(level=pl.Level.AIV, name_hint='n'):",
     "with pl.at(level=pl.Level.AIV, name_hint=\"n\"):"},
    {"with pl.at(name_hint=\"n\", level=pl.Level.CORE_GROUP, allow_early_resolve=True):",
     "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"n\", allow_early_resolve=True):"},
    {"with pl.auto_incore():",
     "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.auto_chunk]):"},
    {"with pl.auto_incore(split=pl.SplitMode.LEFT_RIGHT):",
     "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.auto_chunk, "
     "pl.split(pl.SplitMode.LEFT_RIGHT)]):"},
    {"with pl.at(level=pl.Level.CORE_GROUP, optimization=pl.chunked_loop_optimizer):",
     "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.auto_chunk, "
     "pl.split(pl.SplitMode.UP_DOWN)]):"},
    {"with pl.at(level=pl.Level.CORE_GROUP, "
     "optimization=pl.chunked_loop_optimizer(split=pl.SplitMode.NONE)):",
     "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.auto_chunk]):"},
    {"with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN, "
     "slot_num=4)]):",
     "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)]):"},
    {"with pl.cluster(name_hint=\"c\"):", "with pl.cluster(name_hint=\"c\"):"},
    {"while pl.read(lens, [0]) > 3:",
     "lens_value = pl.tensor.read(lens, [0])\nwhile lens_value > 3:"},
};

INSTANTIATE_TEST_SUITE_P(Frontend, EveryHead, testing::ValuesIn(kHeads));

}  // namespace
}  // namespace frontend_test
