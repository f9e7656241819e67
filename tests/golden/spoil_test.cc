// The rules of ir/spoil.h against what happens to a NaN: golden computes with it, and it arrives in
// the elements that the rule names, and in no others.
#include <set>

#include "support.h"
#include "tilewright/base/rng.h"
#include "tilewright/ir/spoil.h"
#include "tilewright/ir/valid_extent.h"
#include "tilewright/ir/walk.h"

namespace golden_test {
namespace {

using ir::OpKind;
using ir::Rect;

struct Spoils {
  std::string name;
  OpKind kind;
  std::vector<Shape> inputs;
  Body body;
  // Sorting may put an undefined element anywhere in its row: the rule names more than one run
  // shows.
  bool exact = true;
};

std::vector<Spoils> all() {
  using Args = const std::vector<Tensor>&;
  std::vector<Spoils> out;
  const auto add_case = [&](std::string name, OpKind kind, std::vector<Shape> inputs,
                            std::function<Tensor(Args)> body, bool exact = true) {
    out.push_back({std::move(name), kind, std::move(inputs),
                   [body = std::move(body)](Builder&, Args a) { return body(a); }, exact});
  };
  const Shape m{6, 10};
  add_case("exp", OpKind::Exp, {m}, [](Args a) { return exp(a[0]); });
  add_case("times zero", OpKind::Mul, {m}, [](Args a) { return mul(a[0], 0.0); });
  add_case("cast", OpKind::Cast, {m}, [](Args a) { return cast(a[0], BF16); });
  add_case("add", OpKind::Add, {m, m}, [](Args a) { return add(a[0], a[1]); });
  add_case("a row", OpKind::Add, {m, {1, 10}}, [](Args a) { return add(a[0], a[1]); });
  add_case("a column", OpKind::Sub, {m, {6, 1}}, [](Args a) { return sub(a[0], a[1]); });
  add_case(
      "matrices and one", OpKind::Mul, {{2, 3, 4}, {1, 3, 4}},
      [](Args a) { return mul(a[0], a[1]); }, false);
  add_case("maximum", OpKind::Maximum, {m, m}, [](Args a) { return maximum(a[0], a[1]); });
  add_case("row_expand", OpKind::RowExpandMul, {m, {6, 1}},
           [](Args a) { return row_expand_mul(a[0], a[1]); });
  add_case("col_expand", OpKind::ColExpandMul, {m, {1, 10}},
           [](Args a) { return col_expand_mul(a[0], a[1]); });
  add_case("row_sum", OpKind::RowSum, {m}, [](Args a) { return row_sum(a[0]); });
  add_case("row_max", OpKind::RowMax, {m}, [](Args a) { return row_max(a[0]); });
  add_case("col_sum", OpKind::ColSum, {m}, [](Args a) { return col_sum(a[0]); });
  add_case("transpose", OpKind::Transpose, {m}, [](Args a) { return transpose(a[0]); });
  add_case("reshape", OpKind::Reshape, {m}, [](Args a) { return reshape(a[0], {4, 15}); });
  add_case("concat", OpKind::Concat, {m, {6, 7}}, [](Args a) { return concat(a[0], a[1]); });
  add_case("fillpad", OpKind::FillPad, {m}, [](Args a) { return fillpad(a[0], ir::Pad::Zero); });
  for (const bool at : {false, true})
    for (const bool bt : {false, true})
      add_case(fmt::format("matmul {} {}", at, bt), OpKind::Matmul,
               {at ? Shape{5, 6} : Shape{6, 5}, bt ? Shape{7, 5} : Shape{5, 7}},
               [=](Args a) { return matmul(a[0], a[1], {.a_trans = at, .b_trans = bt}); });
  add_case("matmul_bias", OpKind::MatmulBias, {{6, 5}, {5, 7}, {1, 7}},
           [](Args a) { return matmul_bias(a[0], a[1], a[2]); });
  add_case(
      "mrgsort", OpKind::MergeSort, {{3, 64}, {3, 64}}, [](Args a) { return mrgsort(a[0], a[1]); },
      false);
  add_case(
      "gather_mask", OpKind::GatherMask, {{4, 12}},
      [](Args a) { return gather_mask(a[0], ir::MaskPattern::P1010, F32); }, false);
  return out;
}

Rect random_rect(Rng& rng, const ir::RowsCols& size) {
  Rect r;
  r.rows = rng.integer(1, size.rows + 1);
  r.cols = rng.integer(1, size.cols + 1);
  r.row = rng.integer(0, size.rows - r.rows + 1);
  r.col = rng.integer(0, size.cols - r.cols + 1);
  return r;
}

void expect_spoiled(const Spoils& c, std::size_t arg, Rng& rng) {
  Builder p("spoil");
  std::vector<Tensor> params;
  for (std::size_t k = 0; k < c.inputs.size(); ++k)
    params.push_back(p.input(fmt::format("x{}", k), c.inputs[k], F32));
  {
    auto core = p.incore("body");
    const Tensor result = c.body(p, params);
    const Tensor y = p.output("y", result.shape(), result.dtype());
    assemble(y, result, Indices(result.shape().size(), 0));
  }
  const ir::Program program = p.finish();
  const ir::Op* op = nullptr;
  ir::for_each_op(program.body, [&](const ir::Op& o) { op = o.kind == c.kind ? &o : op; });
  ASSERT_TRUE(op);
  std::vector<HostArray> arrays;
  for (const ir::Param& param : program.params)
    arrays.push_back(counting(program[param.var].dtype, program[param.var].shape, 0.5));
  const Rect hole = random_rect(rng, ir::rows_cols(c.inputs[arg]));
  const int64_t cols = c.inputs[arg].back();
  for (int64_t row = hole.row; row < hole.row_end(); ++row)
    for (int64_t col = hole.col; col < hole.col_end(); ++col)
      arrays[arg].set(row * cols + col, kUndefined);
  std::vector<HostArray*> bound;
  for (HostArray& a : arrays) bound.push_back(&a);
  run(program, bound);

  std::set<int64_t> spoiled, undefined;
  const int64_t width = arrays.back().shape().back();
  ir::for_each_spoiled(*op, arg, hole, program, [&](const Rect& r) {
    for (int64_t row = r.row; row < r.row_end(); ++row)
      for (int64_t col = r.col; col < r.col_end(); ++col) spoiled.insert(row * width + col);
  });
  for (int64_t k = 0; k < arrays.back().size(); ++k)
    if (std::isnan(arrays.back().at(k))) undefined.insert(k);
  if (c.exact)
    EXPECT_EQ(undefined, spoiled) << hole.text();
  else
    EXPECT_TRUE(std::ranges::includes(spoiled, undefined)) << hole.text();
}

TEST(Spoil, RulesAreWhatANanDoes) {
  Rng rng(3);
  for (const Spoils& c : all())
    for (std::size_t arg = 0; arg < c.inputs.size(); ++arg)
      for (int round = 0; round < 5; ++round) {
        SCOPED_TRACE(fmt::format("{}, operand {}", c.name, arg));
        expect_spoiled(c, arg, rng);
      }
}

}  // namespace
}  // namespace golden_test
