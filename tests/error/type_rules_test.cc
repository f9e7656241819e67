// The type rules of the ops that compute: matmul, elementwise, reduce, sort. The builder refuses
// what breaks them, so there is no program that the checker could be given.
#include "builder_case.h"

namespace error_test {
namespace {

std::vector<BuilderCase> products() {
  return {
      {.name = "matmul_of_a_vector",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", t.bad ? Shape{64} : Shape{1, 64}, BF16);
             Tensor w = p.weight("w", {64, 128}, BF16);
             Tensor y = p.output("y", {1, 128}, F32);
             auto core = p.incore("s");
             assemble(y, matmul(x, w, {}, t.at("matmul")), {0, 0});
           },
       .message = R"(error: matmul of x [64] bf16 and w [64 x 128] bf16
  at {matmul}, program demo, scope "s"
  matmul operands have at least two dimensions
  help: reshape a vector of N elements to [1, N]
)"},

      {.name = "matmul_of_two_types",
       .step = Step::Compile,
       .codes = {"matmul-dtype"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, t.bad ? F32 : BF16);
             Tensor w = p.weight("w", {64, 128}, BF16);
             Tensor z = p.input("z", {16, 128}, F32);
             Tensor y = p.output("y", {16, 128}, F32);
             auto core = p.incore("s");
             // Its shape is no question: the sum is not an error.
             assemble(y, add(matmul(x, w, {}, t.at("matmul")), z), {0, 0});
           },
       .message = R"(error: matmul of x [16 x 64] f32 and w [64 x 128] bf16
  at {matmul}, program demo, pl.matmul(x, w, out_dtype=pl.FP32)
  both operands of a matmul must have the same element type
  help: cast one side to FP32
)"},

      {.name = "matmul_of_booleans",
       .codes = {"matmul-dtype"},
       .program =
           [](Builder& p, Twin& t) {
             const DType dtype = t.bad ? BOOL : I8;
             Tensor x = p.input("x", {16, 64}, dtype);
             Tensor w = p.weight("w", {64, 128}, dtype);
             Tensor y = p.output("y", {16, 128}, I32);
             auto core = p.incore("s");
             assemble(y, matmul(x, w, {}, t.at("matmul")), {0, 0});
           },
       .message = R"(error: matmul of x [16 x 64] bool and w [64 x 128] bool
  at {matmul}, program demo, scope "s"
  matmul takes float or integer tiles
  help: cast both to INT8 or BF16
)"},

      {.name = "matmul_with_b_stored_transposed",
       .codes = {"matmul-k"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor q = p.input("q", {16, 128}, BF16);
             Tensor k = p.input("k", {64, 128}, BF16);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile scores = matmul(q, k, {.b_trans = !t.bad}, t.at("matmul"));
             if (!t.bad) assemble(y, scores, {0, 0});
           },
       .message =
           R"(error: matmul of q [16 x 128] bf16 and k [64 x 128] bf16: K is 128 on the left and 64 on the right
  at {matmul}, program demo, scope "s"
  the inner dimensions of a matmul must be equal
  help: add or remove b_trans: a right operand stored as [N, K] needs b_trans
)"},

