#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tilewright/dsl/ops.h"
#include "tilewright/harness/check.h"
#include "tilewright/harness/data_dir.h"
#include "tilewright/harness/inputs.h"
#include "tilewright/harness/json.h"
#include "tilewright/harness/run.h"

namespace tilewright::harness {
namespace {

namespace fs = std::filesystem;
using catalog::Arrays;
using catalog::Config;
using catalog::ProgramDef;

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- a small program ---------------------------------------------------------------------------

// y = 2 x + bias; total += x. `count` rows of x are read as the program's own scalar.
ir::Program small_program(const Config& c) {
  using namespace dsl;  // NOLINT
  const int64_t cols = c["cols"];
  Builder p("small");
  const Tensor x = p.input("x", {8, cols}, DType::F32);
  const Tensor bias = p.weight("bias", {1, cols}, DType::F32);
  const Tensor limit = p.input("limit", {1}, DType::I32);
  const Tensor total = p.state("total", {8, cols}, DType::F32);
  const Tensor y = p.output("y", {8, cols}, DType::F32);
  const Index rows = p.read(limit, {0});
  for (Index r : p.parallel(rows)) {
    auto core = p.incore("row");
    const Tile row = slice(x, {1, cols}, {r, 0});
    assemble(y, add(mul(row, 2.0), slice(bias, {1, cols}, {0, 0})), {r, 0});
    assemble(total, add(slice(total, {1, cols}, {r, 0}), row), {r, 0});
  }
  return p.finish();
}

void small_formula(const Config& c, Arrays& io) {
  for (int64_t i = 0; i < 8 * c["cols"]; ++i) {
    const double x = io["x"].at(i);
    io["y"].set(i, 2 * x + io["bias"].at(i % c["cols"]));
    io["total"].set(i, io["total"].at(i) + x);
    io["x"].set(i, 1e9);  // a formula that scribbles on inputs harms only itself
  }
}

ProgramDef small() {
  ProgramDef def;
  def.name = "small";
  def.shapes = {"narrow", "wide"};
  def.keys = [](const std::string& shape, const std::string&) {
    return std::vector<catalog::Key>{{"cols", shape == "wide" ? 128 : 64, "columns"}};
  };
  def.build = small_program;
  def.inputs = [](const Config&) {
    return std::map<std::string, catalog::Init>{{"limit", catalog::constant(8)}};
  };
  def.formula = small_formula;
  return def;
}

RunRequest on_cpu() {
  RunRequest r;
  static_cast<Request&>(r) = request_for("cpu");
  return r;
}

struct TemporaryDirectory {
  fs::path path;
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "tilewright-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
  }
};

// ---- run ---------------------------------------------------------------------------------------

TEST(Run, OutAndInOutParametersAreOutputs) {
  const RunResult r = run(small(), on_cpu(), golden_executor());
  EXPECT_EQ(r.diagnostics.text(), "");
  ASSERT_EQ(r.outputs.size(), 2u);
  EXPECT_EQ(r.outputs[0].name, "total");
  EXPECT_EQ(r.outputs[1].name, "y");
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.tasks, 8);
  EXPECT_EQ(r.shape, "narrow");
  EXPECT_EQ(r.outputs[1].comparison.matched, 8 * 64);
}

TEST(Run, StagesAreToldAsTheyHappen) {
  std::vector<std::string> begun, ended;
  Observer o;
  o.begin = [&](const std::string& s) { begun.push_back(s); };
  o.end = [&](const Stage& s) { ended.push_back(s.name); };
  const RunResult r = run(small(), on_cpu(), golden_executor(), o);
  EXPECT_EQ(begun, (std::vector<std::string>{"build", "compile", "generate inputs", "unroll",
                                             "compute formula", "run on golden", "compare"}));
  EXPECT_EQ(begun, ended);
  EXPECT_EQ(r.stages.size(), ended.size());
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
  const RunResult r = run(def, on_cpu(), golden_executor());
  EXPECT_EQ(r.status, Status::Skipped);
  EXPECT_FALSE(r.passed());
  EXPECT_EQ(r.outputs[0].status, Status::Skipped);
  EXPECT_EQ(r.outputs[0].comparison.matched, 0);
}

