// Valid shapes: at least one element, at most the tile, and the same for operands that meet.
#include "case.h"

namespace error_test {
namespace {

// A program that fills up a [16, 64] tile of which `rows` are real.
std::function<void(Builder&, Twin&)> filled(std::function<Index(Builder&, Twin&)> rows) {
  return [rows](Builder& p, Twin& t) {
    const Index n = rows(p, t);
    Tensor x = p.input("x", {16, 64}, F32);
    Tensor y = p.output("y", {16, 64}, F32);
    auto core = p.incore("s");
    Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {n, 64}}, t.at("slice")).named("part");
    assemble(y, fillpad(part, Pad::Zero), {0, 0});
  };
}

std::vector<Case> extents() {
  return {
      {.name = "no_valid_rows",
       .codes = {"valid"},
       .program = filled([](Builder&, Twin& t) { return Index(t.bad ? 0 : 1); }),
       .message = R"(error: valid extent of 0 in dimension 0 of part [16 x 64] f32
  at {slice}, program demo, scope "s", part = pl.slice(x, [16, 64], [0, 0], valid_shape=[0, 64])
  a valid extent is at least 1 and at most the tile's extent
  help: clamp it with min(tile, remaining), and skip blocks that have nothing left
)"},

      {.name = "fewer_than_no_valid_rows",
       .codes = {"valid"},
       .program = filled([](Builder&, Twin& t) { return Index(t.bad ? -3 : 3); }),
       .message = R"(error: valid extent of -3 in dimension 0 of part [16 x 64] f32
  at {slice}, program demo, scope "s", part = pl.slice(x, [16, 64], [0, 0], valid_shape=[-3, 64])
  a valid extent is at least 1 and at most the tile's extent
  help: clamp it with min(tile, remaining), and skip blocks that have nothing left
)"},

      {.name = "more_valid_rows_than_rows",
       .codes = {"valid"},
       .program = filled([](Builder&, Twin& t) { return Index(t.bad ? 17 : 16); }),
       .message = R"(error: valid extent of 17 in dimension 0 of part [16 x 64] f32
  at {slice}, program demo, scope "s", part = pl.slice(x, [16, 64], [0, 0], valid_shape=[17, 64])
  a valid extent is at least 1 and at most the tile's extent
  help: clamp it with min(tile, remaining), and skip blocks that have nothing left
)"},

      {.name = "no_valid_rows_at_run_time",
       .step = Step::Unroll,
       .codes = {"valid"},
       .program = filled([](Builder& p, Twin& t) {
         const Index n = p.scalar("n");
         return t.bad ? n : max(n, 1);
       }),
       .message = R"(error: valid extent of 0 in dimension 0 of part [16 x 64] f32
  at {slice}, program demo, scope "s", part = pl.load(x, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec, valid_shapes=[n, 64])
  a valid extent is at least 1 and at most the tile's extent
  help: clamp it with min(tile, remaining), and skip blocks that have nothing left
)",
       .setup = {.scalars = {{"n", 0}}}},

      // A block after the end of the context: nothing of it is real.
      {.name = "block_after_the_end_of_the_context",
       .step = Step::Unroll,
       .codes = {"valid"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {1}, I32);
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.state("y", {1, 64}, F32);
             const Index n = p.read(lens, {0});
             auto core = p.incore("s");
             for (Index k : p.range(t.bad ? 4 : ceil_div(n, 16))) {
               Tile part = slice(x, {16, 64}, {k * 16, 0},
                                 {.valid_shape = {min(16, n - k * 16), 64}}, t.at("slice"));
               assemble_add(y, col_sum(part), {0, 0});
             }
           },
       .message = R"(error: valid extent of -12 in dimension 0 of slice [16 x 64] f32 (and 1 more time)
  at {slice}, program demo, scope "s", slice = pl.load(x, [i * 16, 0], [16, 64], target_memory=pl.MemorySpace.Vec, valid_shapes=[pl.min(16, lens_value - i * 16), 64])
  a valid extent is at least 1 and at most the tile's extent
  help: clamp it with min(tile, remaining), and skip blocks that have nothing left
)",
       .setup = {.data = {{"lens", {20}}}}},

      {.name = "set_validshape_that_grows",
       .step = Step::Unroll,
       .codes = {"valid"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}}).named("part");
             Tile other = set_validshape(part, {t.bad ? 12 : 4, 64}, t.at("set"));
             assemble(y, fillpad(other, Pad::Zero), {0, 0});
           },
       .message = R"(error: set_validshape grows dimension 0 of part from 8 to 12
  at {set}, program demo, scope "s", set_validshape = pl.set_validshape(part, 12, 64)
  elements outside the valid region are undefined
  help: use fillpad to define them
)"},

      {.name = "slice_outside_the_valid_rows",
       .step = Step::Unroll,
       .codes = {"valid"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {4, 64}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}}).named("part");
             assemble(y, slice(part, {4, 64}, {t.bad ? 8 : 4, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: slice of part takes 4 elements at 8 in dimension 0, of which 0 are valid
  at {slice}, program demo, scope "s", slice_1 = pl.slice(part, [4, 64], [8, 0])
  a slice of a tile stays inside its valid region
  help: give the slice a smaller valid shape, or fillpad the tile first
)"},

      {.name = "slice_with_more_valid_rows_than_its_source",
       .step = Step::Unroll,
       .codes = {"valid"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 64}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}}).named("part");
             Tile half = slice(part, {8, 64}, {4, 0}, {.valid_shape = {t.bad ? 6 : 4, 64}},
                               t.at("slice"));
             assemble(y, fillpad(half, Pad::Zero), {0, 0});
           },
       .message = R"(error: slice of part takes 6 elements at 4 in dimension 0, of which 4 are valid
  at {slice}, program demo, scope "s", slice_1 = pl.slice(part, [8, 64], [4, 0], valid_shape=[6, 64])
  a slice of a tile stays inside its valid region
  help: give the slice a smaller valid shape, or fillpad the tile first
)"},

      {.name = "assemble_outside_the_valid_rows",
       .step = Step::Unroll,
       .codes = {"valid"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}});
             Tile both = (t.bad ? exp(part) : fillpad(part, Pad::Zero)).named("both");
             assemble(both, p.full({8, 64}, F32, 1.0), {8, 0}, t.at("assemble"));
             assemble(y, t.bad ? fillpad(both, Pad::Zero) : both, {0, 0});
           },
       .message = R"(error: assemble writes elements 8 to 15 of dimension 0 of both, of which 8 are valid
  at {assemble}, program demo, scope "s", both = pl.assemble(both, full, [8, 0])
  what is written outside the valid region of a tile is lost
  help: fillpad the destination first, or write less
)"},

      {.name = "scalar_read_outside_the_valid_rows",
       .step = Step::Unroll,
       .codes = {"valid"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}}).named("part");
             const Scalar s = p.read_float(part, {t.bad ? 8 : 7, 0}, t.at("read"));
             assign(y, p.full({16, 64}, F32, s));
           },
       .message = R"(error: read of element 8 of dimension 0 of part, of which 8 are valid
  at {read}, program demo, scope "s", part_value = pl.tensor.read(part, [8, 0])
  elements outside the valid region are undefined
  help: use fillpad to define them
)"},
  };
}

