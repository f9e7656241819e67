// Every type rule of the operations: shapes, element types, ranks, literals.
#include "case.h"

namespace error_test {
namespace {

constexpr int64_t kHuge = int64_t{1} << 31;  // squared, it does not fit

std::vector<Case> tensors() {
  return {
      {.name = "zero_sized_parameter",
       .step = Step::Build,
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
  every dimension of a tensor is at least 1
  help: check the numbers the shape is made of
)"},

      {.name = "overflowing_parameter",
       .step = Step::Build,
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
  help: check the numbers the shape is made of
)"},

      {.name = "overflowing_broadcast",
       .step = Step::Build,
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
  help: check the numbers the shape is made of
)"},

      {.name = "zero_sized_tile",
       .step = Step::Build,
       .codes = {"shape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, p.full({16, t.bad ? 0 : 64}, F32, 0.0, t.at("full")), {0, 0});
           },
       .message = R"(error: full of shape [16 x 0]
  at {full}, program demo, scope "s"
  every dimension of a tensor is at least 1
  help: check the numbers the shape is made of
)"},

      {.name = "seven_dimensions",
       .step = Step::Build,
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             const Shape shape = t.bad ? Shape{1, 1, 1, 1, 1, 16, 64} : Shape{1, 1, 1, 1, 16, 64};
             Tensor x = p.input("x", shape, F32, t.at("x"));
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, slice(x, {16, 64}, Indices(x.shape().size(), 0)), {0, 0});
           },
       .message = R"(error: parameter x of shape [1 x 1 x 1 x 1 x 1 x 16 x 64], which has 7 dimensions
  at {x}, program demo
  a tensor has at most 6 dimensions
  help: merge neighbouring dimensions
)"},

      {.name = "type_without_storage",
       .step = Step::Build,
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
  4-bit and 8-bit float types are named by the language but no executor stores them
  help: use BF16, FP16, FP32 or an integer type of 8 bits or more
)"},

      {.name = "literal_above_the_type",
       .step = Step::Build,
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
  help: use a wider type or a value in range
)"},

      {.name = "negative_literal_in_an_unsigned_tile",
       .step = Step::Build,
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
  help: use a wider type or a value in range
)"},

      {.name = "fraction_in_an_integer_tile",
       .step = Step::Build,
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

      {.name = "literal_above_bf16",
       .step = Step::Build,
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
  help: use a wider type or a value in range
)"},

      {.name = "assign_of_another_type",
       .step = Step::Build,
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
       .message = R"(error: assign of exp [16 x 64] f32 to y [16 x 64] bf16
  at {assign}, program demo, scope "s"
  a buffer keeps its element type and shape for life
  help: cast or reshape the value
)"},

      {.name = "read_with_too_few_indices",
       .step = Step::Build,
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
       .step = Step::Build,
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

std::vector<Case> memory_and_layout() {
  return {
      {.name = "slice_with_one_offset",
       .step = Step::Build,
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
  a slice has one offset per dimension of its source
  help: give 2 offsets
)"},

      {.name = "slice_that_adds_a_dimension",
       .step = Step::Build,
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
       .step = Step::Build,
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
       .step = Step::Build,
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
       .step = Step::Build,
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
  source and destination of an assemble have the same element type
  help: cast the source to BF16 first
)"},

      {.name = "assemble_with_one_offset",
       .step = Step::Build,
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, exp(x), t.bad ? Indices{0} : Indices{0, 0}, t.at("assemble"));
           },
       .message = R"(error: assemble of exp [16 x 64] f32 into y [16 x 64] f32 with 1 offset
  at {assemble}, program demo, scope "s"
  an assemble has one offset per dimension of its destination, and a source of at most that rank
  help: give 2 offsets
)"},

      {.name = "reshape_to_another_size",
       .step = Step::Build,
       .codes = {"reshape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 128}, F32);
             auto core = p.incore("s");
             assemble(y, reshape(exp(x), {8, t.bad ? 127 : 128}, t.at("reshape")), {0, 0});
           },
       .message = R"(error: reshape of exp [16 x 64] f32 (1024 elements) to [8 x 127] (1016 elements)
  at {reshape}, program demo, scope "s"
  a reshape keeps the number of elements
  help: choose a shape of 1024 elements
)"},

      {.name = "concat_of_unequal_rows",
       .step = Step::Build,
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
       .step = Step::Build,
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
       .step = Step::Build,
       .codes = {"pad"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile part = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, 64}});
             assemble(y, fillpad(part, t.bad ? Pad::Null : Pad::Min, t.at("fillpad")), {0, 0});
           },
       .message = R"(error: fillpad of slice [16 x 64] f32 with pad mode null
  at {fillpad}, program demo, scope "s"
  fillpad writes zero, max or min outside the valid region
  help: choose zero, max or min
)"},

      {.name = "set_validshape_with_one_number",
       .step = Step::Build,
       .codes = {"rank"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Indices valid = t.bad ? Indices{8} : Indices{8, 64};
             assemble(y, fillpad(set_validshape(exp(x), valid, t.at("valid")), Pad::Max), {0, 0});
           },
       .message = R"(error: set_validshape of exp [16 x 64] f32 with 1 number
  at {valid}, program demo, scope "s"
  a valid shape has one number per dimension
  help: give 2 numbers
)"},
  };
}