TEST(Run, AFormulaThatForgetsAnOutputFails) {
  ProgramDef def = small();
  def.formula = [](const Config& c, Arrays& io) {
    small_formula(c, io);
    io["y"].fill_poison();
  };
  const RunResult r = run(def, on_cpu(), golden_executor());
  EXPECT_EQ(r.status, Status::Fail);
  EXPECT_EQ(r.outputs[1].comparison.expected_nan, 8 * 64);
}

TEST(Run, SeedsAndOrders) {
  RunRequest seven = on_cpu();
  seven.seed = 7;
  EXPECT_TRUE(run(small(), seven, golden_executor(3)).passed());
  EXPECT_EQ(run(small(), seven, golden_executor()).seed, 7u);
}

TEST(Run, ErrorsInTheProgramComeBackAsDiagnostics) {
  ProgramDef def = small();
  def.inputs = [](const Config&) {
    return std::map<std::string, catalog::Init>{{"limit", catalog::constant(9)}};
  };
  const RunResult r = run(def, on_cpu(), golden_executor());
  EXPECT_EQ(r.status, Status::Fail);
  EXPECT_TRUE(r.diagnostics.has_errors());
  EXPECT_TRUE(r.outputs.empty());
}

TEST(Run, DefinitionsThatNameWhatIsNotThere) {
  ProgramDef def = small();
  def.tolerances = {{"Y", {}}};
  EXPECT_TRUE(contains(error_of([&] { run(def, on_cpu(), golden_executor()); }),
                       "a tolerance for \"Y\", which is not an output of the program; did you "
                       "mean 'y'?"));
  def = small();
  def.inputs = [](const Config&) {
    return std::map<std::string, catalog::Init>{{"y", catalog::constant(1)}};
  };
  EXPECT_TRUE(contains(error_of([&] { run(def, on_cpu(), golden_executor()); }),
                       "initial values for \"y\", which is not an input"));
}

TEST(Run, WhatADefinitionPromisesIsHeld) {
  ProgramDef def = small();
  def.added_to = {{"y", "x"}};
  const RunResult r = run(def, on_cpu(), golden_executor());
  EXPECT_EQ(r.outputs[1].added_to, "x");
  EXPECT_LT(r.outputs[1].added_relative_l2, 1e-6);
  def.added_to = {{"y", "bias"}};
  EXPECT_TRUE(contains(error_of([&] { run(def, on_cpu(), golden_executor()); }),
                       "output y [8 x 64] is added to bias [1 x 64]"));
  def.added_to = {{"y", "total"}};
  EXPECT_TRUE(contains(error_of([&] { run(def, on_cpu(), golden_executor()); }),
                       "added_to for \"total\", which is not a read-only input"));

  def = small();
  def.vector_budget = 128;  // a row has 256 bytes
  EXPECT_TRUE(run(def, on_cpu(), golden_executor()).diagnostics.has_errors());
  RunRequest wider = on_cpu();
  wider.budget.vector = 256;
  EXPECT_TRUE(run(def, wider, golden_executor()).passed());

  def = small();
  def.validate = [](const Config&, const Arrays& io) {
    user_error("inputs", "limit is 8", "", "", io["limit"].at(0) == 8 ? "as told" : "");
  };
  EXPECT_TRUE(contains(error_of([&] { run(def, on_cpu(), golden_executor()); }), "as told"));
}

TEST(Run, InitialisersThatDoNotFitNameTheInput) {
  ProgramDef def = small();
  def.inputs = [](const Config&) {
    return std::map<std::string, catalog::Init>{{"limit", catalog::integers(0, INT64_MAX)}};
  };
  EXPECT_TRUE(contains(error_of([&] { run(def, on_cpu(), golden_executor()); }),
                       "in the initial values of input limit, program small"));
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
  EXPECT_TRUE(contains(error_of([&] { run(def, on_cpu(), golden_executor()); }),
                       "no value for scalar first"));
  def.scalars = [](const Config&) { return std::map<std::string, double>{{"first", 0.5}}; };
  EXPECT_TRUE(contains(error_of([&] { run(def, on_cpu(), golden_executor()); }),
                       "0.5 is not a value of INDEX"));
  def.scalars = [](const Config&) { return std::map<std::string, double>{{"first", 0}}; };
  EXPECT_EQ(run(def, on_cpu(), golden_executor()).status, Status::Skipped);
}