      {.name = "matmul_with_unequal_k",
       .codes = {"matmul-k"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 256}, BF16);
             Tensor w = p.weight("w", {256, 64}, BF16);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile a = slice(x, {16, t.bad ? 96 : 128}, {0, 0}).named("a");
             Tile b = slice(w, {128, 64}, {0, 0}).named("b");
             assemble(y, matmul(a, b, {}, t.at("matmul")), {0, 0});
           },
       .message =
           R"(error: matmul of a [16 x 96] bf16 and b [128 x 64] bf16: K is 96 on the left and 128 on the right
  at {matmul}, program demo, scope "s"
  the inner dimensions of a matmul must be equal
  help: slice both operands by the same K tile
)"},

      {.name = "matmul_with_an_integer_result",
       .codes = {"matmul-out"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, BF16);
             Tensor w = p.weight("w", {64, 128}, BF16);
             Tensor y = p.output("y", {16, 128}, t.bad ? I32 : F32);
             auto core = p.incore("s");
             assemble(y, matmul(x, w, {.out_dtype = t.bad ? I32 : F32}, t.at("matmul")), {0, 0});
           },
       .message = R"(error: matmul of BF16 operands with out_dtype INT32
  at {matmul}, program demo, scope "s"
  float operands accumulate in FP32 and integer operands in INT32
  help: remove out_dtype, or use FP32
)"},

      {.name = "batched_matmul_of_unequal_batches",
       .codes = {"broadcast"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {2, 16, 64}, BF16);
             Tensor w = p.weight("w", {t.bad ? 3 : 2, 64, 32}, BF16);
             Tensor y = p.output("y", {2, 16, 32}, F32);
             auto core = p.incore("s");
             Tile out = matmul(x, w, {}, t.at("matmul"));
             if (!t.bad) assemble(y, out, {0, 0, 0});
           },
       .message = R"(error: matmul of x [2 x 16 x 64] bf16 and w [3 x 64 x 32] bf16
  at {matmul}, program demo, scope "s"
  batch dimensions of a matmul are equal or 1
  help: reshape one side
)"},

      {.name = "accumulator_of_the_wrong_type",
       .codes = {"matmul-acc"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, BF16);
             Tensor w = p.weight("w", {64, 128}, BF16);
             Tensor y = p.output("y", {16, 128}, t.bad ? BF16 : F32);
             auto core = p.incore("s");
             Tile acc = matmul(x, w, {.out_dtype = t.bad ? BF16 : F32}).named("acc");
             matmul_acc(acc, x, w, {}, t.at("acc"));
             assemble(y, acc, {0, 0});
           },
       .message = R"(error: matmul_acc into acc [16 x 128] bf16
  at {acc}, program demo, scope "s"
  the accumulator of a BF16 matmul is FP32
  help: declare the accumulator as FP32
)"},

      {.name = "accumulator_of_the_wrong_shape",
       .codes = {"matmul-acc"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, BF16);
             Tensor w = p.weight("w", {64, 128}, BF16);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile acc = matmul(x, slice(w, {64, 64}, {0, 0})).named("acc");
             Tile b = slice(w, {64, t.bad ? 128 : 64}, {0, 0}).named("b");
             matmul_acc(acc, x, b, {}, t.at("acc"));
             assemble(y, acc, {0, 0});
           },
       .message =
           R"(error: matmul_acc of x [16 x 64] bf16 and b [64 x 128] bf16 into acc [16 x 64] f32
  at {acc}, program demo, scope "s"
  the accumulator must have the shape of the product
  help: declare the accumulator as [16 x 128]
)"},

      {.name = "bias_of_many_rows",
       .codes = {"matmul-bias"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, BF16);
             Tensor w = p.weight("w", {64, 128}, BF16);
             Tensor bias = p.weight("bias", {t.bad ? 16 : 1, 128}, F32);
             Tensor y = p.output("y", {16, 128}, F32);
             auto core = p.incore("s");
             assemble(y, matmul_bias(x, w, bias, {}, t.at("matmul")), {0, 0});
           },
       .message = R"(error: matmul_bias with bias bias [16 x 128] f32
  at {matmul}, program demo, scope "s"
  the bias must be one row of the accumulator's type
  help: give a [1 x 128] tile
)"},

      {.name = "gemv_of_many_rows",
       .codes = {"gemv"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {t.bad ? 16 : 1, 64}, BF16);
             Tensor w = p.weight("w", {64, 128}, BF16);
             Tensor y = p.output("y", {x.dim(0), 128}, F32);
             auto core = p.incore("s");
             Tile out = gemv(x, w, {}, t.at("gemv"));
             if (!t.bad) assemble(y, out, {0, 0});
           },
       .message = R"(error: gemv with left operand x [16 x 64] bf16
  at {gemv}, program demo, scope "s"
  gemv multiplies one row by a matrix
  help: use matmul
)"},
  };
}

