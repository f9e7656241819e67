// The types that arrays can have, and the type rules of memory and layout ops. The builder refuses
// what breaks them, so there is no program that the checker could be given.
#include "builder_case.h"

namespace error_test {
namespace {

constexpr int64_t kHuge = int64_t{1} << 31;  // squared, it does not fit

std::vector<BuilderCase> tensors() {
  return {
      {.name = "zero_sized_parameter",
       .codes = {"shape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {t.bad ? 0 : 16, 64}, F32, t.at("x"));
             Tensor y = p.output("y", {x.dim(0), 64}, F32);
             auto core = p.incore("s");
             assign(y, exp(x));
           },
       .message = R"(error: parameter x of shape [0 x 64]
  at {x}, program demo
  every dimension of a tensor must be at least 1
  help: check the sizes that the shape is computed from
)"},

      {.name = "overflowing_parameter",
       .codes = {"shape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {t.bad ? kHuge : 16, t.bad ? kHuge : 64}, F32, t.at("x"));
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, slice(x, {16, 64}, {0, 0}), {0, 0});
           },
       .message = R"(error: parameter x of shape [2147483648 x 2147483648], which is too large
  at {x}, program demo
  a tensor's size in bytes fits in 63 bits
  help: check the sizes that the shape is computed from
)"},

      {.name = "overflowing_broadcast",
       .codes = {"shape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {t.bad ? kHuge : 16, 1}, F32);
             Tensor b = p.input("b", {1, t.bad ? kHuge : 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, slice(add(a, b, t.at("add")), {16, 64}, {0, 0}), {0, 0});
           },
       .message = R"(error: add of shape [2147483648 x 2147483648], which is too large
  at {add}, program demo, scope "s"
  a tensor's size in bytes fits in 63 bits
  help: check the sizes that the shape is computed from
)"},

      {.name = "zero_sized_tile",
       .codes = {"shape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, p.full({16, t.bad ? 0 : 64}, F32, 0.0, t.at("full")), {0, 0});
           },
       .message = R"(error: full of shape [16 x 0]
  at {full}, program demo, scope "s"
  every dimension of a tensor must be at least 1
  help: check the sizes that the shape is computed from
)"},

      {.name = "seven_dimensions",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             const Shape shape = t.bad ? Shape{1, 1, 1, 1, 1, 16, 64} : Shape{1, 1, 1, 1, 16, 64};
             Tensor x = p.input("x", shape, F32, t.at("x"));
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, slice(x, {16, 64}, Indices(x.shape().size(), 0)), {0, 0});
           },
       .message =
           R"(error: parameter x of shape [1 x 1 x 1 x 1 x 1 x 16 x 64], which has 7 dimensions
  at {x}, program demo
  a tensor has at most 6 dimensions
  help: merge neighbouring dimensions
)"},

      {.name = "type_without_storage",
       .codes = {"dtype"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile narrow = cast(x, t.bad ? DType::F8E4M3 : BF16, CastMode::Rint, t.at("cast"));
             assign(y, cast(narrow, F32));
           },
       .message = R"(error: cast of FP8E4M3FN elements
  at {cast}, program demo, scope "s"
  the language defines 4-bit and 8-bit float types, but no executor supports them
  help: use BF16, FP16, FP32 or an integer type of 8 bits or more
)"},

