// Kernels without a body here: what a call of one becomes, how its tasks are ordered, how long they
// take, and that nobody executes them.
#include <fstream>

#include "../temporary_directory.h"
#include "support.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/cli/cli.h"
#include "tilewright/compile/compile.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace frontend_test {
namespace {

// y is made by four blocks of an external kernel, and read by a task of the program.
const std::string kProgram = R"(import pypto.language as pl

@pl.jit.extern(core_type="mixed", aic_source="k.cpp", aiv_source="k.cpp", dual_aiv_dispatch=True)
def attend(
    x: pl.Tensor, y: pl.Out[pl.Tensor], work: pl.InOut[pl.Tensor], n: pl.Scalar[pl.INT32]
) -> pl.Tensor: ...

@pl.jit
def layer(
    x: pl.Tensor[[16, 64], pl.FP32],
    z: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    y = pl.create_tensor([16, 64], dtype=pl.FP32)
    work = pl.create_tensor([8, 64], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="clear"):
        work = pl.assemble(work, pl.full([8, 64], dtype=pl.FP32, value=0.0), [0, 0])
    with pl.spmd(4, name_hint="attention"):
        y = attend(x, y, work, 3)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="double"):
        z = pl.assemble(z, pl.mul(pl.slice(y, [16, 64], [0, 0]), 2.0), [0, 0])
    return z
)";

struct Tasks {
  ir::Plan plan;
  ir::TaskGraph graph;

  explicit Tasks(const std::string& text) {
    const ir::Program program = lower(text).program;
    EXPECT_EQ(program.diagnostics.error_count(), 0U) << program.diagnostics.text();
    Diagnostics d;
    auto compiled = compile::compile(program, platform::builtin_platform("a2a3"), {}, d);
    EXPECT_TRUE(compiled) << d.text();
    plan = std::move(*compiled);
    auto unrolled = compile::unroll(plan, {}, d);
    EXPECT_TRUE(unrolled) << d.text();
    graph = std::move(*unrolled);
  }
  std::vector<std::size_t> preds(std::size_t task) const {
    std::vector<std::size_t> out;
    for (const ir::Edge& e : graph.preds(ir::TaskId(task))) out.push_back(e.from.index());
    return out;
  }
};

TEST(External, IsDeclaredInTheListingWhichIsReadBack) {
  const ir::Program p = lower(kProgram).program;
  const std::string text = ir::print(p);
  EXPECT_NE(text.find("@pl.jit.extern(core_type=\"mixed\")\n"
                      "def attend(\n"
                      "    x: pl.Tensor,\n"
                      "    y: pl.Out[pl.Tensor],\n"
                      "    work: pl.InOut[pl.Tensor],\n"
                      "    n: pl.Scalar[pl.INDEX],\n"
                      "): ...\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("            attend(x, y, work, 3)\n"), std::string::npos) << text;
  const ir::Program again = lower(text).program;
  EXPECT_EQ(again.diagnostics.text(), "");
  EXPECT_EQ(ir::print(again), text);
}

TEST(External, BlocksShareTheWorkAndWhoFollowsWaitsForAllOfThem) {
  const Tasks t(kProgram);
  ASSERT_EQ(t.graph.tasks.size(), 6U);
  EXPECT_EQ(t.preds(0), (std::vector<std::size_t>{}));
  for (std::size_t block = 1; block <= 4; ++block)
    EXPECT_EQ(t.preds(block), (std::vector<std::size_t>{0})) << block;
  EXPECT_EQ(t.preds(5), (std::vector<std::size_t>{1, 2, 3, 4}));
  const ir::Kernel& k = t.plan.kernel(t.graph.tasks[1].kernel);
  EXPECT_EQ(ir::kernel_text(t.plan, t.graph.tasks[1].kernel),
            "kernel 1 attention [mixed, external](In x, Out y, InOut work)");
  EXPECT_TRUE(k.lowered.instructions.empty());
}

TEST(External, ACallOutsideAScopeIsATask) {
  const Tasks t(R"(import pypto.language as pl

@pl.jit.extern(core_type="aic", source="k.cpp")
def both(x: pl.Tensor, a: pl.Out[pl.Tensor], b: pl.Out[pl.Tensor]) -> tuple[pl.Tensor, pl.Tensor]: ...

@pl.jit
def layer(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    z: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    first, z = both(x, y, z)
    second, task = pl.submit(both, first, y, z)[1:]
    return y, z
)");
  ASSERT_EQ(t.graph.tasks.size(), 2U);
  EXPECT_EQ(t.preds(1), (std::vector<std::size_t>{0}));
  EXPECT_EQ(ir::kernel_text(t.plan, ir::KernelId(0)), "kernel 0 both [cube, external](In x, Out y, Out z)");
}

TEST(External, IsNotExecuted) {
  const ir::Program p = lower(kProgram).program;
  HostArray x(DType::F32, {16, 64}), z(DType::F32, {16, 64});
  ir::Bindings b;
  b.arrays = {&x, &z};
  b.scalars.resize(2);
  EXPECT_THROW(golden::run_program(p, b), UserError);
}

TEST(External, SaysOnWhichCoreItRuns) {
  std::string text = kProgram;
  text.replace(text.find("\"mixed\""), 7, "\"cube\"");
  EXPECT_NE(complaint(text).find("error: external kernel attend has core_type \"cube\""),
            std::string::npos);
}

// ---- commands ----------------------------------------------------------------------------------

struct Told {
  int code;
  std::string out, err;
};

Told tell(std::vector<std::string> words) {
  std::ostringstream out, err;
  const int code = cli::run_cli(words, cli::builtin_catalog(), out, err, {});
  return {code, out.str(), err.str()};
}

class ExternalCommands : public testing::Test {
 protected:
  ExternalCommands() { std::ofstream(file_) << kProgram; }
  const TemporaryDirectory dir_;
  const std::string file_ = dir_ / "layer.py";
};

TEST_F(ExternalCommands, CheckSaysWhatItDoesNotSee) {
  const Told t = tell({"check", file_, "-p", "a2a3sim"});
  EXPECT_EQ(t.code, 0) << t.err;
  EXPECT_NE(t.out.find("note: the body of an external kernel is not checked: attend"),
            std::string::npos)
      << t.out;
}

TEST_F(ExternalCommands, RunHasNothingToExecute) {
  const Told t = tell({"run", file_});
  EXPECT_EQ(t.code, 2);
  EXPECT_EQ(t.err.find("error: layer calls 1 external kernel: attend\n"), 0U) << t.err;
}

TEST_F(ExternalCommands, SimTakesTheTimeThatIsGiven) {
  const Told none = tell({"sim", file_});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_NE(none.out.find("note: external kernel attend is predicted to take no time"),
            std::string::npos)
      << none.out;
  const Told given = tell({"sim", file_, "--extern", "attend=35.5"});
  EXPECT_EQ(given.code, 0) << given.err;
  EXPECT_NE(given.out.find("attention  mixed       4    35.50"), std::string::npos) << given.out;
  EXPECT_EQ(given.out.find("note:"), std::string::npos) << given.out;
}

TEST_F(ExternalCommands, SimKnowsTheNames) {
  const Told t = tell({"sim", file_, "--extern", "attnd=35"});
  EXPECT_EQ(t.code, 2);
  EXPECT_EQ(t.err.find("error: layer calls no external kernel attnd; did you mean 'attend'?\n"), 0U)
      << t.err;
}

}  // namespace
}  // namespace frontend_test