std::vector<BuilderCase> elementwise_and_reduce() {
  return {
      {.name = "add_of_unequal_columns",
       .codes = {"broadcast"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, F32);
             Tensor b = p.input("b", {16, t.bad ? 32 : 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, add(a, b, t.at("add")), {0, 0});
           },
       .message = R"(error: add of a [16 x 64] f32 and b [16 x 32] f32
  at {add}, program demo, scope "s"
  operands have equal trailing dimensions, or one of them is 1
  help: slice or reshape one side
)"},

      {.name = "exp_of_integers",
       .codes = {"dtype"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, I32);
             Tensor y = p.output("y", {16, 64}, t.bad ? I32 : F32);
             auto core = p.incore("s");
             Tile in = slice(x, {16, 64}, {0, 0}).named("ints");
             assemble(y, exp(t.bad ? in : cast(in, F32), t.at("exp")), {0, 0});
           },
       .message = R"(error: exp of ints [16 x 64] i32
  at {exp}, program demo, scope "s"
  exp takes float tiles
  help: cast the operand to FP32 first
)"},

      {.name = "row_expand_by_a_row",
       .codes = {"row-expand"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor scale = p.input("scale", {1, 16}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile v = slice(scale, {1, 16}, {0, 0}).named("v");
             assemble(y, row_expand_mul(x, t.bad ? v : reshape(v, {16, 1}), t.at("mul")), {0, 0});
           },
       .message = R"(error: row_expand_mul of x [16 x 64] f32 by v [1 x 16] f32
  at {mul}, program demo, scope "s"
  row_expand takes one value per row: a vector of shape [M, 1] for a tile of shape [M, N]
  help: give a vector of shape [16 x 1]
)"},

      {.name = "expand_to_another_type",
       .codes = {"expand-dtype"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor v = p.input("v", {16, 1}, t.bad ? BF16 : F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, row_expand(x, v, t.at("expand")), {0, 0});
           },
       .message = R"(error: row_expand of v [16 x 1] bf16 to the shape of x [16 x 64] f32
  at {expand}, program demo, scope "s"
  row_expand needs operands of the same element type
  help: cast one of them to FP32
)"},

      {.name = "row_expand_of_another_batch",
       .codes = {"row-expand"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {2, 16, 64}, F32);
             Tensor v = p.input("v", {t.bad ? 3 : 2, 16, 1}, F32);
             Tensor y = p.output("y", {2, 16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, row_expand_sub(x, v, t.at("sub")), {0, 0, 0});
           },
       .message = R"(error: row_expand_sub of x [2 x 16 x 64] f32 by v [3 x 16 x 1] f32
  at {sub}, program demo, scope "s"
  row_expand takes one value per row: a vector of shape [M, 1] for a tile of shape [M, N]
  help: give a vector of shape [2 x 16 x 1]
)"},

      {.name = "col_expand_by_a_column",
       .codes = {"col-expand"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor gamma = p.weight("gamma", {t.bad ? 64 : 1, t.bad ? 1 : 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, col_expand_mul(x, gamma, t.at("mul")), {0, 0});
           },
       .message = R"(error: col_expand_mul of x [16 x 64] f32 by gamma [64 x 1] f32
  at {mul}, program demo, scope "s"
  col_expand takes one value per column: a vector of shape [1, N] for a tile of shape [M, N]
  help: give a vector of shape [1 x 64]
)"},

      {.name = "row_sum_of_a_vector",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", t.bad ? Shape{64} : Shape{1, 64}, F32);
             Tensor y = p.output("y", {1, 1}, F32);
             auto core = p.incore("s");
             Tile sum = row_sum(x, t.at("sum"));
             if (!t.bad) assemble(y, sum, {0, 0});
           },
       .message = R"(error: row_sum of x [64] f32
  at {sum}, program demo, scope "s"
  a reduction needs at least two dimensions
  help: reshape to [1, N]
)"},
  };
}

