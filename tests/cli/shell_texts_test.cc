// What is made from the table of commands: completions of three shells, and the man page.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "support.h"
#include "tilewright/cli/commands.h"

namespace tilewright::cli {
namespace {

bool has_word(const std::string& text, const std::string& word) {
  const std::size_t end = word.size();
  const auto part = [](char ch) {
    return std::isalnum(static_cast<unsigned char>(ch)) || ch == '-';
  };
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at)
    if ((at == 0 || !part(text[at - 1])) && (at + end == text.size() || !part(text[at + end])))
      return true;
  return false;
}

class CompletionScript : public testing::TestWithParam<const char*> {};

TEST_P(CompletionScript, NamesEveryCommandAndFlag) {
  const Outcome o = ask(std::string("completion ") + GetParam());
  EXPECT_EQ(o.code, kFine);
  const bool fish = std::string(GetParam()) == "fish";
  for (const Command& c : commands()) {
    EXPECT_EQ(has_word(o.out, std::string(c.name)), !c.hidden) << c.name;
    for (const Flag& f : c.flags) {
      const std::string name(f.name);
      EXPECT_TRUE(fish ? contains(o.out, " -l " + name.substr(2) + " ") : has_word(o.out, name))
          << name;
    }
  }
  for (const char* word : {"a2a3sim", "april-2026", "qwen3/decode"})
    EXPECT_TRUE(contains(o.out, word));
}

INSTANTIATE_TEST_SUITE_P(, CompletionScript, testing::Values("bash", "zsh", "fish"));

// Where the shell is installed it reads its own script.
TEST_P(CompletionScript, IsReadByItsShell) {
  const std::string shell = GetParam();
  if (std::system(("command -v " + shell + " >/dev/null").c_str()) != 0)
    GTEST_SKIP() << shell << " is not installed";
  const TemporaryDirectory directory;
  std::ofstream(directory.path / "script") << ask("completion " + shell).out;
  EXPECT_EQ(std::system((shell + " -n " + (directory / "script")).c_str()), 0);
}

TEST(ManPage, NamesEveryCommandAndFlag) {
  const Outcome o = ask("man-page");
  EXPECT_EQ(o.code, kFine);
  const std::string page = std::regex_replace(o.out, std::regex("\\\\-"), "-");
  for (const Command& c : commands()) {
    if (c.hidden) continue;
    EXPECT_TRUE(contains(page, ".SS \"tilewright " + std::string(c.name))) << c.name;
    for (const Flag& f : c.flags) {
      EXPECT_TRUE(contains(page, "\\fB" + std::string(f.name) + "\\fR")) << f.name;
      EXPECT_TRUE(contains(page, std::string(f.help))) << f.help;
    }
  }
}

TEST(ManPage, HasNoLineThatRoffTakesForARequest) {
  static const std::regex kRequest("^\\.(TH|SH|SS|TP|PP|B|br|nf|fi|RS|RE)( .*)?$");
  std::istringstream lines(ask("man-page").out);
  for (std::string line; std::getline(lines, line);) {
    const bool control = line.starts_with('.') || line.starts_with('\'');
    EXPECT_TRUE(!control || std::regex_match(line, kRequest)) << line;
  }
}

TEST(Help, DoesNotListHiddenCommands) { EXPECT_FALSE(contains(call("help").out, "man-page")); }

TEST(Check, ErrorsComeFirstAndStandAlone) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path / "wrong.py") << R"(import pypto.language as pl

@pl.program
class P:
    @pl.function
    def main(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.assemble(y, pl.slice(x, [16, 64], [0, 8]), [0, 0])
        return y
)";
  const Outcome o = ask("check " + (directory / "wrong.py") + " -p a2a3sim");
  EXPECT_EQ(o.code, kFailed);
  EXPECT_FALSE(contains(o.out, "memory limits")) << o.out;
  EXPECT_LT(o.out.find("error: "), 200u) << o.out;
}

TEST(EmptyValue, IsATextAndNoName) {
  std::ostringstream out, err;
  const Catalog catalog{programs::tour()};
  EXPECT_EQ(run_cli({"check", "tour", "-p", ""}, catalog, out, err), kMistake);
  EXPECT_TRUE(contains(err.str(), "the value of flag --platform is empty")) << err.str();
  err.str("");
  run_cli({"generate", "-m", "/nowhere", "-p", ""}, catalog, out, err);
  EXPECT_FALSE(contains(err.str(), "empty")) << err.str();
  EXPECT_TRUE(contains(err.str(), "/nowhere")) << err.str();
}

TEST(List, WrapsOnATerminalOnly) {
  Terminal narrow;
  narrow.columns = 60;
  const Outcome o = call("list", builtin_catalog(), narrow);
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60u) << line;
  EXPECT_FALSE(contains(o.out, "..\n")) << o.out;
}

}  // namespace
}  // namespace tilewright::cli