std::vector<Case> operands() {
  return {
      {.name = "add_of_unequal_valid_rows",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile a = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}}).named("a");
             Tile b = slice(x, {16, 64}, {0, 0}, {.valid_shape = {t.bad ? 12 : 8, 64}}).named("b");
             assemble(y, fillpad(add(a, b, t.at("add")), Pad::Zero), {0, 0});
           },
       .message = R"(error: operands are valid in different places: a valid [8 x 64] and b valid [12 x 64]
  at {add}, program demo, scope "s", add = pl.add(a, b)
  an op works on the valid region of its operands, which must agree
  help: give both the same valid shape, or fillpad them
)"},

      {.name = "matmul_of_unequal_valid_k",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, BF16);
             Tensor w = p.weight("w", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile a = slice(x, {16, 64}, {0, 0}, {.valid_shape = {16, 40}}).named("a");
             const Indices rows = {t.bad ? 64 : 40, 32};
             Tile b = slice(w, {64, 32}, {0, 0}, {.valid_shape = rows}).named("b");
             assemble(y, matmul(a, b, {}, t.at("matmul")), {0, 0});
           },
       .message = R"(error: the valid K is 40 on the left and 64 on the right: a_Left valid [16 x 40] and b_Right valid [64 x 32]
  at {matmul}, program demo, scope "s", matmul = pl.matmul(a_Left, b_Right, out_dtype=pl.FP32)
  an op works on the valid region of its operands, which must agree
  help: give both the same valid shape, or fillpad them
)"},

      {.name = "accumulator_with_other_valid_rows",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, BF16);
             Tensor w = p.weight("w", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile acc = matmul(x, w).named("acc");
             const Indices rows = {t.bad ? 8 : 16, 64};
             matmul_acc(acc, slice(x, {16, 64}, {0, 0}, {.valid_shape = rows}), w, {}, t.at("acc"));
             assemble(y, acc, {0, 0});
           },
       .message = R"(error: accumulator acc is valid in [16 x 32], the product in [8 x 32]
  at {acc}, program demo, scope "s", acc = pl.matmul_acc(acc, slice_Left, w_whole_Right)
  an op works on the valid region of its operands, which must agree
  help: start the chain with a matmul of the same valid rows
)"},

      {.name = "bias_with_fewer_valid_columns",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, BF16);
             Tensor w = p.weight("w", {64, 32}, BF16);
             Tensor bias = p.weight("bias", {1, 32}, F32);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             const Indices columns = {1, t.bad ? 16 : 32};
             Tile b = slice(bias, {1, 32}, {0, 0}, {.valid_shape = columns}).named("b");
             assemble(y, matmul_bias(x, w, b, {}, t.at("matmul")), {0, 0});
           },
       .message = R"(error: the product has 32 valid columns and the bias another number: b_Bias valid [1 x 16]
  at {matmul}, program demo, scope "s", matmul_bias = pl.matmul_bias(x_whole_Left, w_whole_Right, b_Bias, out_dtype=pl.FP32)
  an op works on the valid region of its operands, which must agree
  help: give both the same valid shape, or fillpad them
)"},

      {.name = "reshape_of_a_partly_valid_tile",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 128}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}}).named("part");
             assemble(y, reshape(t.bad ? part : fillpad(part, Pad::Zero), {8, 128}, t.at("reshape")),
                      {0, 0});
           },
       .message = R"(error: reshape needs all of part, of which only [8 x 64] is valid
  at {reshape}, program demo, scope "s", reshape = pl.reshape(part, [8, 128])
  this op works on whole tiles
  help: fillpad it first
)"},

      {.name = "concat_after_a_gap",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 128}, F32);
             auto core = p.incore("s");
             const Indices columns = {16, t.bad ? 40 : 64};
             Tile left = slice(x, {16, 64}, {0, 0}, {.valid_shape = columns}).named("left");
             assemble(y, concat(left, x, t.at("concat")), {0, 0});
           },
       .message = R"(error: concat needs all columns of its left side and equal rows: left valid [16 x 40] and x_whole valid [16 x 64]
  at {concat}, program demo, scope "s", concat = pl.concat(left, x_whole)
  an op works on the valid region of its operands, which must agree
  help: give both the same valid shape, or fillpad them
)"},

      {.name = "sort_of_a_partly_valid_row",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {1, 64}, F32);
             Tensor y = p.output("y", {1, 128}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {1, 64}, {0, 0}, {.valid_shape = {1, 40}}).named("part");
             Tile values = t.bad ? part : fillpad(part, Pad::Min);
             assemble(y, sort32(values, p.arange(0, {1, 64}, I32), t.at("sort")), {0, 0});
           },
       .message = R"(error: sort32 needs all of part, of which only [1 x 40] is valid
  at {sort}, program demo, scope "s", sort32 = pl.sort32(part, arange)
  this op works on whole tiles
  help: fillpad it first
)"},

      {.name = "merge_with_a_partly_valid_list",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {1, 64}, F32);
             Tensor y = p.output("y", {1, 128}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {1, 64}, {0, 0}, {.valid_shape = {1, 40}}).named("part");
             assemble(y, mrgsort(x, t.bad ? part : fillpad(part, Pad::Min), t.at("merge")), {0, 0});
           },
       .message = R"(error: mrgsort needs all of part, of which only [1 x 40] is valid
  at {merge}, program demo, scope "s", mrgsort = pl.mrgsort(x_whole, part)
  this op works on whole tiles
  help: fillpad it first
)"},

      {.name = "gather_of_rows_that_are_not_valid",
       .step = Step::Unroll,
       .codes = {"valid-mismatch"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {4, 64}, F32);
             Tensor index = p.input("index", {4, 8}, I32);
             Tensor y = p.output("y", {4, 8}, F32);
             auto core = p.incore("s");
             const Indices rows = {t.bad ? 2 : 4, 64};
             Tile values = slice(x, {4, 64}, {0, 0}, {.valid_shape = rows}).named("values");
             assemble(y, gather(values, index, t.at("gather")), {0, 0});
           },
       .message = R"(error: the index has more valid rows than the values: index_whole valid [4 x 8] and values valid [2 x 64]
  at {gather}, program demo, scope "s", gather = pl.gather(values, dim=-1, index=index_whole)
  an op works on the valid region of its operands, which must agree
  help: give both the same valid shape, or fillpad them
)"},
  };
}

}  // namespace

std::vector<Case> valid_cases() {
  std::vector<Case> all = extents();
  const std::vector<Case> more = operands();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Valid, ErrorCase, testing::ValuesIn(valid_cases()), case_name);

}  // namespace error_test
