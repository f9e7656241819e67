// A run: phases, outputs and their comparison, and what is wrong with a program.
#include "support.h"

namespace session_test {
namespace {

TEST(Run, OutAndInOutParametersAreOutputs) {
  const RunResult r = run_on_golden(small());
  EXPECT_EQ(r.diagnostics.text(), "");
  ASSERT_EQ(r.outputs.size(), 2u);
  EXPECT_EQ(r.outputs[0].name, "total");
  EXPECT_EQ(r.outputs[1].name, "y");
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.tasks, 8);
  EXPECT_EQ(r.shape, "narrow");
  EXPECT_EQ(r.outputs[1].comparison.matched, 8 * 64);
}

TEST(Run, PhasesAreToldAsTheyHappen) {
  std::vector<std::string> begun, ended;
  Observer o;
  o.begin = [&](const std::string& s) { begun.push_back(s); };
  o.end = [&](const Phase& p) { ended.push_back(p.name); };
  const RunResult r = run(small(), on_cpu(), golden_executor(), {}, o);
  EXPECT_EQ(begun, (std::vector<std::string>{"build", "compile", "generate inputs", "unroll",
                                             "compute formula", "run on golden", "compare"}));
  EXPECT_EQ(begun, ended);
  EXPECT_EQ(r.phases.size(), ended.size());
}

TEST(Run, AWrongResultFailsAndAPoisonedOneToo) {
  Executor wrong{"wrong", [](const ir::Plan&, const ir::TaskGraph&, const ir::Bindings& b) {
                   b.arrays[4]->set(3, 1e3);  // the rest of y stays poison
                   return std::string();
                 }};
  const RunResult r = run(small(), on_cpu(), wrong);
  EXPECT_EQ(r.status, Status::Fail);
  EXPECT_EQ(r.outputs[0].status, Status::Fail);  // total was not updated
  EXPECT_EQ(r.outputs[1].comparison.actual_nan, 8 * 64 - 1);
  EXPECT_EQ(r.outputs[1].comparison.matched, 0);
}

TEST(Run, WithoutAFormulaItIsSkippedNotPassed) {
  ProgramDef def = small();
  def.formula = nullptr;
  const RunResult r = run_on_golden(def);
  EXPECT_EQ(r.status, Status::Skipped);
  EXPECT_FALSE(r.passed());
  EXPECT_EQ(r.outputs[0].status, Status::Skipped);
  EXPECT_EQ(r.outputs[0].comparison.matched, 0);
  EXPECT_EQ(r.phases.back().detail,
            "the program and 3 random task orders give the same bits; as many tasks ran as scopes "
            "were entered");
}

// y counts the ulps of exp(x): an executor with another exp than golden's has other whole numbers.
ProgramDef counts_ulps() {
  ProgramDef def;
  def.name = "ulps";
  def.shapes = {"only"};
  def.keys = [](const std::string&, const catalog::Machine&) {
    return std::vector<catalog::Key>();
  };
  def.build = [](const Config&) {
    using namespace dsl;  // NOLINT
    Builder p("ulps");
    const Tensor x = p.input("x", {16, 64}, DType::F32);
    const Tensor y = p.output("y", {16, 64}, DType::I32);
    {
      auto core = p.incore("count");
      assemble(y, cast(mul(exp(slice(x, {16, 64}, {0, 0})), 0x1p24), DType::I32), {0, 0});
    }
    return p.finish();
  };
  return def;
}

TEST(Run, CpuIsComparedWithItsOwnExp) {
  Executor cpu = cpu_executor({.threads = 1}, cpu::InstructionSet::exact());
  const RunResult r = run(counts_ulps(), on_cpu(), cpu);
  EXPECT_EQ(r.diagnostics.text(), "");
  EXPECT_EQ(r.status, Status::Skipped);
  cpu.exp = golden::rounded_exp;
  const RunResult other = run(counts_ulps(), on_cpu(), cpu);
  EXPECT_EQ(other.status, Status::Fail);
  EXPECT_TRUE(contains(other.diagnostics.text(), "y differs between the program and its tasks"));
}

TEST(Run, AFormulaThatForgetsAnOutputFails) {
  ProgramDef def = small();
  def.formula = [](const Config& c, Arrays& io) {
    small_formula(c, io);
    io["y"].fill_poison();
  };
  const RunResult r = run_on_golden(def);
  EXPECT_EQ(r.status, Status::Fail);
  EXPECT_EQ(r.outputs[1].comparison.expected_nan, 8 * 64);
}

TEST(Run, SeedsAndOrders) {
  Request seven = on_cpu();
  seven.seed = 7;
  EXPECT_TRUE(run(small(), seven, golden_executor(3)).passed());
  EXPECT_EQ(run_on_golden(small(), seven).seed, 7u);
}

TEST(Run, ErrorsInTheProgramComeBackAsDiagnostics) {
  ProgramDef def = small();
  def.inputs = [](const Config&) {
    return std::map<std::string, catalog::Init>{{"limit", catalog::constant(9)}};
  };
  const RunResult r = run_on_golden(def);
  EXPECT_EQ(r.status, Status::Fail);
  EXPECT_TRUE(r.diagnostics.has_errors());
  EXPECT_TRUE(r.outputs.empty());
}

TEST(Run, DefinitionsThatNameWhatIsNotThere) {
  ProgramDef def = small();
  def.tolerances = {{"Y", {}}};
  EXPECT_TRUE(contains(errors_of(def),
                       "a tolerance for \"Y\", which is not an output of the program; did you "
                       "mean 'y'?"));
  def = small();
  def.inputs = [](const Config&) {
    return std::map<std::string, catalog::Init>{{"y", catalog::constant(1)}};
  };
  EXPECT_TRUE(contains(errors_of(def), "initial values for \"y\", which is not an input"));
}

TEST(Run, WhatADefinitionPromisesIsHeld) {
  ProgramDef def = small();
  def.added_to = {{"y", "x"}};
  const RunResult r = run_on_golden(def);
  EXPECT_EQ(r.outputs[1].added_to, "x");
  EXPECT_LT(r.outputs[1].added_relative_l2, 1e-6);
  def.added_to = {{"y", "bias"}};
  EXPECT_TRUE(contains(errors_of(def), "output y [8 x 64] is added to bias [1 x 64]"));
  def.added_to = {{"y", "total"}};
  EXPECT_TRUE(contains(errors_of(def), "added_to for \"total\", which is not a read-only input"));

  def = small();
  def.vector_budget = 128;  // a row has 256 bytes
  EXPECT_TRUE(run_on_golden(def).diagnostics.has_errors());
  Request wider = on_cpu();
  wider.budget.vector = 256;
  EXPECT_TRUE(run_on_golden(def, wider).passed());

  def = small();
  def.validate = [](const Config&, const Arrays& io) {
    user_error("inputs", "limit is 8", "", "", io["limit"].at(0) == 8 ? "as told" : "");
  };
  EXPECT_TRUE(contains(errors_of(def), "as told"));
}

TEST(Run, InitialisersThatDoNotFitNameTheInput) {
  ProgramDef def = small();
  def.inputs = [](const Config&) {
    return std::map<std::string, catalog::Init>{{"limit", catalog::integers(0, INT64_MAX)}};
  };
  EXPECT_TRUE(contains(errors_of(def), "in the initial values of input limit, program small"));
}

TEST(Run, ScalarParametersNeedAValueOfTheirType) {
  ProgramDef def;
  def.name = "scaled";
  def.build = [](const Config&) {
    using namespace dsl;  // NOLINT
    Builder p("scaled");
    const Tensor x = p.input("x", {8, 64}, DType::F32);
    const Tensor y = p.output("y", {8, 64}, DType::F32);
    const Index first = p.scalar("first");
    {
      auto core = p.incore("all");
      assemble(y, slice(x, {8, 64}, {first, 0}), {0, 0});
    }
    return p.finish();
  };
  EXPECT_TRUE(contains(errors_of(def), "no value for scalar first"));
  def.scalars = [](const Config&) { return std::map<std::string, double>{{"first", 0.5}}; };
  EXPECT_TRUE(contains(errors_of(def), "0.5 is not a value of INDEX"));
  def.scalars = [](const Config&) { return std::map<std::string, double>{{"first", 0}}; };
  EXPECT_EQ(run_on_golden(def).status, Status::Skipped);
}

}  // namespace
}  // namespace session_test