// ---- check -------------------------------------------------------------------------------------

TEST(Check, GeneratesOnlyWhatDecidesTheTasks) {
  ProgramDef def = small();
  bool touched = false;
  def.inputs = [&](const Config&) {
    const catalog::Init heavy = [&](HostArray&, Rng&) { touched = true; };
    return std::map<std::string, catalog::Init>{{"limit", catalog::constant(8)},
                                                {"x", heavy},
                                                {"bias", heavy},
                                                {"total", heavy}};
  };
  CheckRequest request;
  static_cast<Request&>(request) = request_for("a2a3sim");
  const CheckResult r = check(def, request);
  EXPECT_EQ(r.diagnostics.error_count(), 0u) << r.diagnostics.text();
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.graph->tasks.size(), 8u);
  EXPECT_FALSE(touched);
}

TEST(Check, ReadsThroughViewsAreFound) {
  using namespace dsl;  // NOLINT
  Builder p("views");
  const Tensor table = p.input("table", {4, 8}, DType::I32);
  const Tensor other = p.input("other", {4, 8}, DType::I32);
  const Tensor view = slice(slice(table, {2, 8}, {1, 0}), {1, 8}, {0, 0});
  (void)other;
  p.read(view, {0, 0});
  EXPECT_EQ(parameters_read_as_scalars(p.finish()), (std::set<std::string>{"table"}));
}

TEST(Check, UnknownRulesSuggestTheNearest) {
  CheckRequest request;
  static_cast<Request&>(request) = request_for("cpu");
  request.rules = "exatc";
  EXPECT_TRUE(contains(error_of([&] { check(small(), request); }), "did you mean 'exact'?"));
}

// ---- saved data --------------------------------------------------------------------------------

TEST(Data, SavedThenReplayedGivesTheSameResult) {
  const TemporaryDirectory dir;
  RunRequest saving = on_cpu();
  saving.shape = "wide";
  saving.set = {{"cols", 32}};
  saving.seed = 5;
  saving.save_data = dir / "data";
  ASSERT_TRUE(run(small(), saving, golden_executor()).passed());
  for (const char* file :
       {"in/x.bin", "in/bias.bin", "in/limit.bin", "in/total.bin", "out/y.bin", "out/total.bin",
        "expected/y.bin", "expected/total.bin", "manifest.json"})
    EXPECT_TRUE(fs::exists(dir.path / "data" / file)) << file;
  EXPECT_EQ(dir.entries(), 1u);

  ProgramDef def = small();
  def.formula = nullptr;  // the expected values come from the recording
  def.inputs = nullptr;
  RunRequest replaying = on_cpu();
  replaying.replay = saving.save_data;
  const RunResult r = run(def, replaying, golden_executor());
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.shape, "wide");
  EXPECT_EQ(r.seed, 5u);
  EXPECT_EQ(r.outputs[0].shape, (Shape{8, 32}));
}

TEST(Data, ReplayRefusesAnotherProgramShapeOrFile) {
  const TemporaryDirectory dir;
  RunRequest saving = on_cpu();
  saving.save_data = dir / "data";
  run(small(), saving, golden_executor());
  RunRequest replaying = on_cpu();
  replaying.replay = saving.save_data;
  const auto why = [&](const ProgramDef& def) {
    return error_of([&] { run(def, replaying, golden_executor()); });
  };

  ProgramDef other = small();
  other.name = "other";
  EXPECT_TRUE(contains(why(other), "the data was saved by program \"small\", not \"other\""));
  replaying.set = {{"cols", 16}};
  EXPECT_TRUE(
      contains(why(small()), "tensor x: recorded as [8 x 64] FP32, the program has [8 x 16] FP32"));
  replaying.set = {};
  fs::resize_file(dir.path / "data/in/x.bin", 100);
  EXPECT_TRUE(contains(why(small()), "it has 100 bytes, 2048 needed"));
  fs::remove(dir.path / "data/in/x.bin");
  EXPECT_TRUE(contains(why(small()), "cannot read"));
  std::ofstream(dir.path / "data/manifest.json") << "{\"format\": 3}";
  EXPECT_TRUE(contains(why(small()), "member \"format\" is a number, not a string"));
  std::ofstream(dir.path / "data/manifest.json") << "{";
  EXPECT_TRUE(contains(why(small()), "manifest.json"));
  replaying.replay = dir / "nothing";
  EXPECT_TRUE(contains(why(small()), "no saved data in"));
}

