// What a program does with its parameters decides which of them are outputs.
#include "support.h"

namespace frontend_test {
namespace {

TEST(Names, AParameterThatIsWrittenIsAnOutput) {
  const auto l = lower(
      program("with pl.incore():\n    x = pl.assemble(x, pl.slice(z, [1, N], [0, 0]), [0, 0])\n"));
  EXPECT_EQ(l.program.params[0].direction, ir::Direction::InOut);
  EXPECT_EQ(l.program.params[1].direction, ir::Direction::In);
  EXPECT_EQ(l.program.diagnostics.text(),
            "note: parameter x is written, so it is treated as InOut\n"
            "  at p.py:9:9, program P\n"
            "    9 | x: pl.Tensor[[16, N], pl.FP32],\n"
            "      | ^\n"
            "  every parameter that a program writes is an output\n"
            "  help: declare it pl.InOut[...], or pl.Out[...] if every element of x is written\n");
}

// Two outputs, of which the body writes the first; `end` are its last lines.
std::string two_outputs(const std::string& end) {
  return "@pl.jit\n"
         "def p(\n"
         "    x: pl.Tensor[[16, 64], pl.FP32],\n"
         "    logits: pl.Out[pl.Tensor[[16, 8], pl.FP32]],\n"
         "    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],\n"
         "):\n"
         "    with pl.at(level=pl.Level.CORE_GROUP):\n"
         "        y = pl.assemble(y, pl.exp(x), [0, 0])\n" +
         end;
}

TEST(Directions, AnOutputThatIsNeitherWrittenNorReturnedKeepsAPlace) {
  const auto l = lower(two_outputs("    return y\n"));
  EXPECT_EQ(l.program.params[1].direction, ir::Direction::In);
  EXPECT_EQ(l.program.params[2].direction, ir::Direction::Out);
  EXPECT_EQ(l.program.diagnostics.text(),
            "warning: parameter logits is declared Out, but neither written nor returned\n"
            "  at p.py:4:5, program p\n"
            "    4 | logits: pl.Out[pl.Tensor[[16, 8], pl.FP32]],\n"
            "      | ^\n"
            "  a parameter that is neither written nor returned is not an output\n"
            "  help: write it if it is a result, or declare it without pl.Out\n");
}

// compile then refuses them: out-unwritten.
TEST(Directions, WithoutSuchAReturnEveryOutIsAResult) {
  for (const std::string end :
       {"", "    return\n", "    return logits\n", "    return y, logits\n"}) {
    const auto l = lower(two_outputs(end));
    EXPECT_EQ(l.program.params[1].direction, ir::Direction::Out) << end;
    EXPECT_EQ(l.program.diagnostics.text(), "") << end;
  }
}

TEST(Directions, AMistakeInTheBodyIsNoReasonToDoubtAnOutput) {
  const auto l = lower(two_outputs("    logits = pl.nonsense(x)\n    return y\n"));
  EXPECT_EQ(l.program.params[1].direction, ir::Direction::Out);
  EXPECT_EQ(l.program.diagnostics.text().find("neither written"), std::string::npos);
}

}  // namespace
}  // namespace frontend_test
