// What is not supported is refused by name, with line and column; nothing is skipped in silence.
#include "support.h"

namespace frontend_test {
namespace {

struct Refused {
  const char* lines;  // of the body, starting at line 16
  const char* error;
  const char* place;
};

class EveryRefusal : public testing::TestWithParam<Refused> {};

TEST_P(EveryRefusal, NamesWhatItIsAndWhere) {
  const std::string told = complaint(program(GetParam().lines));
  const std::string wanted =
      std::string("error: ") + GetParam().error + "\n  at p.py:" + GetParam().place;
  EXPECT_NE(told.find(wanted), std::string::npos) << GetParam().lines << "\n" << told;
  EXPECT_NE(told.find("^\n"), std::string::npos) << "no line is quoted:\n" << told;
}

const Refused kRefusals[] = {
    // ---- Python that programs do not use ----
    {"i = 0\ni += 1\n", "'+=' is not supported", "17:11"},
    {"f = lambda: 1\n", "lambda is not supported", "16:13"},
    {"if (n := 3) > 2:\n    pass\n", "an assignment inside an expression is not supported",
     "16:13"},
    {"def f():\n    pass\n", "a function inside a function is not supported", "16:9"},
    {"import os\n", "'import' inside a program is not supported", "16:9"},
    {"try:\n    pass\nfinally:\n    pass\n", "'try' inside a program is not supported", "16:9"},
    {"raise ValueError\n", "'raise' inside a program is not supported", "16:9"},
    {"del x\n", "'del' inside a program is not supported", "16:9"},
    {"a = b = x\n", "an assignment to several names at once is not supported", "16:13"},
    {"() = x\n", "an assignment to an expression that cannot be assigned", "16:9"},
    {"x.y = 1\n", "an assignment to an expression that is not a name is not supported", "16:9"},
    {"a = 3 @ 4\n", "'@' of an integer and an integer", "16:15"},
    {"a = pl.min(*x)\n", "'*' here is not supported", "16:20"},
    {"t = x[0:16:2, :]\n", "a slice with a step is not supported", "16:15"},
    {"t = x[-1:16, :]\n", "a negative subscript is not supported", "16:15"},
    {"for i in pl.range(2):\n    pass\nelse:\n    pass\n", "'else' of a loop is not supported",
     "19:13"},
    {"x\n", "a statement that does nothing is not supported", "16:9"},
    {"yield x\n", "'yield' inside a program is not supported", "16:9"},
    {"t = pl.create_tensor([4, 4], dtype=pl.FP31)\n",
     "dtype of pl.create_tensor is pl.FP31; did you mean 'FP32'?", "16:44"},
    {"if lens[0] == 1:\n    return y\n", "a return inside a block is not supported", "17:13"},
    {"return y\npass\n", "a statement after return is not supported", "17:9"},
    // ---- pl ----
    {"for i in range(4):\n    pass\n", "cannot loop over range", "16:18"},
    {"for i in pl.split_aiv(3, mode=pl.SplitMode.NONE):\n    pass\n", "pl.split_aiv of 3 lanes",
     "16:31"},
    {"t = pl.aiv_shard(x)\n", "pl.aiv_shard outside pl.split_aiv", "16:13"},
    {"for i in pl.spmd(2, optimizations=[pl.cross_core_slot(slot_num=0)]):\n    pass\n",
     "pl.cross_core_slot of 0", "16:72"},
    {"for i in pl.loop(4):\n    pass\n", "cannot loop over pl.loop", "16:18"},
    {"for i in pl.paralel(4):\n    pass\n", "cannot loop over pl.paralel; did you mean 'parallel'?",
     "16:18"},
    {"for i in pl.range(0, 4, 1, 2):\n    pass\n", "pl.range with 4 positional arguments", "16:36"},
    {"for i in pl.range(4, step=2):\n    pass\n", "pl.range with step=", "16:30"},
    {"for i in pl.pipeline(4):\n    pass\n", "pl.pipeline needs stage", "16:18"},
    {"for i in pl.range(4, stage=2):\n    pass\n",
     "pl.range has no argument stage; did you mean 'start'?", "16:30"},
    {"for i in pl.spmd(1, 4):\n    pass\n", "pl.spmd with a start or step", "16:18"},
    {"for i, (a,) in pl.range(4):\n    pass\n", "loop state without init_values", "16:9"},
    {"for i, (a,) in pl.range(4, init_values=(y, z)):\n    pass\n",
     "2 initial values for 1 loop state", "16:48"},
    {"(a,) = pl.yield_(y)\n", "pl.yield_ outside a loop with init_values, and outside a branch",
     "16:9"},
    {"with pl.at(level=pl.Level.CHIPS):\n    pass\n",
     "level of pl.at is pl.Level.CHIPS; did you mean 'Level.CHIP'?", "16:26"},
    {"with pl.at(levle=1):\n    pass\n", "pl.at has no argument levle; did you mean 'level'?",
     "16:20"},
    {"with pl.at(optimizations=[pl.fast]):\n    pass\n", "pl.fast is not supported", "16:35"},
    {"with open(x):\n    pass\n", "'with open' is not supported", "16:9"},
    {"t = pl.topk(x, 4)\n", "pl.topk is not supported", "16:13"},
    {"t = pl.mtmul(x, x)\n", "pl.mtmul is not supported; did you mean 'matmul'?", "16:13"},
    {"pl.system.syncall(core_type=\"mix\")\n",
     "pl.system.syncall that is not a separate statement in pl.spmd is not supported", "16:9"},
    {"t = pld.remote_load(x)\n", "pld.remote_load in a program of one device is not supported",
     "16:13"},
    {"t = torch.rand(4)\n", "cannot call torch.rand", "16:13"},
    {"t = self.kernel(x)\n", "cannot call self.kernel", "16:13"},
    {"t = pl.tile.get_block_idx()\n", "pl.tile.get_block_idx outside pl.spmd", "16:13"},
    {"t = pl.cast(x, target_type=pl.FP32, mode=\"odd\")\n", "cast mode \"odd\" is not supported",
     "16:50"},
    {"t = pl.transpose(x, 0, 2)\n",
     "a transpose of other dimensions than the two of a 2-D tile is not supported", "16:13"},
    {"t = pl.gather(x, dim=0, index=lens)\n",
     "a gather along a dimension other than the last is not supported", "16:30"},
    {"t = pl.create_tensor([4, 4], dtype=pl.FP32, layout=pl.Layout.NZ)\n",
     "a tensor created in a layout other than ND is not supported", "16:60"},
    {"t = pl.assemble(y, x, [0, 0], atomic=pl.AtomicType.Max)\n",
     "atomic of pl.assemble is pl.AtomicType.Max", "16:46"},
    // ---- values of the wrong kind ----
    {"t = pl.slice(x, [0, 0])\n", "pl.slice needs offset", "16:13"},
    {"t = pl.slice(x, 16, [0, 0])\n", "shape of pl.slice is an integer", "16:25"},
    {"t = pl.slice(x, [16, 2.0], [0, 0])\n", "shape of pl.slice is a number", "16:25"},
    {"t = pl.slice([1], [16, 2], [0, 0])\n", "x of pl.slice is a list", "16:22"},
    {"n = pl.read(lens, [0])\nt = pl.slice(x, [n, 4], [0, 0])\n",
     "shape of pl.slice is only known when the program runs", "17:25"},
    {"n = pl.read(lens, [0])\nt = x[0:n, :]\n",
     "the extent of dimension 0 is only known when the program runs", "17:15"},
    {"t = x[0, 0, 0]\n", "3 subscripts into x [16 x 64] f32", "16:13"},
    {"t = x + x\n", "'+' of a tensor and a tensor", "16:15"},
    {"n = pl.read(lens, [0]) / 2\n", "'/' of an integer and an integer", "16:32"},
    {"n = N // 0\n", "'//' by zero", "16:15"},
    {"n = -x\n", "'-' before a tensor", "16:13"},
    {"n = max(pl.read(lens, [0]), 1)\n", "Python's max of run-time values is not supported",
     "16:13"},
    {"n = pl.read(lens, [0, 0])\n", "read of one element of lens [8] i32 with 2 numbers", "16:13"},
    {"n = 99999999999999999999\n", "'99999999999999999999' is not a number that fits 64 bits",
     "16:13"},
    {"a, c = x\n", "cannot unpack a tensor into 2 names", "16:9"},
    {"t: pl.Tensor[[4, 4], pl.FP32] = pl.slice(x, [4, 8], [0, 0])\n",
     "t is annotated [4 x 4] f32, but is [4 x 8] f32", "16:12"},
    // ---- names ----
    {"t = pl.add(xx, 1.0)\n", "unknown name xx; did you mean 'x'?", "16:20"},
    {"t = pl.add(X, 1.0)\n", "unknown name X; did you mean 'x'?", "16:20"},
    {"t = pl.add(qzq, 1.0)\n", "unknown name qzq", "16:20"},
    {"if pl.read(lens, [0]) == 0:\n    g = pl.add(x, 1.0)\nelse:\n    g = pl.add(g, 1.0)\n",
     "g is assigned only in the other branch of the if", "19:24"},
    {"y2 = pl.assemble(y, x, [0, 0])\nz = pl.assemble(z, y, [0, 0])\n",
     "y is read after its buffer was written as y2", "17:28"},
    {"for i in pl.range(4):\n    y2 = pl.assemble(y, x, [0, 0])\n",
     "the next trip reads y, whose buffer was written as y2", "16:9"},
    {"t = pl.create_tensor([16, N], dtype=pl.FP32)\nfor i in pl.range(4):\n    y = pl.assemble(y, "
     "t, [0, 0])\n    t = pl.create_tensor([16, 8], dtype=pl.FP32)\n",
     "t [16 x 64] f32 becomes [16 x 8] f32 in a loop or branch", "19:17"},
    {"for i in pl.range(4):\n    z = pl.assemble(z, y, [0, 0])\n    y = x\n",
     "y becomes another tensor, x, in a loop or branch", "18:13"},
    {"return x, pl.slice(x, [1, 1], [0, 0])\n", "p returns pl.slice(...), which is not a parameter",
     "7:5"},
};

INSTANTIATE_TEST_SUITE_P(Frontend, EveryRefusal, testing::ValuesIn(kRefusals));

// An operator that is no operation of programs says which line to write instead.
TEST(Refusal, AugmentedAssignmentsSayWhatToWrite) {
  const struct {
    const char* line;
    const char* help;
  } kCases[] = {
      {"t += x  # more", "write t = pl.add(t, x)"},
      {"t += pl.matmul(b, w)", "write t = pl.matmul_acc(t, b, w)"},
      {"t -= 1.0", "write t = pl.sub(t, 1.0)"},
      {"t *= x", "write t = pl.mul(t, x)"},
      {"t /= x", "write t = pl.div(t, x)"},
      {"t @= w", "write t = pl.matmul(t, w)"},
      {"t //= x", "write it with pl. calls"},
      {"y[0:8, :] += x[0:8, :]", "write y[0:8, :] = pl.add(y[0:8, :], x[0:8, :])"},
      {"n += 1", "write n = n + 1"},
      {"n -= N", "write n = n - N"},
      {"n *= 2", "write n = n * 2"},
      {"n //= 2", "write n = n // 2"},
      {"n %= 3", "write n = n % 3"},
  };
  for (const auto& c : kCases) {
    const std::string told =
        complaint(program("n = pl.read(lens, [0])\nt = pl.create_tensor([16, N], dtype=pl.FP32)\n" +
                          std::string(c.line) + "\n"));
    EXPECT_NE(told.find(" is not supported\n  at p.py:18:"), std::string::npos) << told;
    EXPECT_NE(told.find(std::string("  help: ") + c.help + "\n"), std::string::npos)
        << c.line << "\n"
        << told;
  }
}

TEST(Refusal, OperatorsOfTensorsNameTheCall) {
  for (const auto& [op, call] : {std::pair("+", "pl.add"),
                                 {"-", "pl.sub"},
                                 {"*", "pl.mul"},
                                 {"/", "pl.div"},
                                 {"@", "pl.matmul"}})
    EXPECT_NE(complaint(program(std::string("t = x ") + op + " z\n"))
                  .find(std::string("  help: use ") + call + " for tensors\n"),
              std::string::npos)
        << op;
}

TEST(Refusal, SaysWhichImportAConstantWouldComeFrom) {
  EXPECT_NE(complaint("from config import M\n" + program("n = M\n"))
                .find("error: M cannot be used: module config is not found; --path DIR names a "
                      "directory to look in (p.py:1:1)\n"),
            std::string::npos);
}

TEST(Refusal, AGuardAndAnAssertOfTheFile) {
  const std::string file =
      "import pypto.language as pl\n"
      "def build(n=64):\n"
      "    if n % 16 != 0:\n"
      "        raise ValueError(f\"n is {n}\")\n"
      "    assert n < 1000\n"
      "    @pl.program\n"
      "    class P:\n"
      "        @pl.function\n"
      "        def p(self, x: pl.InOut[pl.Tensor[[n], pl.FP32]]):\n"
      "            return x\n"
      "    return P\n";
  EXPECT_EQ(complaint(file), "");
  EXPECT_NE(complaint(file, {{"n", "40"}})
                .find("error: a check in the file rejects these sizes: raise ValueError"),
            std::string::npos);
  EXPECT_NE(
      complaint(file, {{"n", "1024"}}).find("error: an assert in the file fails\n  at p.py:5:14\n"),
      std::string::npos);
  EXPECT_NE(complaint(file, {{"m", "1"}}).find("error: no parameter or constant \"m\" to set\n"),
            std::string::npos);
  EXPECT_NE(complaint(file, {{"n_", "1"}})
                .find("error: no parameter or constant \"n_\" to set; did you mean 'n'?\n"),
            std::string::npos);
}

TEST(Refusal, AMisspeltTypeOfAFunction) {
  const auto told = [](const std::string& arguments) {
    const std::string text = complaint(
        "import pypto.language as pl\n@pl.program\nclass P:\n    @pl.function(" + arguments +
        ")\n    def main(self, x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n        return x\n");
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(told("type=pl.FunctionType.Orchestration"), "");
  EXPECT_EQ(told("type=pl.FunctionType.SomethingNew, other=1"), "");
  EXPECT_EQ(told("type=pl.FunctionType.Incore"),
            "error: unknown type pl.FunctionType.Incore; did you mean 'pl.FunctionType.InCore'?");
  EXPECT_EQ(told("type=pl.FunctionTyp.Orchestration"),
            "error: unknown type pl.FunctionTyp.Orchestration; did you mean "
            "'pl.FunctionType.Orchestration'?");
  EXPECT_EQ(told("typ=pl.FunctionType.InCore"),
            "error: argument typ of a decorator; did you mean 'type'?");
}

// A file in which something is nearly a program: the message points there.
TEST(Refusal, FilesWithSomethingThatIsNearlyAProgram) {
  const std::string body =
      "    @pl.function\n"
      "    def main(self, x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n"
      "        return x\n";
  EXPECT_EQ(complaint("@pl.program\nclass P\n" + body),
            "error: the end of the line where ':' is expected after the head of a block\n"
            "  at p.py:2:8\n"
            "    2 | class P\n"
            "      |        ^\n"
            "  a program file is written in Python\n"
            "  help: write ':' here\n");
  EXPECT_EQ(complaint("import pypto.language as pl\n@pl.progam\nclass P:\n" + body),
            "error: the file holds no program\n"
            "  at p.py:2:2\n"
            "    2 | @pl.progam\n"
            "      |  ^\n"
            "  a program is a class decorated with @pl.program, or a function decorated with "
            "@pl.jit\n"
            "  help: write @pl.program in place of @pl.progam\n");
  EXPECT_NE(complaint("class P:\n" + body).find("  at p.py:1:1\n"), std::string::npos);
  EXPECT_NE(complaint("class P:\n" + body).find("  help: write @pl.program above class P\n"),
            std::string::npos);
  EXPECT_NE(complaint("@pl.jitt\ndef f(x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    return x\n")
                .find("  help: write @pl.jit in place of @pl.jitt\n"),
            std::string::npos);
}

// A value of another type is a mistake of the request, not of the file.
TEST(Refusal, AnArgumentOfAnotherType) {
  const std::string file =
      "B = pl.dynamic(\"B\")\n@pl.jit\n"
      "def f(x: pl.InOut[pl.Tensor[[B, 4], pl.FP32]], n: pl.Scalar[pl.INDEX]):\n    return x\n";
  EXPECT_EQ(complaint(file, {{"B", "abc"}, {"n", "1"}}),
            "error: B is an integer, 'abc' is not\n"
            "  in --arg B=abc\n"
            "  the value of --arg has the type of the value that it replaces\n"
            "  help: write for example --arg B=64\n");
  for (const std::string& value : {std::string("abc"), std::string("1.5")})
    EXPECT_NE(complaint(file, {{"B", "4"}, {"n", value}})
                  .find("error: n is an integer, '" + value + "' is not\n  in --arg n=" + value),
              std::string::npos);
  // n is a parameter, although the program cannot be built without a size.
  EXPECT_NE(complaint(file, {{"n", "1"}}).find("error: a size is not known: B\n"),
            std::string::npos);
}

// Every letter is as near to every other.
TEST(Refusal, AnotherLetterIsNoSuggestion) {
  const std::string told =
      complaint("N = 4\n@pl.jit\ndef f(x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    return z\n");
  EXPECT_NE(told.find("error: unknown name z\n"), std::string::npos) << told;
}

// Python stops at a decorator that pl does not have.
TEST(Refusal, AMisspeltDecoratorOfAFunction) {
  const std::string told = complaint(
      "@pl.program\n"
      "class P:\n"
      "    @pl.functoin\n"
      "    def main(self, x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n"
      "        return x\n");
  EXPECT_NE(told.find("error: @pl.functoin is not supported; did you mean 'function'?\n"
                      "  at p.py:3:6, program P\n"),
            std::string::npos)
      << told;
}

TEST(Refusal, AMisspeltElementType) {
  const std::string told =
      complaint("@pl.jit\ndef f(x: pl.InOut[pl.Tensor[[4], pl.FP31]]):\n    return x\n");
  EXPECT_NE(told.find("error: the element type is pl.FP31; did you mean 'FP32'?\n"),
            std::string::npos)
      << told;
}

TEST(Refusal, FilesWithoutAProgramAndWithSeveral) {
  EXPECT_EQ(complaint("x = 1\n"),
            "error: the file holds no program\n"
            "  in p.py\n"
            "  a program is a class decorated with @pl.program, or a function decorated with "
            "@pl.jit\n"
            "  help: check that this is the right file\n");
  const std::string two =
      "@pl.jit\ndef a(x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    return x\n"
      "@pl.jit\ndef b(x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    return x\n";
  EXPECT_NE(complaint(two).find("error: the file holds 2 programs\n"), std::string::npos);
  const auto file = frontend::File::parse("p.py", two);
  EXPECT_EQ(file.programs(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.lower("b", {}).program.name, "b");
  EXPECT_THROW(file.lower("c", {}), UserError);
}

TEST(Refusal, HostStepsAndFunctionsWithoutABody) {
  const auto with = [](const std::string& decorator, const std::string& body) {
    return complaint("@pl.program\nclass P:\n    " + decorator +
                     "\n    def p(self, x: pl.Tensor[[4], pl.FP32]):\n        " + body + "\n");
  };
  EXPECT_NE(with("@pl.function(level=pl.Level.HOST)", "return x")
                .find("error: program P has no entry function\n"),
            std::string::npos);
  EXPECT_NE(complaint("@pl.jit.inline\ndef k(x: pl.Tensor):\n    ...\n@pl.jit\ndef p(x: "
                      "pl.Tensor[[4], pl.FP32]):\n    k(x)\n")
                .find("error: k has no body here, which is not supported\n"),
            std::string::npos);
}

TEST(Refusal, ManyMistakesAreToldTogetherButNotForever) {
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += "t = pl.add(unknown" + std::to_string(i) + ", 1.0)\nu = pl.exp(t)\n";
  const auto l = lower(program(body));
  EXPECT_EQ(l.program.diagnostics.error_count(), 20U);
}

// Types are checked by ir's own rules, and the message points into the file.
TEST(Refusal, TypeRulesQuoteTheLine) {
  EXPECT_EQ(complaint(in_scope("a = pl.slice(b, [16, 32], [0, 0])\nt = pl.matmul(a, w)\n")),
            "error: matmul of a [16 x 32] bf16 and w [64 x 64] bf16: K is 32 on the left and 64 on "
            "the right\n"
            "  at p.py:18:17, program P, scope \"s\"\n"
            "    18 | t = pl.matmul(a, w)\n"
            "       |     ^\n"
            "  the inner dimensions of a matmul must be equal\n"
            "  help: slice both operands by the same K tile\n");
}

// One mistake, told once.
TEST(Refusal, TheAccumulatorComesFirst) {
  const std::string sum = "a = pl.matmul(b, w)\nfor i in pl.range(2):\n    a = pl.matmul_acc(";
  EXPECT_EQ(complaint(in_scope(sum + "b, w, a)\ny = pl.assemble(y, a, [0, 0])\n")),
            "error: matmul_acc adds to its first argument, b [16 x 64] bf16, a product with a [16 x "
            "64] f32\n"
            "  at p.py:19:21, program P, scope \"s\"\n"
            "    19 | a = pl.matmul_acc(b, w, a)\n"
            "       |     ^\n"
            "  the arguments of matmul_acc are the accumulator, then the left and the right "
            "operand\n"
            "  help: write pl.matmul_acc(a, b, w)\n");
  EXPECT_EQ(complaint(in_scope(sum + "a, b, w)\ny = pl.assemble(y, a, [0, 0])\n")), "");
}

// load and slice take the same lists in different orders.
TEST(Refusal, ShapesAndOffsetsAreNotMistaken) {
  const auto told = [](const std::string& line) {
    return complaint(in_scope(line + "\ny = pl.store(t, [0, 0], y)\n"));
  };
  EXPECT_NE(told("t = pl.load(x, [16, N], [0, 0])")
                .find("error: load of shape [0 x 0]\n"), std::string::npos);
  EXPECT_NE(told("t = pl.load(x, [16, N], [0, 0])")
                .find("  help: load takes offsets, then shapes: x, [0, 0], [16, 64]\n"),
            std::string::npos);
  EXPECT_NE(told("t = pl.slice(x, [0, 0], [16, N])")
                .find("  help: slice takes shapes, then offsets: x, [16, 64], [0, 0]\n"),
            std::string::npos);
  EXPECT_EQ(told("t = pl.load(x, [0, 0], [16, N])"), "");
}

}  // namespace
}  // namespace frontend_test
