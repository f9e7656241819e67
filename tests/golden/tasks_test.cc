// Golden: the tasks of a hand-made plan, in submission order and in random orders.
#include <algorithm>
#include <bit>
#include <set>

#include "support.h"
#include "tilewright/ir/plan.h"

namespace golden_test {
namespace {

using ir::BufferId;
using ir::Expr;
using ir::KernelId;
using ir::OpKind;
using ir::TaskId;
using ir::TensorRef;
using ir::VarId;

// y[2b : 2b + 2] = x[2b : 2b + 2] * gain + shift for two blocks b, in three kernels:
// `scale` fills a temporary per block, `place` stores it through a view of y, and `finish` adds the
// float parameter to all of y.
struct Plan {
  ir::Plan plan;
  ir::TaskGraph graph;
  VarId x, y, shift, part, window, tile, result, b, gain;

  Plan() {
    plan.program.name = "hand_made";
    x = param("x", {4, 3}, ir::Direction::In);
    y = param("y", {4, 3}, ir::Direction::Out);
    shift = scalar("shift", F32);
    plan.program.params.push_back({shift, ir::Direction::In, ir::Role::Activation});
    part = variable("part", {2, 3});
    window = variable("window", {2, 3});
    tile = variable("tile", {2, 3});
    result = variable("result", {2, 3});
    b = scalar("b", DType::Index);
    gain = scalar("gain", F32);
    make_kernels();
    make_graph();
  }

  VarId variable(const char* name, const Shape& shape) {
    ir::Var v;
    v.name = name;
    v.shape = shape;
    return plan.program.add_var(v);
  }
  VarId param(const char* name, const Shape& shape, ir::Direction d) {
    const VarId v = variable(name, shape);
    plan.program.params.push_back({v, d, ir::Role::Activation});
    return v;
  }
  VarId scalar(const char* name, DType t) {
    ir::Var v;
    v.name = name;
    v.scalar = true;
    v.dtype = t;
    return plan.program.add_var(v);
  }

  static ir::Stmt op(OpKind kind, VarId dst, std::vector<VarId> args, std::vector<Expr> offset,
                     VarId scalar = {}) {
    ir::Op o;
    o.kind = kind;
    o.dst = dst;
    o.args = std::move(args);
    o.offset = std::move(offset);
    if (scalar.valid())
      o.scalar = ir::ScalarOperand{ir::ScalarOperand::Kind::Variable, 0, false, scalar, {}};
    return {o};
  }

  void make_kernels() {
    ir::Kernel scale;
    scale.name = "scale";
    scale.args = {{x, ir::Direction::In, false}, {part, ir::Direction::Out, false}};
    scale.scalars = {b, gain};
    scale.body = {op(OpKind::Load, tile, {x}, {Expr::var(b) * 2, 0}),
                  op(OpKind::Mul, result, {tile}, {}, gain),
                  op(OpKind::Store, part, {result}, {0, 0})};
    ir::Kernel place;
    place.name = "place";
    place.args = {{part, ir::Direction::In, false}, {window, ir::Direction::Out, false}};
    place.body = {op(OpKind::Load, tile, {part}, {0, 0}),
                  op(OpKind::Store, window, {tile}, {0, 0})};
    ir::Kernel finish;
    finish.name = "finish";
    finish.args = {{window, ir::Direction::InOut, false}};
    finish.scalars = {shift};
    finish.body = {op(OpKind::Load, tile, {window}, {0, 0}),
                   op(OpKind::Add, result, {tile}, {}, shift), op(OpKind::Move, tile, {result}, {}),
                   op(OpKind::Store, window, {tile}, {0, 0})};
    plan.kernels = {scale, place, finish};
  }

  uint32_t add_task(std::size_t kernel, std::vector<TensorRef> args, std::vector<int64_t> scalars,
                    std::vector<uint32_t> preds) {
    ir::Task t;
    t.kernel = KernelId(kernel);
    t.args_begin = static_cast<uint32_t>(graph.args.size());
    t.scalars_begin = static_cast<uint32_t>(graph.scalars.size());
    for (const TensorRef& ref : args) {
      graph.args.push_back(static_cast<uint32_t>(graph.views.size()));
      graph.views.push_back(ref);
    }
    graph.scalars.insert(scalars.begin(), scalars.end());
    graph.tasks.push_back(t);
    graph.edges.begin_task();
    for (uint32_t p : preds) graph.edges.add({TaskId(p), ir::EdgeKind::ReadAfterWrite, BufferId()});
    return static_cast<uint32_t>(graph.tasks.size() - 1);
  }