      {.name = "literal_above_the_type",
       .codes = {"range"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, I8);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, I8, t.bad ? 300 : 100, t.at("full")));
           },
       .message = R"(error: full with value 300 in INT8
  at {full}, program demo, scope "s"
  INT8 holds values from -128 to 127
  help: use a wider type, or a value in range
)"},

      {.name = "negative_literal_in_an_unsigned_tile",
       .codes = {"range"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, U8);
             Tensor y = p.output("y", {16, 64}, U8);
             auto core = p.incore("s");
             assign(y, add(x, t.bad ? -1 : 1, t.at("add")));
           },
       .message = R"(error: add with value -1 in UINT8
  at {add}, program demo, scope "s"
  UINT8 holds values from 0 to 255
  help: use a wider type, or a value in range
)"},

      {.name = "fraction_in_an_integer_tile",
       .codes = {"range"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, I32);
             Tensor y = p.output("y", {16, 64}, I32);
             auto core = p.incore("s");
             assign(y, mul(x, t.bad ? 0.5 : 2.0, t.at("mul")));
           },
       .message = R"(error: mul with value 0.5 in INT32
  at {mul}, program demo, scope "s"
  an integer tensor takes integer values
  help: cast the tensor to FP32 first
)"},

      {.name = "float_scalar_in_an_integer_tile",
       .codes = {"scalar-dtype"},
       .program =
           [](Builder& p, Twin& t) {
             const Scalar scale = p.float_scalar("scale");
             Tensor x = p.input("x", {16, 64}, t.bad ? I32 : F32);
             Tensor y = p.output("y", {16, 64}, t.bad ? I32 : F32);
             auto core = p.incore("s");
             assign(y, mul(x, scale, t.at("mul")));
           },
       .message = R"(error: mul with the float scalar scale in INT32
  at {mul}, program demo, scope "s"
  an integer tensor takes integer values
  help: cast the tensor to FP32 first
)"},

      {.name = "literal_above_bf16",
       .codes = {"range"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, BF16);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, BF16, t.bad ? 3.4e38 : 3.3e38, t.at("full")));
           },
       .message = R"(error: full with value 3.4e+38 in BF16
  at {full}, program demo, scope "s"
  BF16 holds values from -3.3895313892515355e+38 to 3.3895313892515355e+38
  help: use a wider type, or a value in range
)"},

      {.name = "assign_of_another_type",
       .codes = {"assign"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, BF16);
             auto core = p.incore("s");
             if (t.bad)
               assign(y, exp(x), t.at("assign"));
             else
               assign(y, cast(exp(x), BF16));
           },
       .message = R"(error: assign of exp(...) [16 x 64] f32 to y [16 x 64] bf16
  at {assign}, program demo, scope "s"
  the element type and shape of a buffer never change
  help: cast or reshape the value
)"},

      {.name = "read_with_too_few_indices",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4, 1}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Index n = p.read(lens, t.bad ? Indices{2} : Indices{2, 0}, t.at("read"));
             assign(y, p.full({16, 64}, F32, n));
           },
       .message = R"(error: read of one element of lens [4 x 1] i32 with 1 number
  at {read}, program demo, scope "s"
  a scalar read has one index per dimension
  help: give 2 numbers
)"},

      {.name = "index_read_from_floats",
       .codes = {"read-dtype"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor scale = p.input("scale", {1, 1}, t.bad ? F32 : I32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, p.read(scale, {0, 0}, t.at("read"))));
           },
       .message = R"(error: read of scale [1 x 1] f32 as an index
  at {read}, program demo, scope "s"
  indices are read from integer tensors and float scalars from float tensors
  help: use p.read_float
)"},
  };
}

