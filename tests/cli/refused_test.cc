// A program that is wrong is refused alike by every command: the same message, exit code 1, whether
// the program was written so or a key made it so. A request that is wrong exits with 2.
#include <gtest/gtest.h>

#include <fstream>

#include "support.h"

namespace tilewright::cli {
namespace {

struct Refused {
  const char* name;
  const char* program;  // its name, and the flags that make it wrong
  const char* message;
};

class EveryCommand : public testing::TestWithParam<Refused> {};

TEST_P(EveryCommand, RefusesTheProgramWithOne) {
  const TemporaryDirectory dir;
  const std::string program = GetParam().program;
  const std::string page = " -o " + (dir / "page.html");
  for (const std::string& line :
       {"check " + program + " -p a2a3sim", "run " + program + " -p a2a3sim",
        "show " + program + " -p a2a3sim --after unroll", "sim " + program,
        "profile " + program + page,
        "compare " + program + " " + program.substr(0, program.find(' ')), "advise " + program,
        "advise " + program + " --apply", "tune " + program + " --budget 1 --space norm_k=32,64"}) {
    const Outcome o = ask(line);
    EXPECT_EQ(o.code, kFailed) << line << "\n" << o.err;
    EXPECT_TRUE(contains(o.out + o.err, GetParam().message)) << line << "\n" << o.out << o.err;
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path)) << "no page of a program that was refused";
}

INSTANTIATE_TEST_SUITE_P(
    Programs, EveryCommand,
    testing::Values(Refused{"OperandBudget", "qwen3/decode-tilelet --set proj_k=256",
                            "the budget is"},
                    Refused{"InvalidInputs", "qwen3/decode --shape tiny --set ctx=65", "seq_lens"},
                    Refused{"Builder", "qwen3/scope1 --set q_n=100", "q_n=100 does not divide"},
                    Refused{"Capacity", "qwen3/scope1 --set q_n=8192", "buffer overflow"}),
    [](const auto& info) { return info.param.name; });

TEST(ProgramFiles, ThatAreWrongExitWithOneAndThoseThatAreNotThereWithTwo) {
  const TemporaryDirectory dir;
  const std::string file = dir / "layer.py";
  std::ofstream(file) << "import pypto.language as pl\nx = (\n";
  for (const char* command : {"check ", "show ", "run ", "sim ", "advise ", "list "}) {
    const Outcome o = ask(command + file);
    EXPECT_EQ(o.code, kFailed) << command << o.err;
    EXPECT_TRUE(contains(o.err, "'(' is never closed")) << o.err;
    EXPECT_EQ(ask(command + (dir / "none.py")).code, kMistake) << command;
  }
}

}  // namespace
}  // namespace tilewright::cli