  void make_graph() {
    graph.buffers = {{x, {4, 3}, F32, 0}, {y, {4, 3}, F32, 1}};
    const TensorRef whole_x = TensorRef::whole(BufferId(0), {4, 3});
    const TensorRef whole_y = TensorRef::whole(BufferId(1), {4, 3});
    for (int64_t block = 0; block < 2; ++block) {
      const BufferId temporary(graph.buffers.size());
      graph.buffers.push_back({part, {2, 3}, F32, -1});
      const TensorRef in_part = TensorRef::whole(temporary, {2, 3});
      const int64_t offset[] = {2 * block, 0};
      const TensorRef in_y = whole_y.window(offset, {2, 3});
      const uint32_t scaled =
          add_task(0, {whole_x, in_part}, {block, std::bit_cast<int64_t>(10.0)}, {});
      const uint32_t placed = add_task(1, {in_part, in_y}, {}, {scaled});
      add_task(2, {in_y}, {0}, {placed, placed});  // two edges for one pair are allowed
    }
  }
};

HostArray run_tasks(const Plan& p, std::optional<uint64_t> seed) {
  HostArray x = counting(F32, {4, 3}), y(F32, {4, 3});
  golden::run_tasks(p.plan, p.graph, {{&x, &y, nullptr}, {0, 0, 0.5}}, seed);
  return y;
}

const std::vector<double> kWant{.5,   10.5, 20.5, 30.5, 40.5,  50.5,
                                60.5, 70.5, 80.5, 90.5, 100.5, 110.5};

TEST(GoldenTasks, SubmissionOrder) { expect_values(run_tasks(Plan(), std::nullopt), kWant); }

TEST(GoldenTasks, EveryOrderTheEdgesAllowGivesTheSameBits) {
  const Plan p;
  const HostArray want = run_tasks(p, std::nullopt);
  for (uint64_t seed = 0; seed < 50; ++seed) EXPECT_TRUE(want.same_bits(run_tasks(p, seed)));
}

TEST(GoldenTasks, OrdersDifferAndMissingEdgesShow) {
  Plan p;
  p.graph.edges = {};
  for (std::size_t t = 0; t < p.graph.tasks.size(); ++t) p.graph.edges.begin_task();
  int wrong = 0;
  std::set<std::vector<bool>> outcomes;  // which elements are defined
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const HostArray y = run_tasks(p, seed);
    std::vector<bool> defined;
    for (int64_t k = 0; k < y.size(); ++k) defined.push_back(!std::isnan(y.at(k)));
    outcomes.insert(defined);
    for (int64_t k = 0; k < y.size(); ++k)
      if (y.at(k) != kWant[static_cast<std::size_t>(k)]) {
        ++wrong;
        break;
      }
  }
  EXPECT_GT(wrong, 25);            // few orders of six tasks are right
  EXPECT_EQ(outcomes.size(), 4u);  // each block is whole or lost
}

TEST(GoldenTasks, OutParametersStartAsPoison) {
  Plan p;
  p.graph.tasks.truncate(3);  // only the first block
  const HostArray y = run_tasks(p, std::nullopt);
  EXPECT_EQ(y.at(5), 50.5);
  for (int64_t k = 6; k < 12; ++k) expect_undefined(y, k);
}

TEST(GoldenTasks, TemporariesStartAsPoison) {
  Plan p;
  auto& body = p.plan.kernels[0].body;
  body.front().as<ir::Op>()->valid = {Expr(1), Expr(3)};  // only one row is loaded and stored
  const HostArray y = run_tasks(p, std::nullopt);
  EXPECT_EQ(y.at(2), 20.5);
  expect_undefined(y, 3);
  EXPECT_EQ(y.at(6), 60.5);
}

TEST(GoldenTasks, KernelsMayReadScalarsFromTheirArguments) {
  Plan p;
  ir::Read read{p.gain, p.x, {Expr(0), Expr(2)}, {}};
  auto& body = p.plan.kernels[0].body;
  body.insert(body.begin(), {read});
  expect_values(run_tasks(p, std::nullopt),
                {.5, 2.5, 4.5, 6.5, 8.5, 10.5, 12.5, 14.5, 16.5, 18.5, 20.5, 22.5});
}

TEST(GoldenTasks, AnArgumentThatWasNeverMadeIsPoison) {
  Plan p;
  for (TensorRef& ref : p.graph.views)
    if (ref.buffer == BufferId(2)) ref = TensorRef();
  const HostArray y = run_tasks(p, std::nullopt);
  expect_undefined(y, 0);
  EXPECT_EQ(y.at(6), 60.5);
}

TEST(GoldenTasks, MistakesNameTheKernel) {
  Plan p;
  p.graph.scalars[0] = 2;  // block 2 of x does not exist
  expect_error("bounds", {"load reaches outside x", "scope \"scale\""},
               [&] { run_tasks(p, std::nullopt); });
}

TEST(GoldenTasks, ScalarsOfOneTaskAreUnknownToTheNext) {
  Plan p;
  p.plan.kernels[2].scalars.clear();
  p.plan.kernels[2].body[1].as<ir::Op>()->scalar->variable = p.gain;  // only `scale` is given it
  expect_error("undefined-scalar", {"gain"}, [&] { run_tasks(p, std::nullopt); });
}

}  // namespace
}  // namespace golden_test