std::vector<BuilderCase> memory_and_layout() {
  return {
      {.name = "slice_with_one_offset",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Indices offset = t.bad ? Indices{0} : Indices{0, 0};
             assemble(y, slice(x, {16, 64}, offset, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: slice of x [16 x 64] f32 with 1 offset
  at {slice}, program demo, scope "s"
  a slice needs one offset per dimension of its source
  help: give 2 offsets
)"},

      {.name = "slice_that_adds_a_dimension",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {1, 16, 64}, F32);
             auto core = p.incore("s");
             const Shape shape = t.bad ? Shape{1, 16, 64} : Shape{16, 64};
             assemble(y, slice(x, shape, {0, 0}, {}, t.at("slice")), {0, 0, 0});
           },
       .message = R"(error: slice of shape [1 x 16 x 64] from x [16 x 64] f32
  at {slice}, program demo, scope "s"
  a slice may drop leading dimensions but not add any
  help: reshape the result
)"},

      {.name = "valid_shape_with_one_number",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Indices valid = t.bad ? Indices{8} : Indices{8, 64};
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = valid}, t.at("slice"));
             assemble(y, fillpad(part, Pad::Zero), {0, 0});
           },
       .message = R"(error: slice of shape [16 x 64] with a valid shape of 1 number
  at {slice}, program demo, scope "s"
  a valid shape has one number per dimension of the result
  help: give 2 numbers
)"},

      {.name = "transposed_load_of_three_dimensions",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {1, 64, 16}, BF16);
             Tensor a = p.input("a", {16, 16}, BF16);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Shape shape = t.bad ? Shape{1, 16, 64} : Shape{16, 64};
             Tile b = load(x, {0, 0, 0}, shape, {.target = MemorySpace::Mat, .transpose = true},
                           t.at("load"));
             assemble(y, matmul(a, reshape(b, {16, 64})), {0, 0});
           },
       .message = R"(error: transposed load of shape [1 x 16 x 64]
  at {load}, program demo, scope "s"
  only 2-D tiles can be loaded transposed
  help: reshape first
)"},

      {.name = "assemble_of_another_type",
       .codes = {"assemble-dtype"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, BF16);
             auto core = p.incore("s");
             Tile e = exp(x).named("e");
             assemble(y, t.bad ? e : cast(e, BF16), {0, 0}, t.at("assemble"));
           },
       .message = R"(error: assemble of e [16 x 64] f32 into y [16 x 64] bf16
  at {assemble}, program demo, scope "s"
  the source and destination of an assemble must have the same element type
  help: cast the source to BF16 first
)"},

      {.name = "assemble_with_one_offset",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, exp(x), t.bad ? Indices{0} : Indices{0, 0}, t.at("assemble"));
           },
       .message = R"(error: assemble of exp(...) [16 x 64] f32 into y [16 x 64] f32 with 1 offset
  at {assemble}, program demo, scope "s"
  an assemble needs one offset per dimension of its destination, and its source has at most as many dimensions
  help: give 2 offsets
)"},

      {.name = "reshape_to_another_size",
       .codes = {"reshape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 128}, F32);
             auto core = p.incore("s");
             assemble(y, reshape(exp(x), {8, t.bad ? 127 : 128}, t.at("reshape")), {0, 0});
           },
       .message =
           R"(error: reshape of exp(...) [16 x 64] f32 (1024 elements) to [8 x 127] (1016 elements)
  at {reshape}, program demo, scope "s"
  a reshape must keep the number of elements
  help: choose a shape of 1024 elements
)"},

      {.name = "concat_of_unequal_rows",
       .codes = {"concat"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, F32);
             Tensor b = p.input("b", {t.bad ? 8 : 16, 64}, F32);
             Tensor y = p.output("y", {16, 128}, F32);
             auto core = p.incore("s");
             assemble(y, concat(a, b, t.at("concat")), {0, 0});
           },
       .message = R"(error: concat of a [16 x 64] f32 and b [8 x 64] f32
  at {concat}, program demo, scope "s"
  concat appends columns of two 2-D tiles with equal rows and element type
  help: cast or reshape one side
)"},

      {.name = "transpose_of_three_dimensions",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", t.bad ? Shape{1, 16, 64} : Shape{16, 64}, F32);
             Tensor y = p.output("y", {64, 16}, F32);
             auto core = p.incore("s");
             Tile turned = transpose(x, t.at("transpose"));
             if (!t.bad) assemble(y, turned, {0, 0});
           },
       .message = R"(error: transpose of x [1 x 16 x 64] f32
  at {transpose}, program demo, scope "s"
  transpose takes a 2-D tile
  help: reshape first
)"},

      {.name = "fillpad_with_nothing",
       .codes = {"pad"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}});
             assemble(y, fillpad(part, t.bad ? Pad::Null : Pad::Min, t.at("fillpad")), {0, 0});
           },
       .message = R"(error: fillpad of slice(...) [16 x 64] f32 with pad mode null
  at {fillpad}, program demo, scope "s"
  fillpad writes zero, max or min outside the valid region
  help: choose zero, max or min
)"},

      {.name = "set_validshape_with_one_number",
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Indices valid = t.bad ? Indices{8} : Indices{8, 64};
             assemble(y, fillpad(set_validshape(exp(x), valid, t.at("valid")), Pad::Max), {0, 0});
           },
       .message = R"(error: set_validshape of exp(...) [16 x 64] f32 with 1 number
  at {valid}, program demo, scope "s"
  a valid shape has one number per dimension
  help: give 2 numbers
)"},
  };
}

}  // namespace

std::vector<BuilderCase> types_cases() {
  std::vector<BuilderCase> all = tensors();
  const std::vector<BuilderCase> more = memory_and_layout();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace error_test