std::vector<BuilderCase> sorting() {
  return {
      {.name = "arange_of_floats",
       .codes = {"arange"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {1, 64}, t.bad ? F32 : I32);
             auto core = p.incore("s");
             assemble(y, p.arange(0, {1, 64}, t.bad ? F32 : I32, t.at("arange")), {0, 0});
           },
       .message = R"(error: arange of [1 x 64] f32
  at {arange}, program demo, scope "s"
  arange produces one row of integers
  help: use a shape [1, N] and an integer type
)"},

      {.name = "sort_of_half_a_run",
       .codes = {"sort"},
       .program =
           [](Builder& p, Twin& t) {
             const int64_t n = t.bad ? 48 : 64;
             Tensor x = p.input("x", {1, n}, F32);
             Tensor y = p.output("y", {1, 2 * n}, F32);
             auto core = p.incore("s");
             Tile sorted = sort32(x, p.arange(0, {1, n}, I32), t.at("sort"));
             if (!t.bad) assemble(y, sorted, {0, 0});
           },
       .message = R"(error: sort32 of x [1 x 48] f32 with arange(...) [1 x 48] i32
  at {sort}, program demo, scope "s"
  sort32 takes FP32 values and 32-bit indices of one shape, in runs of 32 columns
  help: pad the row to a multiple of 32 columns with fillpad
)"},

      {.name = "merge_of_odd_blocks",
       .codes = {"sort"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {1, 256}, F32);
             Tensor y = p.output("y", {1, 256}, F32);
             auto core = p.incore("s");
             assemble(y, mrgsort(x, t.bad ? 63 : 64, t.at("merge")), {0, 0});
           },
       .message = R"(error: mrgsort of x [1 x 256] f32 with block_len 63
  at {merge}, program demo, scope "s"
  mrgsort merges groups of four sorted runs of block_len lanes, two lanes per pair
  help: use an even block_len that divides the row
)"},

      {.name = "merge_of_unequal_rows",
       .codes = {"sort"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {1, 64}, F32);
             Tensor b = p.input("b", {t.bad ? 2 : 1, 64}, F32);
             Tensor y = p.output("y", {1, 128}, F32);
             auto core = p.incore("s");
             Tile merged = mrgsort(a, b, t.at("merge"));
             if (!t.bad) assemble(y, merged, {0, 0});
           },
       .message = R"(error: mrgsort of a [1 x 64] f32 and b [2 x 64] f32
  at {merge}, program demo, scope "s"
  mrgsort merges two lists of (value, index) pairs with equal rows
  help: use 2-D tiles with equal rows and element type
)"},

      {.name = "mask_gather_that_changes_the_width",
       .codes = {"gather"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor pairs = p.input("pairs", {1, 64}, F32);
             Tensor y = p.output("y", {1, 32}, I32);
             auto core = p.incore("s");
             Tile index =
                 gather_mask(pairs, ir::MaskPattern::P1010, t.bad ? I8 : I32, t.at("gather"));
             if (!t.bad) assemble(y, index, {0, 0});
           },
       .message = R"(error: gather by mask of pairs [1 x 64] f32 as INT8
  at {gather}, program demo, scope "s"
  a mask gather takes every second lane of an even row and keeps the lane width
  help: choose an output type of the same width
)"},

      {.name = "mask_scatter_into_too_few_columns",
       .codes = {"scatter"},
       .program =
           [](Builder& p, Twin& t) {
             const int64_t wide = t.bad ? 32 : 64;
             Tensor x = p.input("x", {1, 32}, F32);
             Tensor old = p.input("old", {1, wide}, F32);
             Tensor y = p.output("y", {1, wide}, F32);
             auto core = p.incore("s");
             assemble(y, scatter_mask(x, ir::MaskPattern::P0101, old, t.at("scatter")), {0, 0});
           },
       .message = R"(error: scatter by mask of x [1 x 32] f32 into old [1 x 32] f32
  at {scatter}, program demo, scope "s"
  a mask scatter writes every second lane: [M, N] into [M, 2 N] of the same type
  help: use 2-D tiles with equal rows and a destination twice as wide
)"},

      {.name = "gather_by_floats",
       .codes = {"gather"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {1, 64}, F32);
             Tensor index = p.input("index", {1, 8}, t.bad ? F32 : I32);
             Tensor y = p.output("y", {1, 8}, F32);
             auto core = p.incore("s");
             Tile picked = gather(x, index, t.at("gather"));
             if (!t.bad) assemble(y, picked, {0, 0});
           },
       .message = R"(error: gather of x [1 x 64] f32 by index [1 x 8] f32
  at {gather}, program demo, scope "s"
  for each row, gather takes the columns given by integer indices
  help: use 2-D tiles with equal rows, and an integer index
)"},
  };
}

}  // namespace

std::vector<BuilderCase> type_rules_cases() {
  std::vector<BuilderCase> all = products();
  for (const auto& group : {elementwise_and_reduce(), sorting()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace error_test