std::vector<Case> products() {
  return {
      {.name = "matmul_of_a_vector",
       .step = Step::Build,
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
       .step = Step::Build,
       .codes = {"matmul-dtype"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, t.bad ? F32 : BF16);
             Tensor w = p.weight("w", {64, 128}, BF16);
             Tensor y = p.output("y", {16, 128}, F32);
             auto core = p.incore("s");
             assemble(y, matmul(x, w, {}, t.at("matmul")), {0, 0});
           },
       .message = R"(error: matmul of x [16 x 64] f32 and w [64 x 128] bf16
  at {matmul}, program demo, scope "s"
  both operands of a matmul have the same element type
  help: cast one side to FP32
)"},

      {.name = "matmul_of_booleans",
       .step = Step::Build,
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
       .step = Step::Build,
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
       .message = R"(error: matmul of q [16 x 128] bf16 and k [64 x 128] bf16: K is 128 on the left and 64 on the right
  at {matmul}, program demo, scope "s"
  the inner dimensions of a matmul agree
  help: set or drop b_trans: a right operand stored [N, K] needs b_trans
)"},

      {.name = "matmul_with_unequal_k",
       .step = Step::Build,
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
       .message = R"(error: matmul of a [16 x 96] bf16 and b [128 x 64] bf16: K is 96 on the left and 128 on the right
  at {matmul}, program demo, scope "s"
  the inner dimensions of a matmul agree
  help: slice both operands by the same K tile
)"},

      {.name = "matmul_with_an_integer_result",
       .step = Step::Build,
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
  help: drop out_dtype, or use FP32
)"},

      {.name = "batched_matmul_of_unequal_batches",
       .step = Step::Build,
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
       .step = Step::Build,
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
       .step = Step::Build,
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
       .message = R"(error: matmul_acc of x [16 x 64] bf16 and b [64 x 128] bf16 into acc [16 x 64] f32
  at {acc}, program demo, scope "s"
  the accumulator has the shape [M, N] of the product, all 2-D
  help: declare the accumulator as [16 x 128]
)"},

      {.name = "bias_of_many_rows",
       .step = Step::Build,
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
  the bias is one row of the accumulator's type
  help: give a [1 x 128] tile
)"},

      {.name = "gemv_of_many_rows",
       .step = Step::Build,
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

std::vector<Case> elementwise_and_reduce() {
  return {
      {.name = "add_of_unequal_columns",
       .step = Step::Build,
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
       .step = Step::Build,
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
  exp works on float tiles
  help: cast to FP32 first
)"},

      {.name = "row_expand_by_a_row",
       .step = Step::Build,
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
  a row_expand takes one number per row: a vector of shape [M, 1] beside [M, N]
  help: give a vector of shape [16 x 1]
)"},

      {.name = "row_expand_of_another_batch",
       .step = Step::Build,
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
  a row_expand takes one number per row: a vector of shape [M, 1] beside [M, N]
  help: give a vector of shape [2 x 16 x 1]
)"},

      {.name = "col_expand_by_a_column",
       .step = Step::Build,
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
  a col_expand takes one number per column: a vector of shape [1, N] beside [M, N]
  help: give a vector of shape [1 x 64]
)"},

      {.name = "row_sum_of_a_vector",
       .step = Step::Build,
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
  a reduction works on rows and columns
  help: reshape to [1, N]
)"},
  };
}

std::vector<Case> sorting() {
  return {
      {.name = "arange_of_floats",
       .step = Step::Build,
       .codes = {"arange"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {1, 64}, t.bad ? F32 : I32);
             auto core = p.incore("s");
             assemble(y, p.arange(0, {1, 64}, t.bad ? F32 : I32, t.at("arange")), {0, 0});
           },
       .message = R"(error: arange of [1 x 64] f32
  at {arange}, program demo, scope "s"
  arange makes one row of integers
  help: use a shape [1, N] and an integer type
)"},

      {.name = "sort_of_half_a_run",
       .step = Step::Build,
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
       .message = R"(error: sort32 of x [1 x 48] f32 with arange [1 x 48] i32
  at {sort}, program demo, scope "s"
  sort32 takes FP32 values and 32-bit indices of one shape, in runs of 32 columns
  help: pad the row to a multiple of 32 with fillpad
)"},

      {.name = "merge_of_odd_blocks",
       .step = Step::Build,
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
       .step = Step::Build,
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
       .step = Step::Build,
       .codes = {"gather"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor pairs = p.input("pairs", {1, 64}, F32);
             Tensor y = p.output("y", {1, 32}, I32);
             auto core = p.incore("s");
             Tile index = gather_mask(pairs, ir::MaskPattern::P1010, t.bad ? I8 : I32, t.at("gather"));
             if (!t.bad) assemble(y, index, {0, 0});
           },
       .message = R"(error: gather by mask of pairs [1 x 64] f32 as INT8
  at {gather}, program demo, scope "s"
  a mask gather takes every second lane of an even row and keeps the lane width
  help: choose an output type of the same width
)"},

      {.name = "gather_by_floats",
       .step = Step::Build,
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
  gather takes, for each row, the columns named by integer indices
  help: use 2-D tiles with equal rows, and an integer index
)"},
  };
}

}  // namespace

std::vector<Case> types_cases() {
  std::vector<Case> all = tensors();
  for (auto& group : {memory_and_layout(), products(), elementwise_and_reduce(), sorting()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Types, ErrorCase, testing::ValuesIn(types_cases()), case_name);

}  // namespace error_test
