// A program without a formula is held against itself: meaning, executor, random task orders.
#include "support.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"

namespace session_test {
namespace {

ProgramDef with(std::function<ir::Program(const Config&)> build) {
  ProgramDef def;
  def.name = "orders";
  def.shapes = {"only"};
  def.keys = [](const std::string&, const catalog::Machine&) {
    return std::vector<catalog::Key>();
  };
  def.build = std::move(build);
  return def;
}

// Eight tasks, each of which halves what the task before it left and adds its own row.
ir::Program chain(const Config&) {
  using namespace dsl;  // NOLINT
  Builder p("chain");
  const Tensor x = p.input("x", {8, 64}, DType::F32);
  const Tensor total = p.state("total", {1, 64}, DType::F32);
  for (Index r : p.range(8)) {
    auto core = p.incore("halve");
    const Tile half = mul(slice(total, {1, 64}, {0, 0}), 0.5);
    assemble(total, add(half, slice(x, {1, 64}, {r, 0})), {0, 0});
  }
  return p.finish();
}

// Golden in the order of submission, which then takes the edges away from the graph.
Executor forgets_edges() {
  return {"forgetful",
          [](const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings) {
            golden::run_tasks(plan, graph, bindings, std::nullopt);
            auto& owned = const_cast<ir::TaskGraph&>(graph);  // the session's own, not a constant
            owned.edges = {};
            for (std::size_t t = 0; t < graph.tasks.size(); ++t) owned.edges.begin_task();
            return std::string();
          }};
}

TEST(Orders, AllThatTheEdgesAllowAgree) {
  const RunResult r = run_on_golden(with(chain));
  EXPECT_EQ(r.status, Status::Skipped);
  EXPECT_EQ(r.diagnostics.text(), "");
  EXPECT_EQ(r.phases.back().detail,
            "the program and 3 random task orders give the same bits; as many tasks ran as scopes "
            "were entered");
}

TEST(Orders, MissingEdgesShow) {
  const RunResult r = run(with(chain), on_cpu(), forgets_edges());
  EXPECT_EQ(r.status, Status::Fail);
  EXPECT_TRUE(contains(r.diagnostics.text(), "total differs in task order 1"))
      << r.diagnostics.text();
}

TEST(Orders, AnExecutorThatIsWrongIsToldFirst) {
  const Executor idle{"idle", [](const ir::Plan&, const ir::TaskGraph&, const ir::Bindings&) {
                        return "";
                      }};
  const RunResult r = run(with(chain), on_cpu(), idle);
  EXPECT_TRUE(contains(r.diagnostics.text(), "total differs between the program and its tasks"));
}

// What only data show stops the program and every order; nobody waits for the others for ever.
TEST(Orders, AMistakeThatDataShowEndsAllOfThem) {
  const auto divide = [](const Config&) {
    using namespace dsl;  // NOLINT
    Builder p("divide");
    const Tensor x = p.input("x", {1, 64}, DType::I32);
    const Tensor y = p.output("y", {1, 64}, DType::I32);
    {
      auto core = p.incore("divide");
      const Tile row = slice(x, {1, 64}, {0, 0});
      assemble(y, fmod(row, sub(row, row)), {0, 0});
    }
    return p.finish();
  };
  const Executor idle{"idle", [](const ir::Plan&, const ir::TaskGraph&, const ir::Bindings&) {
                        return "";
                      }};
  EXPECT_TRUE(contains(error_of([&] { run(with(divide), on_cpu(), idle); }),
                       "integer division by zero in fmod"));
}

}  // namespace
}  // namespace session_test
