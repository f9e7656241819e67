// Names are values in Python and buffers in a program: which buffers a foreign file gets.
#include "support.h"

namespace frontend_test {
namespace {

std::string body_of(const std::string& lines) {
  const auto l = lower(program(lines));
  EXPECT_EQ(l.program.diagnostics.error_count(), 0U) << l.program.diagnostics.text();
  return listing(l.program);
}

TEST(Names, AnAssignmentMakesABufferOfItsOwn) {
  EXPECT_EQ(
      scope_listing(
          "t = pl.slice(x, [16, N], [0, 0])\nt = pl.exp(t)\nt = pl.cast(t, target_type=pl.BF16)\n"),
      "t = pl.slice(x, [16, 64], [0, 0])\nt_1 = pl.exp(t)\nt_2 = pl.cast(t_1, "
      "target_type=pl.BF16)\n");
}

TEST(Names, TwoScopesThatUseANameDoNotShareATile) {
  EXPECT_EQ(body_of("for i in pl.range(2):\n"
                    "    with pl.incore():\n        t = pl.slice(x, [16, 32], [0, i * 32])\n       "
                    " y = pl.assemble(y, t, [0, i * 32])\n"
                    "    with pl.incore():\n        t = pl.slice(z, [16, 32], [0, i * 32])\n       "
                    " z = pl.assemble(z, t, [0, i * 32])\n"),
            "for i in pl.range(2):\n"
            "    with pl.at(level=pl.Level.CORE_GROUP):\n"
            "        t = pl.slice(x, [16, 32], [0, i * 32])\n"
            "        y = pl.assemble(y, t, [0, i * 32])\n"
            "    with pl.at(level=pl.Level.CORE_GROUP):\n"
            "        t_1 = pl.slice(z, [16, 32], [0, i * 32])\n"
            "        z = pl.assemble(z, t_1, [0, i * 32])\n");
}

TEST(Names, ALoopCarriesANameThatItReadsFirst) {
  EXPECT_EQ(
      scope_listing(
          "s = pl.full([16, N], dtype=pl.FP32, value=0.0)\n"
          "for i in pl.range(4):\n    t = pl.slice(x, [16, N], [0, 0])\n    s = pl.add(s, t)\n"
          "y = pl.assemble(y, s, [0, 0])\n"),
      "s = pl.full([16, 64], dtype=pl.FP32, value=0.0)\n"
      "for i in pl.range(4):\n    t = pl.slice(x, [16, 64], [0, 0])\n    s = pl.add(s, t)\n"
      "y = pl.assemble(y, s, [0, 0])\n");
}

TEST(Names, AValueThatBecomesTheCarriedOneIsMadeInPlaceIfNobodyElseReadsIt) {
  EXPECT_EQ(scope_listing(
                "s = pl.full([16, N], dtype=pl.FP32, value=0.0)\n"
                "for i in pl.range(4):\n    n = pl.add(s, 1.0)\n    s = n\n"
                "for i in pl.range(4):\n    n = pl.add(s, 1.0)\n    d = pl.sub(s, n)\n    s = n\n"),
            "s = pl.full([16, 64], dtype=pl.FP32, value=0.0)\n"
            "for i in pl.range(4):\n    s = pl.add(s, 1.0)\n"
            "for i_1 in pl.range(4):\n    n = pl.add(s, 1.0)\n    d = pl.sub(s, n)\n    s = n\n");
}

TEST(Names, TheFirstTripMayMakeTheAccumulator) {
  EXPECT_EQ(scope_listing("acc = pl.create_tensor([16, N], dtype=pl.FP32)\n"
                          "for k in pl.pipeline(0, N, 32, stage=2):\n"
                          "    a = b[:, k : k + 32]\n"
                          "    c = w[k : k + 32, :]\n"
                          "    if k == 0:\n        acc = pl.matmul(a, c)\n    else:\n        acc = "
                          "pl.matmul_acc(acc, a, c)\n"
                          "y = pl.assemble(y, acc, [0, 0])\n"),
            "acc = pl.create_tensor([16, 64], dtype=pl.FP32)\n"
            "for k in pl.pipeline(0, 64, 32, stage=2):\n"
            "    a = pl.slice(b, [16, 32], [0, k])\n"
            "    c = pl.slice(w, [32, 64], [k, 0])\n"
            "    if k == 0:\n        acc = pl.matmul(a, c, out_dtype=pl.FP32)\n"
            "    else:\n        acc = pl.matmul_acc(acc, a, c)\n"
            "y = pl.assemble(y, acc, [0, 0])\n");
}

TEST(Names, BothSidesOfABranchMakeOneBuffer) {
  EXPECT_EQ(scope_listing(
                "n = pl.read(lens, [0])\n"
                "t = pl.slice(x, [16, N], [0, 0])\n"
                "if n == 1:\n    t = pl.exp(t)\n    k = 1\nelse:\n    t = pl.neg(t)\n    k = 2\n"
                "y = pl.assemble(y, t, [0, k])\n"),
            "n = pl.tensor.read(lens, [0])\n"
            "t = pl.slice(x, [16, 64], [0, 0])\n"
            "if n == 1:\n    t_1 = pl.exp(t)\n    k = 1\nelse:\n    t_1 = pl.neg(t)\n    k = 2\n"
            "y = pl.assemble(y, t_1, [0, k])\n");
}

TEST(Names, EachSideOfABranchStartsFromTheNamesBeforeIt) {
  EXPECT_EQ(
      body_of("n = pl.read(lens, [0])\n"
              "if n == 1:\n    y2 = pl.assemble(y, x, [0, 0])\nelse:\n    y2 = pl.assemble(y, z, "
              "[0, 0])\nreturn y2\n"),
      "n = pl.tensor.read(lens, [0])\n"
      "if n == 1:\n    y = pl.assemble(y, x, [0, 0])\nelse:\n    y = pl.assemble(y, z, [0, 0])\n");
}

TEST(Names, ABranchCannotChooseBetweenNumbersOfPython) {
  EXPECT_NE(complaint(in_scope("n = pl.read(lens, [0])\nif n == 1:\n    f = 0.5\nelse:\n    f = "
                               "0.25\ny = pl.mul(x, f)\n"))
                .find("error: f is a number on one branch of the if and a number on the other\n  "
                      "at "
                      "p.py:18:13,"),
            std::string::npos);
}

TEST(Names, ABranchThatIsNotReadLaterMergesNothing) {
  EXPECT_EQ(
      scope_listing(
          "n = pl.read(lens, [0])\n"
          "if n == 1:\n    t = pl.slice(x, [16, N], [0, 0])\n    y = pl.assemble(y, t, [0, 0])\n"
          "else:\n    t = pl.slice(b, [16, N], [0, 0])\n    y = pl.assemble(y, pl.cast(t, "
          "pl.FP32), [0, 0])\n"),
      "n = pl.tensor.read(lens, [0])\n"
      "if n == 1:\n    t = pl.slice(x, [16, 64], [0, 0])\n    y = pl.assemble(y, t, [0, 0])\n"
      "else:\n    t_1 = pl.slice(b, [16, 64], [0, 0])\n    cast = pl.cast(t_1, "
      "target_type=pl.FP32)\n    y = pl.assemble(y, cast, [0, 0])\n");
}

TEST(Names, ClearingByMultiplicationWithZero) {
  EXPECT_EQ(scope_listing("t = pl.create_tensor([16, N], dtype=pl.FP32)\nt = pl.mul(t, 0.0)\n"),
            "t = pl.create_tensor([16, 64], dtype=pl.FP32)\nt_1 = pl.full([16, 64], dtype=pl.FP32, "
            "value=0.0)\n");
  EXPECT_EQ(scope_listing("t = pl.exp(pl.slice(x, [16, N], [0, 0]))\nt = pl.mul(t, 0.0)\n"),
            "slice = pl.slice(x, [16, 64], [0, 0])\nt = pl.exp(slice)\nt_1 = pl.mul(t, 0.0)\n");
}

TEST(Names, AWholeOutputIsWritten) {
  EXPECT_EQ(scope_listing("y = pl.exp(pl.slice(x, [16, N], [0, 0]))\n"),
            "slice = pl.slice(x, [16, 64], [0, 0])\ny = pl.exp(slice)\n");
}

TEST(Names, ExtentsFoldThroughNames) {
  EXPECT_EQ(scope_listing("for i in pl.range(2):\n    lo = i * 32\n    hi = (i + 1) * 32\n    y[:, "
                          "lo:hi] = x[:, lo:hi]\n"),
            "for i in pl.range(2):\n    slice = pl.slice(x, [16, 32], [0, i * 32])\n    y = "
            "pl.assemble(y, slice, [0, i * 32])\n");
}

TEST(Names, LoopStateTakesOverItsInitialValueUnlessThatIsStillNeeded) {
  const std::string loop =
      "for i, (s,) in pl.range(4, init_values=(zero,)):\n    n = pl.add(s, 1.0)\n    (done,) = "
      "pl.yield_(n)\n";
  const std::string zero = "zero = pl.full([16, N], dtype=pl.FP32, value=0.0)\n";
  EXPECT_EQ(
      scope_listing(zero + loop + "y = pl.assemble(y, done, [0, 0])\n"),
      "zero = pl.full([16, 64], dtype=pl.FP32, value=0.0)\n"
      "for i in pl.range(4):\n    zero = pl.add(zero, 1.0)\ny = pl.assemble(y, zero, [0, 0])\n");
  EXPECT_EQ(scope_listing(zero + loop + "y = pl.assemble(y, pl.add(done, zero), [0, 0])\n"),
            "zero = pl.full([16, 64], dtype=pl.FP32, value=0.0)\n"
            "s = zero\n"
            "for i in pl.range(4):\n    s = pl.add(s, 1.0)\nadd = pl.add(s, zero)\ny = "
            "pl.assemble(y, add, [0, 0])\n");
}

TEST(Names, LoopStateMayBeAnInteger) {
  EXPECT_EQ(scope_listing("for i, (row,) in pl.range(4, init_values=(2,)):\n"
                          "    y = pl.assemble(y, pl.slice(x, [1, N], [row, 0]), [row, 0])\n    "
                          "(end,) = pl.yield_(row + 3)\n"
                          "y = pl.assemble(y, pl.slice(x, [1, N], [end, 0]), [end, 0])\n"),
            "row = 2\n"
            "for i in pl.range(4):\n    slice = pl.slice(x, [1, 64], [row, 0])\n    y = "
            "pl.assemble(y, slice, [row, 0])\n    row = row + 3\n"
            "slice_1 = pl.slice(x, [1, 64], [row, 0])\ny = pl.assemble(y, slice_1, [row, 0])\n");
}

TEST(Names, AReaderTakesTheValidPartOfAView) {
  EXPECT_EQ(body_of("n = pl.tensor.read(lens, [0])\n"
                    "rows = pl.slice(x, [8, N], [4, 0], valid_shape=[n, N])\n"
                    "with pl.incore():\n"
                    "    a = pl.load(rows, [2, 0], [4, 32])\n"
                    "    d = pl.load(rows, [0, 0], [4, 32], valid_shape=[1, 32])\n"
                    "    c = pl.exp(rows)\n"),
            "n = pl.tensor.read(lens, [0])\n"
            "rows = pl.slice(x, [8, 64], [4, 0])\n"
            "with pl.at(level=pl.Level.CORE_GROUP):\n"
            "    a = pl.load(rows, [2, 0], [4, 32], target_memory=pl.MemorySpace.Vec, "
            "valid_shape=[pl.min(4, n - 2), 32])\n"
            "    d = pl.load(rows, [0, 0], [4, 32], target_memory=pl.MemorySpace.Vec, "
            "valid_shape=[1, 32])\n"
            "    slice = pl.slice(rows, [8, 64], [0, 0], valid_shape=[pl.min(8, n), 64])\n"
            "    c = pl.exp(slice)\n");
}

TEST(Names, AnOutputThatIsReshapedBackIsTheOutput) {
  EXPECT_EQ(body_of("flat = pl.reshape(y, [1, 1024])\n"
                    "with pl.incore():\n"
                    "    flat[:, :] = pl.full([1, 1024], dtype=pl.FP32, value=1.0)\n"
                    "y = pl.reshape(flat, [16, N])\n"
                    "with pl.incore():\n    y[0:1, :] = x[0:1, :]\n"),
            "flat = pl.reshape(y, [1, 1024])\n"
            "with pl.at(level=pl.Level.CORE_GROUP):\n"
            "    full = pl.full([1, 1024], dtype=pl.FP32, value=1.0)\n"
            "    flat = pl.assemble(flat, full, [0, 0])\n"
            "with pl.at(level=pl.Level.CORE_GROUP):\n"
            "    slice = pl.slice(x, [1, 64], [0, 0])\n"
            "    y = pl.assemble(y, slice, [0, 0])\n");
}

TEST(Names, ATensorThatIsClearedOutsideAScopeIsMadeFilled) {
  EXPECT_EQ(body_of("sums = pl.create_tensor([16, N], dtype=pl.FP32)\nsums = pl.mul(sums, 0.0)\n"),
            "sums = pl.create_tensor([16, 64], dtype=pl.FP32)\n"
            "sums_1 = pl.create_tensor([16, 64], dtype=pl.FP32, init_value=0.0)\n");
}

TEST(Names, AStoreLeavesTheNamesOfItsTensor) {
  EXPECT_EQ(scope_listing("for i in pl.range(2):\n"
                          "    after = pl.store(pl.load(x, [i, 0], [1, N]), [i, 0], y)\n"),
            "for i in pl.range(2):\n"
            "    load = pl.load(x, [i, 0], [1, 64], target_memory=pl.MemorySpace.Vec)\n"
            "    y = pl.store(load, [i, 0], y)\n");
}

TEST(Names, AClusterAroundALaunchIsTheLaunch) {
  const std::string launch =
      "with pl.spmd(core_num=4):\n    i = pl.get_block_idx()\n    y[i:i + 1, :] = x[i:i + 1, :]\n";
  EXPECT_EQ(body_of("with pl.cluster():\n" + indented(launch, 4)), body_of(launch));
}

TEST(Names, AYieldInABranchIsTheValueOfTheIf) {
  EXPECT_EQ(scope_listing("n = pl.read(lens, 0)\n"
                          "for i, (s,) in pl.range(4, init_values=(0,)):\n"
                          "    if i < n:\n        (row,) = pl.yield_(s + 1)\n"
                          "    else:\n        (row,) = pl.yield_(s + 2)\n"
                          "    (end,) = pl.yield_(row)\n"
                          "y = pl.assemble(y, pl.slice(x, [1, N], [end, 0]), [end, 0])\n"),
            "n = pl.tensor.read(lens, [0])\n"
            "s = 0\n"
            "for i in pl.range(4):\n"
            "    if i < n:\n        row = s + 1\n    else:\n        row = s + 2\n"
            "    s = row\n"
            "slice = pl.slice(x, [1, 64], [s, 0])\ny = pl.assemble(y, slice, [s, 0])\n");
}

TEST(Names, AnInputThatIsOnlyRenamedStaysAnInput) {
  const auto l = lower(
      program("with pl.incore():\n    x = pl.mul(x, 2.0)\n    y = pl.assemble(y, x, [0, 0])\n"));
  EXPECT_EQ(l.program.params[0].direction, ir::Direction::In);
}

TEST(Names, HidingAConstantIsAWarning) {
  const auto l = lower(program("N = 3\n"));
  EXPECT_NE(l.program.diagnostics.text().find(
                "warning: N hides a constant of the file\n  at p.py:16:9"),
            std::string::npos);
}

TEST(Calls, AreExpandedAndEachCallOfAKernelIsAScope) {
  const std::string file =
      "@pl.program\nclass P:\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def k(self, a: pl.Tensor[[4, 8], pl.FP32], i: pl.Scalar[pl.INDEX], o: "
      "pl.Out[pl.Tensor[[4, 8], pl.FP32]]):\n"
      "        t = pl.load(a, [i, 0], [1, 8])\n"
      "        return pl.store(t, [i, 0], o)\n"
      "    @pl.function(type=pl.FunctionType.Orchestration)\n"
      "    def p(self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):\n"
      "        for i in pl.range(3):\n"
      "            y = self.k(x, i + 1, y)\n"
      "        last = self.k(x, 0, y)\n"
      "        return last\n";
  const auto l = lower(file);
  EXPECT_EQ(l.program.diagnostics.text(), "");
  std::string text = ir::print(l.program);
  EXPECT_NE(
      text.find(
          "        for i in pl.range(3):\n"
          "            with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"k\"):\n"
          "                t = pl.load(x, [i + 1, 0], [1, 8], target_memory=pl.MemorySpace.Vec)\n"
          "                y = pl.store(t, [i + 1, 0], y)\n"
          "        with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"k\"):\n"
          "            t_1 = pl.load(x, [0, 0], [1, 8], target_memory=pl.MemorySpace.Vec)\n"
          "            y = pl.store(t_1, [0, 0], y)\n"
          "        return y\n"),
      std::string::npos)
      << text;
}

TEST(Calls, ArgumentsHaveTheTypesOfTheParameters) {
  const std::string file =
      "@pl.program\nclass P:\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def k(self, a: pl.Tensor[[4, 8], pl.FP32]):\n        return a\n"
      "    @pl.function\n"
      "    def p(self, x: pl.Tensor[[4, 9], pl.FP32]):\n        a = self.k(x)\n";
  EXPECT_NE(
      complaint(file).find(
          "error: argument a is x [4 x 9] f32, but the parameter is [4 x 8] f32\n  at p.py:8:20,"),
      std::string::npos)
      << complaint(file);
}

TEST(Constants, AreComputedLikePython) {
  const auto value = [](const std::string& expression) {
    const auto l = lower("import math\nV = " + expression + "\n" +
                         "@pl.jit\ndef p(x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    with "
                         "pl.incore():\n        x = pl.full([4], dtype=pl.FP32, value=V)\n");
    const std::string text = listing(l.program);
    const std::size_t at = text.find("value=");
    return at == std::string::npos ? l.program.diagnostics.text()
                                   : text.substr(at + 6, text.size() - at - 8);
  };
  EXPECT_EQ(value("7 // 2"), "3");
  EXPECT_EQ(value("-7 // 2"), "-4");
  EXPECT_EQ(value("-7 % 4"), "1");
  EXPECT_EQ(value("8 / 2"), "4.0");
  EXPECT_EQ(value("2 ** 10"), "1024");
  EXPECT_EQ(value("2 ** -1"), "0.5");
  EXPECT_EQ(value("16 ** 0.5"), "4.0");
  EXPECT_EQ(value("-2 ** 2"), "-4");
  EXPECT_EQ(value("0xF + 1_000"), "1015");
  EXPECT_EQ(value("max(3, 5.5)"), "5.5");
  EXPECT_EQ(value("min(3, 5)"), "3");
  EXPECT_EQ(value("1 if 2 > 1 and not False else 3"), "1");
  EXPECT_EQ(value("[4, 5, 6][-1]"), "6");
  EXPECT_EQ(value("math.sqrt(9)"), "3.0");
  EXPECT_EQ(value("len([1, 2])"), "2");
  EXPECT_EQ(value("int(3.9)"), "3");
  EXPECT_EQ(value("(1 + 2) * 3 - 4"), "5");
  EXPECT_EQ(value("10 - 2 - 3"), "5");
  EXPECT_EQ(value("1e-6"), "1e-06");
}

}  // namespace
}  // namespace frontend_test
