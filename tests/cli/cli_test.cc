// Every command as a user meets it: what is printed where, and the exit code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plus_one.h"
#include "support.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/cli/commands.h"
#include "tilewright/compile/compile.h"
#include "tilewright/cpu/instruction_set.h"

namespace tilewright::cli {
namespace {

// ---- list, show, help, version, completion -----------------------------------------------------

TEST(List, ShowsEveryProgram) {
  const Outcome o = call("list", {plus_one("first"), plus_one("second")});
  EXPECT_EQ(o.code, kFine);
  EXPECT_EQ(o.out,
            "program  what it is\n"
            "first    adds one\n"
            "second   adds one\n"
            "\n"
            "tilewright list PROGRAM shows its shapes and keys\n");
  EXPECT_EQ(o.err, "");
}

TEST(List, LongTextsAreWrappedNotCut) {
  ProgramDef def = plus_one("long");
  std::string help;
  for (int i = 0; i < 30; ++i) help += fmt::format("word{} ", i);
  def.keys = [help](const std::string&, const catalog::Machine&) {
    return std::vector<catalog::Key>{{"key", 7, help}};
  };
  const Outcome o = call("list long", {def});
  EXPECT_TRUE(contains(o.out, "word29"));
  EXPECT_FALSE(contains(o.out, ".."));
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(List, OurOwnExecutableHasTheTourFirst) {
  builtin_catalog().validate();
  EXPECT_EQ(builtin_catalog().names().front(), "tour");
}

TEST(List, OneProgramWithItsKeys) {
  const Outcome o = call("list tour --shape wide");
  EXPECT_EQ(o.code, kFine);
  EXPECT_TRUE(contains(o.out, "shapes:\n  small wide\n"));
  EXPECT_TRUE(contains(o.out, "keys of shape wide on cpu:\n"));
  EXPECT_TRUE(contains(o.out, "  hidden   1024  width of a row\n"));
}

TEST(List, AsJson) {
  const auto j = nlohmann::json::parse(call("list --json -").out);
  EXPECT_EQ(j["programs"][0]["name"], "tour");
  EXPECT_EQ(j["programs"][0]["keys"]["hidden"], 256);
  EXPECT_EQ(j["programs"][0]["has_formula"], true);
}

TEST(Show, PrintsTheProgram) {
  const Outcome o = call("show tour");
  EXPECT_EQ(o.code, kFine);
  EXPECT_TRUE(contains(o.out, "def tour("));
  EXPECT_TRUE(contains(o.out, "pl.matmul_acc"));
  EXPECT_EQ(o.err, "");
}

TEST(Show, PrintsThePlanAfterEveryPass) {
  for (const compile::PassInfo& pass : compile::passes()) {
    const Outcome o = call("show tour --after " + std::string(pass.name));
    EXPECT_EQ(o.code, kFine) << pass.name << o.err;
    EXPECT_FALSE(o.out.empty()) << pass.name;
  }
  EXPECT_TRUE(contains(call("show tour --after unroll").out, "task 0 mean_square"));
}

TEST(Show, AProgramWithErrorsIsShownWithThem) {
  for (const char* line : {"show tour --set n_tile=63", "show tour --after unroll --set n_tile=63",
                           "show tour --after allocate --set n_tile=63"}) {
    const Outcome o = call(line);
    EXPECT_EQ(o.code, kFailed) << line;
    EXPECT_TRUE(contains(o.err, "256 is not a multiple of 63")) << line;
  }
}

TEST(Help, ForEverythingAndForEachCommand) {
  EXPECT_EQ(call("help").out, call("--help").out);
  EXPECT_EQ(call("help").code, kFine);
  for (const Command& c : commands()) {
    if (c.hidden) continue;
    const std::string name(c.name);
    const Outcome o = call("help " + name);
    EXPECT_EQ(o.code, kFine);
    EXPECT_EQ(o.out, call(name + " --help").out);
    EXPECT_EQ(o.out, call(name + " -h").out);
    EXPECT_TRUE(contains(call("help").out, "  " + name));
    // Examples are shown behind the name of the executable.
    for (const std::string_view e : c.examples)
      EXPECT_TRUE(find_command(e.substr(0, e.find(' ')))) << e;
    std::istringstream lines(o.out + call("help").out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(Help, WithoutACommandItIsTheUsersMistake) {
  const Outcome o = call("", {plus_one("a"), plus_one("b")});
  EXPECT_EQ(o.code, kMistake);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(contains(o.err, "usage: tilewright COMMAND"));
}

TEST(Version, IsPrinted) {
  const Outcome o = call("--version");
  EXPECT_EQ(o.code, kFine);
  EXPECT_TRUE(o.out.starts_with("tilewright ")) << o.out;
}

// What bash offers for the last of `words`, asked of bash itself.
std::string completions(const std::string& words, int index) {
  const TemporaryDirectory dir;
  std::ofstream(dir.path / "script")
      << call("completion bash").out << "cd " << dir.path.string() << "\nCOMP_WORDS=(" << words
      << ")\nCOMP_CWORD=" << index << "\n_tilewright 2>/dev/null\necho \"${COMPREPLY[*]}\"\n";
  FILE* pipe = ::popen(("bash " + (dir / "script")).c_str(), "r");
  std::string out;
  for (int ch; pipe && (ch = std::fgetc(pipe)) != EOF;) out += static_cast<char>(ch);
  EXPECT_EQ(pipe ? ::pclose(pipe) : -1, 0);
  return out;
}

TEST(Completion, BashOffersWhatFits) {
  EXPECT_EQ(completions("tilewright ch", 1), "check chat\n");
  EXPECT_EQ(completions("tilewright run to", 2), "tour\n");
  EXPECT_EQ(completions("tilewright run tour --sh", 3), "--shape\n");
  EXPECT_EQ(completions("tilewright run tour --shape w", 4), "wide\n");
  EXPECT_EQ(completions("tilewright run tour -p a2", 4), "a2a3sim\n");
  EXPECT_EQ(completions("tilewright run tour --set n_", 4), "n_tile=\n");
  EXPECT_EQ(completions("tilewright help compl", 2), "completion\n");
  EXPECT_EQ(completions("tilewright check scr", 2), "script\n");  // a file
  EXPECT_EQ(completions("tilewright compare tour scr", 3), "script\n");
  EXPECT_EQ(completions("tilewright completion scr", 2), "\n");
  EXPECT_EQ(completions("tilewright platform a5", 2), "a5sim\n");
}

// ---- check -------------------------------------------------------------------------------------

TEST(Check, ReportsLimitsTasksEscapesAndMemory) {
  const Outcome o = call("check tour -p a2a3sim");
  EXPECT_EQ(o.code, kFine) << o.out << o.err;
  EXPECT_TRUE(contains(o.out, "  Vec      192 KiB  184 KiB\n"));
  EXPECT_TRUE(contains(o.out, "3 kernels, 7 tasks in 7 submissions, 10 dependences\n"));
  EXPECT_TRUE(
      contains(o.out, "through GM between kernels: 1 tensor of the program, 1 escape (64 B)\n"));
  EXPECT_TRUE(contains(o.out, "  scale     64  mean_square  normalise\n"));
  EXPECT_TRUE(contains(o.out, "bounds: every access of 7 tasks is in range"));
  EXPECT_TRUE(contains(o.out, "under rules april-2026, 0 pairs unordered\n"));
  EXPECT_TRUE(contains(o.out, "rules: april-2026, chosen by the platform\n"));
  EXPECT_TRUE(o.out.ends_with("PASS (no errors)\n"));
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Check, WithoutAPlatformSaysWhatIsNotChecked) {
  EXPECT_TRUE(
      call("check tour")
          .out.ends_with(
              "PASS (no errors)\n"
              "not checked: memory limits and ordering rules of a chip; -p a2a3sim checks them\n"));
  EXPECT_TRUE(call("check tour --rules april-2026")
                  .out.ends_with("not checked: memory limits of a chip; -p a2a3sim checks them\n"));
  EXPECT_TRUE(call("check tour -p cpu").out.ends_with("PASS (no errors)\n"));
}

TEST(Check, SaysWhyRacesAreWarnings) {
  const Outcome lenient = ask("check qwen3/scope2-before --shape tiny -p a2a3sim");
  EXPECT_EQ(lenient.code, kFine);
  EXPECT_TRUE(contains(lenient.out, "warning: "));
  EXPECT_TRUE(lenient.out.ends_with(
      ")\nraces are warnings because the platform chose the rules; --rules april-2026\n"
      "makes them errors\n"))
      << lenient.out;
  const Outcome strict =
      ask("check qwen3/scope2-before --shape tiny -p a2a3sim --rules april-2026");
  EXPECT_EQ(strict.code, kFailed);
  EXPECT_FALSE(contains(strict.out, "races are warnings"));
}

TEST(Check, FailsWithExitCodeOne) {
  const Outcome o = call("check tour -p a2a3sim --set rows=300");
  EXPECT_EQ(o.code, kFailed);
  EXPECT_TRUE(contains(o.out, "error: Vec buffer overflow in scope \"mean_square\""));
  EXPECT_TRUE(contains(o.out, "\nFAIL ("));
  EXPECT_EQ(call("check tour --budget vector=2048").code, kFailed);
  EXPECT_EQ(call("check tour --budget vector=1000000,cube=1000000").code, kFine);
}

TEST(Check, RulesAndJson) {
  const auto j = nlohmann::json::parse(call("check tour --rules may-2026 --json -").out);
  EXPECT_EQ(j["rules"], "may-2026");
  EXPECT_EQ(j["tasks"], 7);
  EXPECT_EQ(j["escapes"][0]["value"], "scale");
  EXPECT_EQ(j["passed"], true);
}

// ---- run ---------------------------------------------------------------------------------------

TEST(Run, PassesAndSaysSo) {
  for (const char* line : {"run tour", "run tour --shape wide -p a2a3sim", "run tour -p a5sim",
                           "run tour --seed 3 --order-seed 9", "run tour --set n_tile=32"}) {
    const Outcome o = call(line);
    EXPECT_EQ(o.code, kFine) << line << o.err;
    EXPECT_EQ(o.err, "");
    EXPECT_TRUE(contains(o.out, "out: PASS (")) << o.out;
  }
  const Outcome o = call("run tour");
  EXPECT_TRUE(contains(o.out,
                       "tour: shape small on cpu, seed 1\n"
                       "  rows=16 hidden=256 k_tile=128 n_tile=64\n"));
  EXPECT_TRUE(contains(o.out,
                       "out: PASS (4096/4096 elements matched)\n"
                       "    [16 x 256] FP32, rtol 1e-05, atol 0.006, largest error "));
  EXPECT_TRUE(contains(o.out, "\nPASS ("));
}

TEST(Run, ChoosesTheOrderOfSumsAndSaysIt) {
  const Outcome o = call("run tour --json -");
  EXPECT_EQ(nlohmann::json::parse(o.out)["sums"], "reproducible");
  EXPECT_TRUE(contains(call("run tour --sums reproducible").out, ", reproducible sums\n"));
  const cpu::InstructionSet fastest = cpu::InstructionSet::fastest();
  const Outcome fast = call("run tour --sums fastest");
  EXPECT_EQ(fast.code, kFine) << fast.err;
  EXPECT_TRUE(contains(fast.out, fmt::format(", {}\n", fastest.sums_text()))) << fast.out;
}

TEST(Run, FailsWithTheNumbers) {
  const Outcome o = call("run", {plus_one("wrong", 30)});
  EXPECT_EQ(o.code, kFailed);
  EXPECT_TRUE(contains(o.out, "y: FAIL (226/256 elements matched)\n"));
  EXPECT_TRUE(contains(o.out, "    largest error 1 at [0, "));
  EXPECT_TRUE(contains(o.out, "    relative L2 "));
  EXPECT_TRUE(contains(o.out, "absolute error p50 "));
  EXPECT_TRUE(contains(o.out, "    first 20 of 30 mismatches:\n"));
  EXPECT_TRUE(contains(o.out, "      [0, 19] "));
  EXPECT_FALSE(contains(o.out, "      [0, 20] "));
  EXPECT_TRUE(contains(o.out, "\nFAIL ("));
}

TEST(Run, WithoutAFormulaItIsSkipped) {
  ProgramDef def = plus_one("unproven");
  def.formula = nullptr;
  const Outcome o = call("run", {def});
  EXPECT_EQ(o.code, kFine);
  EXPECT_TRUE(contains(o.out, "y: SKIPPED (256 elements, nothing to compare with)\n"));
  EXPECT_TRUE(contains(o.out, "\nSKIPPED ("));
  EXPECT_FALSE(contains(o.out, "PASS"));
}

TEST(Run, JsonOnStdoutIsAlone) {
  const Outcome o = call("run tour --json -");
  EXPECT_EQ(o.code, kFine);
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["passed"], true);
  EXPECT_EQ(j["program"], "tour");
  EXPECT_TRUE(contains(o.err, "out: PASS ("));
}

TEST(Run, JsonFileIsWholeOrAbsent) {
  const TemporaryDirectory dir;
  EXPECT_EQ(call("run tour --json " + (dir / "r.json")).code, kFine);
  std::ifstream file(dir / "r.json");
  EXPECT_EQ(nlohmann::json::parse(file)["status"], "PASS");
  const Outcome o = call("run tour --json " + (dir / "no/r.json"));
  EXPECT_EQ(o.code, kMistake);
  EXPECT_TRUE(contains(o.err, "cannot write"));
  EXPECT_EQ(o.out, "");  // found before the run
  EXPECT_EQ(call("run tour --json " + dir.path.string()).code, kMistake);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path), {}), 1);
}

TEST(Run, SaveAndReplay) {
  const TemporaryDirectory dir;
  const std::string data = dir / "data";
  EXPECT_EQ(call("run tour --set rows=8 --save-data " + data).code, kFine);
  const Outcome o = call("run tour --replay " + data);
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "rows=8 "));
  EXPECT_TRUE(contains(o.out, "read inputs"));
  EXPECT_EQ(call("run tour --shape wide --replay " + data).code, kFailed);  // does not fit
  EXPECT_EQ(call("run tour --seed 2 --replay " + data).code, kMistake);
  EXPECT_EQ(call("run tour --replay " + (dir / "none")).code, kMistake);
  EXPECT_EQ(call("run tour --save-data " + dir.path.string()).code, kMistake);
}

TEST(Run, AProgramOfItsOwnNeedsNoCommand) {
  for (const char* line : {"", "run", "run mine", "--seed 3", "-p a2a3sim"})
    EXPECT_EQ(call(line, {plus_one("mine")}).code, kFine) << line;
  EXPECT_EQ(call("run", {plus_one("a"), plus_one("b")}).code, kMistake);
  EXPECT_EQ(call("run list", {plus_one("list"), plus_one("b")}).code, kFine);
}

TEST(Run, ColourOnlyWhenAsked) {
  EXPECT_FALSE(contains(call("run tour").out, "\x1b["));
  EXPECT_TRUE(contains(call("run tour", {programs::tour()}, {"tilewright", true, true}).out,
                       "\x1b[1;32mPASS\x1b[0m"));
}

}  // namespace
}  // namespace tilewright::cli
