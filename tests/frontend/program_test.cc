// Whole files in both dialects, through every command that takes one, against the references.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "../temporary_directory.h"
#include "support.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/cli/cli.h"
#include "tilewright/golden/golden.h"
#include "tilewright/data/program_file.h"
#include "tilewright/session/reference.h"
#include "tilewright/session/run.h"

namespace frontend_test {
namespace {

std::string path_of(const std::string& name) {
  return std::string(TILEWRIGHT_PROGRAMS) + "/" + name;
}

// An empty one, for files that are told by their short names.
struct WorkingDirectory : TemporaryDirectory {
  std::filesystem::path before = std::filesystem::current_path();
  WorkingDirectory() { std::filesystem::current_path(path); }
  ~WorkingDirectory() { std::filesystem::current_path(before); }
};

struct Outcome {
  int code;
  std::string out, err;
};

Outcome call(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  const int code = cli::run_cli(words, cli::builtin_catalog(), out, err, {});
  return {code, out.str(), err.str()};
}

struct Compared {
  const char* file;
  const char* reference;
  int tasks;
};

class EveryDialect : public testing::TestWithParam<Compared> {};

TEST_P(EveryDialect, MatchesTheReferenceInAnyOrder) {
  catalog::ProgramDef def = data::program_from_file(path_of(GetParam().file), {});
  ASSERT_TRUE(session::use_reference(def, cli::builtin_catalog().find(GetParam().reference), true));
  for (const char* platform : {"cpu", "a2a3sim", "a5sim"}) {
    session::Request request = session::request_for(platform);
    const auto result = session::run(def, request, session::golden_executor(7));
    EXPECT_EQ(result.status, session::Status::Pass) << platform << "\n"
                                                    << result.diagnostics.text();
    EXPECT_EQ(result.tasks, GetParam().tasks);
    EXPECT_FALSE(result.outputs.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Frontend, EveryDialect,
                         testing::Values(Compared{"spring_scope1.py", "qwen3/scope1", 9},
                                         Compared{"spring_scope2.py", "qwen3/scope2", 185},
                                         Compared{"spring_scope3.py::Scope3", "qwen3/scope3", 17},
                                         Compared{"summer_scope3.py", "qwen3/scope3", 17},
                                         Compared{"tile_kernels.py", "qwen3/scope1", 11}));

using Args = std::map<std::string, std::string>;

class EveryFile : public testing::TestWithParam<const char*> {};

// Without a reference a program is held against itself; and our own listing of it is the same
// program.
TEST_P(EveryFile, RunsTheSameInEveryOrderAndReadsBack) {
  const catalog::ProgramDef def =
      data::program_from_file(path_of(GetParam()), {std::string(GetParam()) == "corners.py"
                                                        ? Args{{"flag", "1"}}
                                                        : Args{},
                                                    {}});
  session::Request request = session::request_for("a2a3sim");
  const auto result = session::run(def, request, session::golden_executor());
  EXPECT_EQ(result.status, session::Status::Skipped) << result.diagnostics.text();
  EXPECT_TRUE(result.phases.back().detail.starts_with(
      "the program and 3 random task orders give the same bits"));
  const ir::Program program = def.build(catalog::configure(def, "", {}));
  const std::string text = ir::print(program);
  EXPECT_EQ(ir::print(lower(text).program), text);
}

INSTANTIATE_TEST_SUITE_P(Frontend, EveryFile,
                         testing::Values("corners.py", "jit_style.py", "dynamic_paged.py",
                                         "spring_scope3.py::Double"));

TEST(Corners, ComputeWhatTheyShould) {
  const auto lowered = frontend::File::read(path_of("corners.py")).lower("", {});
  const ir::Program& p = lowered.program;
  HostArray x(DType::F32, {32, 32}), counts(DType::I32, {4}), y(DType::F32, {32, 32}),
      z(DType::F32, {32, 32}), total(DType::F32, {1, 32});
  for (int64_t i = 0; i < x.size(); ++i) {
    x.set(i, std::sin(static_cast<double>(i)));
    z.set(i, static_cast<double>(i));
  }
  const int lens[] = {5, 0, 7, 1};
  for (int i = 0; i < 4; ++i) counts.set(i, lens[i]);
  ir::Bindings bindings;
  bindings.arrays = {&x, &counts, nullptr, &y, &z, &total};
  bindings.scalars = {0, 0, 1, 0, 0, 0};
  golden::run_program(p, bindings);
  const auto at = [&](int64_t row, int64_t column) {
    return static_cast<float>(x.at(row * 32 + column));
  };
  for (int64_t c = 0; c < 32; ++c) {
    EXPECT_EQ(y.at(5 * 32 + c), at(5, c) * 0.5f + 2.0f);
    EXPECT_EQ(z.at(5 * 32 + c), -static_cast<double>(5 * 32 + c));
    // Rows 0, 2, 3, 6 by the counts; rows 2, 4, 6 by the while; the last trip reads row 3.
    float sum = 0;
    for (int64_t row : {0, 2, 3, 6, 2, 4, 6}) sum += at(row, c);
    EXPECT_EQ(total.at(c), std::max(sum, at(3, c))) << c;
  }
}

TEST(Commands, TakeAFileWhereTheyTakeAProgram) {
  const std::string file = path_of("spring_scope1.py");
  const Outcome list = call({"list", file});
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.out.find("  hidden_size     128  a number of the file\n"), std::string::npos)
      << list.out;
  const Outcome check = call({"check", file, "-p", "a2a3sim", "--arg", "HIDDEN=256"});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("hidden_size=256"), std::string::npos);
  EXPECT_NE(check.out.find("PASS (no errors)"), std::string::npos);
  EXPECT_EQ(call({"show", file, "--after", "allocate", "-p", "a5sim"}).code, 0);
  EXPECT_EQ(call({"sim", file}).code, 0);
  const Outcome run = call({"run", file, "--reference", "qwen3/scope1", "--set", "K_CHUNK=64"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("q_proj: PASS (4096/4096 elements matched)"), std::string::npos);
}

TEST(Commands, SeveralProgramsInAFile) {
  const std::string file = path_of("spring_scope3.py");
  EXPECT_EQ(call({"list", file}).out, file + "::Scope3\n" + file + "::Double\n");
  EXPECT_EQ(call({"check", file}).code, 2);
  EXPECT_EQ(call({"check", file + "::Double"}).code, 0);
  const Outcome wrong = call({"check", file + "::Duble"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("error: the file has no program \"Duble\"; did you mean 'Double'?\n"),
            std::string::npos)
      << wrong.err;
}

TEST(Commands, AReferenceMustFit) {
  const Outcome o = call({"run", path_of("spring_scope1.py"), "--reference", "qwen3/scope3"});
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("does not fit qwen3/scope3 at any of its shapes\n  the closest shape is "),
            std::string::npos)
      << o.err;
  EXPECT_EQ(call({"run", path_of("none.py")}).code, 2);
}

// show > edit > compare.
TEST(Commands, AListingCanBeEditedAndCompared) {
  const WorkingDirectory here;
  const std::string mine = "mine.py";
  const Outcome shown = call({"show", "qwen3/scope3", "--shape", "tiny"});
  std::string text = shown.out;
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  std::ofstream(mine) << text;
  const Outcome same = call({"compare", "qwen3/scope3", mine, "--shape", "tiny"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find(" is as fast as qwen3/scope3\n"), std::string::npos)
      << same.out;
  const Outcome run =
      call({"run", mine});  // the listing names its program, so the formula is known
  EXPECT_EQ(run.code, 0) << run.out;
  EXPECT_NE(run.out.find("\nPASS ("), std::string::npos);
  replace("name_hint=\"out_proj\"", "name_hint=\"mine\"");
  replace(", 1.0)", ", 2.0)");
  std::ofstream(mine) << text;
  EXPECT_NE(call({"sim", mine}).out.find("mine"), std::string::npos);
  EXPECT_EQ(call({"run", mine}).code, 1) << "a wrong edit must be noticed";
}

// Mistakes that the checker finds are told in the words of the user's file.
TEST(Checker, QuotesTheUsersLine) {
  const TemporaryDirectory dir;
  const std::string file = dir / "wrong.py";
  std::ofstream(file) << program(
      "for i in pl.range(3):\n    with pl.incore():\n        y = pl.assemble(y, pl.slice(x, [16, "
      "32], [0, i * 32]), [0, i * 32])\n");
  const Outcome o = call({"check", file});
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.out.find(
                ":18:36, program P, pl.slice(x, [16, 32], [0, i * 32])\n"
                "    18 | y = pl.assemble(y, pl.slice(x, [16, 32], [0, i * 32]), [0, i * 32])\n"
                "       |                    ^\n"),
            std::string::npos)
      << o.out;
}

// The sizes of the tutorial's file stand in one line: ROWS, K, N = 16, 4096, 4096.
TEST(Checker, SizesThatAreAssignedTogetherCanBeSet) {
  const std::string file = std::string(TILEWRIGHT_SOURCE) + "/examples/tutorial/small.py";
  const Outcome o = call({"check", file, "-p", "a2a3sim", "--arg", "K=8192"});
  EXPECT_EQ(o.code, 0) << o.out;
  for (const char* flag : {"--arg", "--set"}) {
    const Outcome shown = call({"show", file, flag, "K=8192"});
    EXPECT_NE(shown.out.find("8192"), std::string::npos) << flag << shown.out << shown.err;
  }
  const Outcome both = call({"show", file, "--arg", "K=8192", "--set", "K=2048"});
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("K is given with --arg K=8192 and with --set K=2048"), std::string::npos)
      << both.err;
}

// The mistakes of docs/pypto.md are found, and told as the page says.
TEST(Checker, FindsWhatThePageSays) {
  std::ifstream in(std::string(TILEWRIGHT_SOURCE) + "/docs/pypto.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const WorkingDirectory here;
  const auto expect = [&](const std::string& text, const std::string& first_word) {
    std::ofstream("layer.py") << text;
    const std::string told = call({"check", "layer.py", "-p", "a2a3sim"}).out;
    const std::size_t at = told.find("\n" + first_word + ": ");
    ASSERT_NE(at, std::string::npos) << told;
    const std::string message = told.substr(at + 1, told.find("\n\n", at) - at);
    EXPECT_NE(page.find("```\n" + message + "```\n"), std::string::npos) << message;
  };
  expect(program("for i in pl.range(3):\n    with pl.incore():\n"
                 "        y = pl.assemble(y, pl.slice(x, [16, 32], [0, i * 32]), [0, i * "
                 "32])\nreturn y\n"),
         "error");
  expect(program("padded = pl.create_tensor([16, 64], dtype=pl.FP32)\n"
                 "with pl.incore():\n    padded = pl.assemble(padded, pl.slice(x, [8, 64], [0, "
                 "0]), [0, 0])\n"
                 "with pl.incore():\n    y = pl.assemble(y, pl.exp(pl.slice(padded, [16, 64], [0, "
                 "0])), [0, 0])\nreturn y\n"),
         "error");
  std::string race = program(
      "sums = pl.create_tensor([20, 64], dtype=pl.FP32)\n"
      "for i in pl.parallel(20):\n    with pl.incore():\n        t = pl.slice(x, [1, 64], [i, 0])\n"
      "        sums = pl.assemble(sums, pl.exp(t), [i, 0])\n"
      "with pl.incore():\n    y = pl.assemble(y, pl.col_sum(pl.slice(sums, [20, 64], [0, 0])), [0, "
      "0])\nreturn y\n");
  race.replace(race.find("[16, N]"), 7, "[20, N]");
  race.replace(race.find("Out[pl.Tensor[[16, N]"), 21, "Out[pl.Tensor[[1, N]");
  expect(race, "warning");
}

}  // namespace
}  // namespace frontend_test