TEST(Data, OnlyOwnOrEmptyDirectoriesAreReplaced) {
  const TemporaryDirectory dir;
  RunRequest saving = on_cpu();
  const auto save_to = [&](const std::string& where) {
    saving.save_data = where;
    return error_of([&] { run(small(), saving, golden_executor()); });
  };
  fs::create_directory(dir.path / "mine");
  std::ofstream(dir.path / "mine/thesis.tex") << "years of work";
  EXPECT_TRUE(contains(save_to(dir / "mine"), "it is not empty and holds no data saved by a run"));
  EXPECT_TRUE(fs::exists(dir.path / "mine/thesis.tex"));
  std::ofstream(dir.path / "mine/manifest.json") << "{}";  // somebody else's manifest
  EXPECT_TRUE(contains(save_to(dir / "mine"), "it is not empty"));

  fs::create_directory(dir.path / "empty");
  EXPECT_EQ(save_to(dir / "empty/"), "no error");
  saving.seed = 2;
  EXPECT_EQ(save_to(dir / "empty"), "no error");
  EXPECT_EQ(DataReader(dir / "empty").manifest().seed, 2u);
  EXPECT_TRUE(contains(save_to(dir / "no/such/parent"), "check that its parent exists"));
  EXPECT_TRUE(contains(save_to(dir / "mine/thesis.tex"), "it is a file"));
  EXPECT_EQ(dir.entries(), 2u);
}

TEST(Data, NothingIsLeftWhenARunStops) {
  const TemporaryDirectory dir;
  RunRequest saving = on_cpu();
  saving.save_data = dir / "data";
  const Executor broken{"broken",
                        [](const ir::Plan&, const ir::TaskGraph&, const ir::Bindings&)
                            -> std::string { throw std::runtime_error("broken"); }};
  EXPECT_THROW(run(small(), saving, broken), std::runtime_error);
  EXPECT_EQ(dir.entries(), 0u);
}

// ---- files and JSON ----------------------------------------------------------------------------

TEST(Json, HasTheDocumentedKeys) {
  const auto j = nlohmann::json::parse(to_json(run(small(), on_cpu(), golden_executor())));
  for (const char* key :
       {"program", "shape", "platform", "seed", "keys", "executor", "kernels", "tasks", "outputs",
        "passed", "status", "steps", "seconds", "diagnostics"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["passed"], true);
  EXPECT_EQ(j["keys"]["cols"], 64);
  const auto& y = j["outputs"][1];
  for (const char* key :
       {"name", "shape", "dtype", "matched", "total", "rtol", "atol", "max_abs_error",
        "max_abs_error_index", "passed", "status", "error", "nonfinite", "mismatches"})
    EXPECT_TRUE(y.contains(key)) << key;
  EXPECT_EQ(y["dtype"], "FP32");
  EXPECT_EQ(y["shape"], (nlohmann::json{8, 64}));
  EXPECT_EQ(y["matched"], 512);
}

TEST(Json, SkippedAndFailedRuns) {
  ProgramDef def = small();
  def.formula = nullptr;
  const auto skipped = nlohmann::json::parse(to_json(run(def, on_cpu(), golden_executor())));
  EXPECT_EQ(skipped["passed"], false);
  EXPECT_EQ(skipped["status"], "SKIPPED");
  EXPECT_TRUE(skipped["outputs"][0]["max_abs_error"].is_null());
  def.formula = [](const Config&, Arrays&) {};
  const auto failed = nlohmann::json::parse(to_json(run(def, on_cpu(), golden_executor())));
  EXPECT_EQ(failed["status"], "FAIL");
  EXPECT_EQ(failed["outputs"][1]["nonfinite"]["expected_nan"], 512);
  EXPECT_EQ(failed["outputs"][1]["mismatches"].size(), kMismatchesKept);
  EXPECT_TRUE(failed["outputs"][1]["mismatches"][0]["expected"].is_null());
}

}  // namespace
}  // namespace tilewright::harness
