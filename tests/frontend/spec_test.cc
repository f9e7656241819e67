// Tensor specs: what a file says about its inputs.
#include "support.h"
#include "tilewright/ir/infer.h"

namespace frontend_test {
namespace {

using Kind = frontend::Initialiser::Kind;

frontend::Lowered with_init(const std::string& functions, const std::string& init) {
  return lower(
      "H = 4\n@pl.jit\ndef p(x: pl.Tensor[[H], pl.FP32], y: pl.InOut[pl.Tensor[[H], pl.FP32]]):\n  "
      "  return y\n"
      "def build_tensor_specs(n=H, use_max_seq=False):\n    import torch\n" +
      indented(functions, 4) + "    return [TensorSpec(\"x\", [n], torch.float32" +
      (init.empty() ? "" : ", init_value=" + init) + ")]\n");
}

void expect_init(const std::string& functions, const std::string& init, Kind kind, double scale,
                 double shift) {
  const auto l = with_init(functions, init);
  ASSERT_TRUE(l.inputs.contains("x")) << init << l.program.diagnostics.text();
  const frontend::Initialiser i = l.inputs.at("x");
  EXPECT_EQ(i.kind, kind) << init;
  EXPECT_DOUBLE_EQ(i.scale, scale) << init;
  EXPECT_DOUBLE_EQ(i.shift, shift) << init;
  EXPECT_EQ(l.program.diagnostics.text(), "") << init;
}

TEST(Specs, TheUsualInitialisers) {
  const auto returns = [](const std::string& e) { return "def f():\n    return " + e + "\n"; };
  expect_init("", "", Kind::Constant, 1, 0);
  expect_init("", "torch.randn", Kind::Normal, 1, 0);
  expect_init("", "lambda: torch.ones(n)", Kind::Constant, 1, 1);
  expect_init(returns("torch.rand(n) - 0.5"), "f", Kind::Uniform, 1, -0.5);
  expect_init(returns("(torch.rand(n) - 0.5) / n ** 0.5"), "f", Kind::Uniform, 0.5, -0.5);
  expect_init(returns("0.01 * torch.randn(n).to(torch.bfloat16)"), "f", Kind::Normal, 0.01, 0);
  expect_init(returns("torch.randn(n) / H"), "f", Kind::Normal, 0.25, 0);
  expect_init(returns("torch.rand(n) * 2 - 1"), "f", Kind::Uniform, 2, -0.5);
  expect_init(returns("-torch.rand(n)"), "f", Kind::Uniform, -1, 0);
  expect_init(returns("torch.full((n,), 7, dtype=torch.int32)"), "f", Kind::Constant, 1, 7);
  expect_init(returns("torch.arange(n)"), "f", Kind::Counting, 1, 0);
  expect_init("def f():\n    v = torch.rand(n)\n    return v - 0.5\n", "f", Kind::Uniform, 1, -0.5);
  expect_init(
      "def f():\n    if use_max_seq:\n        return torch.ones(n)\n    return torch.zeros(n)\n",
      "f", Kind::Constant, 1, 0);
}

TEST(Specs, RandomIntegers) {
  const auto i =
      with_init("def f():\n    return torch.randint(1, n + 1, (n,), dtype=torch.int32)\n", "f")
          .inputs.at("x");
  EXPECT_EQ(i.kind, Kind::Integers);
  EXPECT_EQ(i.low, 1);
  EXPECT_EQ(i.high, 5);
}

TEST(Specs, AnInitialiserThatIsNotUnderstoodIsSaid) {
  const auto l = with_init("def f():\n    return torch.linalg.qr(torch.rand(n, n))[0]\n", "f");
  EXPECT_EQ(l.inputs.at("x").kind, Kind::Uniform);
  EXPECT_NE(l.program.diagnostics.text().find("note: the initial values of x cannot be evaluated "
                                              "(torch.linalg.qr is not evaluated (p.py:8:16)"),
            std::string::npos)
      << l.program.diagnostics.text();
}

// Tables that decide addresses are followed element by element.
TEST(Specs, TensorsComputedElementByElement) {
  const auto numbers = [](const std::string& body) {
    const auto l = with_init("def f():\n" + indented(body, 4), "f");
    EXPECT_EQ(l.program.diagnostics.text(), "") << body;
    const frontend::Initialiser& i = l.inputs.at("x");
    return i.kind == Kind::Values ? *i.values : std::vector<double>{};
  };
  using Numbers = std::vector<double>;
  EXPECT_EQ(numbers("v = []\nfor i in range(n):\n    v.append(i * i)\nreturn torch.tensor(v)\n"),
            (Numbers{0, 1, 4, 9}));
  EXPECT_EQ(numbers("t = torch.zeros(n)\nfor i in range(1, n):\n    t[i] = t[i - 1] + 2\n"
                    "return t.clone()\n"),
            (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(numbers("n = [isinstance(torch.ones(2), torch.Tensor), isinstance((1, 2), list), "
                    "isinstance([1], (list, dict)), isinstance(2, (float, int))]\n"
                    "return torch.tensor([1 if x else 0 for x in n])\n"),
            (Numbers{1, 0, 1, 1}));
  EXPECT_EQ(numbers("t = torch.arange(8).reshape(2, 4)\nreturn t[1, :] % 3\n"),
            (Numbers{1, 2, 0, 1}));
  EXPECT_EQ(numbers("t = torch.full((2, 2), 7)\nt[:, 1] = torch.tensor([3, 5])\n"
                    "return t.flatten()\n"),
            (Numbers{7, 3, 7, 5}));
  EXPECT_EQ(numbers("t = torch.arange(n)\na = t[3]\nu = t.clone()\nu[0] = 9\nt[:] = t\nt[1] = a\n"
                    "return t\n"),
            (Numbers{0, 3, 2, 3}));
  EXPECT_EQ(numbers("return torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])]).view(-1)\n"),
            (Numbers{1, 2, 3, 4}));
}

// Random floats are computed with one by one as long as they are few; weights are not.
TEST(Specs, QuantisedWeightsAreRandomIntegers) {
  const auto weights = [](const std::string& shape) {
    return lower("import torch\n@pl.jit\ndef p(w: pl.Tensor[" + shape +
                 ", pl.INT8], y: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    return y\n"
                 "def init():\n    return (torch.randn(" + shape + ") * 30).round().to(torch.int8)\n"
                 "def build_specs():\n    return [TensorSpec(\"w\", " + shape +
                 ", torch.int8, init_value=init)]\n")
        .inputs.at("w");
  };
  EXPECT_EQ(weights("[16, 16]").kind, Kind::Values);
  EXPECT_EQ(weights("[1024, 128]").kind, Kind::Integers);
  EXPECT_EQ(weights("[1024, 128]").low, -127);
}

TEST(Specs, ATableThatTakesTooLongLeavesTheProgramReadable) {
  const auto l = lower(
      "@pl.jit\ndef p(x: pl.Tensor[[4], pl.FP32], y: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n"
      "    z = pl.create_tensor([4 for i in range(1)], dtype=pl.FP32)\n    return y\n"
      "def build_tensor_specs():\n"
      "    def f():\n        while True:\n            pass\n"
      "    return [TensorSpec(\"x\", [4], torch.float32, init_value=f)]\n");
  EXPECT_FALSE(l.program.diagnostics.has_errors()) << l.program.diagnostics.text();
  EXPECT_NE(l.program.diagnostics.text().find(
                "note: the initial values of x cannot be evaluated (evaluating the file takes more"),
            std::string::npos)
      << l.program.diagnostics.text();
}

TEST(Specs, AreCheckedAgainstTheParameters) {
  const auto l = lower(
      "@pl.jit\ndef p(x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    return x\n"
      "def build_specs():\n    return [TensorSpec(\"x\", [8], torch.bfloat16)]\n");
  EXPECT_NE(
      l.program.diagnostics.text().find(
          "warning: the spec of x is [8] bf16, but the parameter is [4] f32\n  at p.py:5:13,"),
      std::string::npos)
      << l.program.diagnostics.text();
}

// An output that starts with values is a state, whatever its annotation says; one without, or with
// the tensor that a call hands over to be filled, is not.
TEST(Specs, OutputsWithInitialValuesAreTakenAsInOut) {
  const auto direction = [](const std::string& rest) {
    const auto l = lower("import torch\n@pl.jit\ndef p(x: pl.Out[pl.Tensor[[4], pl.FP32]]):\n    return x\n" + rest);
    const bool told =
        l.program.diagnostics.text().find(
            "note: output x has initial values, so it is treated as InOut") != std::string::npos;
    EXPECT_EQ(told, l.program.params[0].direction == ir::Direction::InOut) << rest;
    return l.program.params[0].direction;
  };
  const std::string spec =
      "def build_specs():\n    return [TensorSpec(\"x\", [4], torch.float32, is_output=True";
  EXPECT_EQ(direction(spec + ", init_value=torch.zeros)]\n"), ir::Direction::InOut);
  EXPECT_EQ(direction(spec + ", init_value=lambda: torch.rand(4))]\n"), ir::Direction::InOut);
  EXPECT_EQ(direction(spec + ")]\n"), ir::Direction::Out);
  EXPECT_EQ(direction("if __name__ == \"__main__\":\n    p(torch.zeros(4))\n"),
            ir::Direction::Out);
}

TEST(Specs, GiveDynamicSizesAndScalarsTheirNumbers) {
  const std::string file =
      "B = pl.dynamic(\"B\")\n"
      "@pl.jit\ndef p(s: pl.Tensor[[B * 2, 3], pl.FP32], x: pl.InOut[pl.Tensor[[B, 3], pl.FP32]], "
      "f: pl.Scalar[pl.FP32]):\n"
      "    n = pl.tensor.dim(x, 0)\n    with pl.incore():\n        x = pl.full([n, 3], "
      "dtype=pl.FP32, value=B)\n";
  EXPECT_NE(complaint(file).find("error: a size is not known: B\n"), std::string::npos);
  const auto specs = lower(file +
                           "def specs(b=5):\n    return [TensorSpec(\"x\", [b, 3], torch.float32), "
                           "ScalarSpec(\"f\", torch.float32, 0.25)]\n");
  EXPECT_EQ(specs.program[*specs.program.find("s")].shape, (Shape{10, 3}));
  EXPECT_EQ(specs.scalars.at("f"), 0.25);
  const auto chosen = lower(file, {{"B", "6"}, {"f", "2.5"}});
  EXPECT_EQ(chosen.program[*chosen.program.find("x")].shape, (Shape{6, 3}));
  EXPECT_EQ(chosen.scalars.at("f"), 2.5);
  const auto filled = lower(file, {{"B", "6"}, {"s", "16"}});
  EXPECT_EQ(filled.inputs.at("s").kind, Kind::Constant);
  EXPECT_EQ(filled.inputs.at("s").shift, 16);
}

// A default is computed where its function is defined, not where it is called.
TEST(Specs, DefaultsAreThoseOfTheDefinition) {
  const auto l = with_init(
      "fs = []\nfor k in range(3):\n    fs.append(lambda k=k: torch.full((n,), k + 5.0))\n"
      "def g(v=k):\n    return v\nk = 9\nfs.append(lambda: torch.full((n,), g()))\n", "fs[1]");
  EXPECT_EQ(l.inputs.at("x").shift, 6.0);
}

// A file that only compiles its program gives tensors of the right type with whatever in them.
TEST(Specs, IntegersOfACompilationMeanNothing) {
  const auto unsaid = [](const std::string& start) {
    const auto l = lower(
        "@pl.jit\ndef p(n: pl.Tensor, f: pl.Tensor, y: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n"
        "    return y\nif __name__ == \"__main__\":\n"
        "    n = torch.zeros(4, dtype=torch.int32)\n    f = torch.zeros(4)\n    " +
        start + "\n");
    EXPECT_EQ(l.program.diagnostics.text(), "");
    EXPECT_FALSE(l.program.params[1].unsaid);  // floats decide no address
    return l.program.params[0].unsaid;
  };
  EXPECT_TRUE(unsaid("p.compile(n, f, f)"));
  EXPECT_TRUE(unsaid("p.lower(n, f, f)"));
  EXPECT_FALSE(unsaid("p(n, f, f)"));
  EXPECT_FALSE(unsaid("p.compile(n, f, f)(n, f, f)"));
  EXPECT_FALSE(unsaid("p.compile(torch.arange(4, dtype=torch.int32), f, f)"));
}

// Without a spec nobody says them either; --arg does.
TEST(Specs, IntegersWithoutASpecMeanNothing) {
  const std::string file =
      "@pl.jit\ndef p(n: pl.Tensor[[4], pl.INT32], y: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n"
      "    return y\n";
  EXPECT_TRUE(lower(file).program.params[0].unsaid);
  EXPECT_FALSE(lower(file, {{"n", "3"}}).program.params[0].unsaid);
}

TEST(Specs, AreObjectsWithFieldsAndATensor) {
  const auto l = with_init(
      "s = TensorSpec(\"a\", [n], torch.float32, init_value=lambda: torch.full((n,), 3.0))\n"
      "t = ScalarSpec(\"b\", torch.int32, 2)\n"
      "k = [x.name for x in [s, t] if isinstance(x, TensorSpec)]\n"
      "s.init_value = lambda: torch.full((n,), 5.0 + len(k) + t.value + s.shape[0])\n",
      "s.create_tensor()");
  EXPECT_EQ(l.inputs.at("x").shift, 12.0);
}

// A program that the file starts only when its own command line says so, with a constant that the
// main part changes first.
TEST(Specs, OptionsOfTheFileAreTriedWhereSizesAreMissing) {
  const std::string file =
      "import argparse, sys\nN = 3\nT = 2\n"
      "for i, word in enumerate(sys.argv):\n    if word == \"--tiles\":\n"
      "        T = int(sys.argv[i + 1])\n"
      "@pl.jit\ndef p(x: pl.InOut[pl.Tensor]):\n    return x\n"
      "@pl.jit\ndef q(a: pl.Tensor, b: pl.Out[pl.Tensor[[N, T], pl.FP32]]):\n    return b\n"
      "if __name__ == \"__main__\":\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument(\"--tiles\", type=int, default=T, choices=[2, 4])\n"
      "    args = parser.parse_args()\n"
      "    if args.tiles != T:\n        parser.error(\"tiles\")\n"
      "    if args.tiles == 2:\n        p.lower(torch.ones(4))\n        raise SystemExit(0)\n"
      "    N = 5\n    q(torch.full((8,), 3.0), torch.zeros(N, T))\n";
  const auto whole = frontend::File::parse("p.py", "import pypto.language as pl\n" + file);
  const auto p = whole.lower("p", {});
  EXPECT_EQ(p.program[*p.program.find("x")].shape, Shape{4});
  EXPECT_EQ(p.program.diagnostics.text(), "");
  const auto q = whole.lower("q", {});
  EXPECT_EQ(q.program[*q.program.find("a")].shape, Shape{8});
  EXPECT_EQ(q.program[*q.program.find("b")].shape, (Shape{5, 4}));
  EXPECT_NE(q.program.diagnostics.text().find("note: the sizes and inputs come from p.py --tiles "
                                              "4"),
            std::string::npos)
      << q.program.diagnostics.text();
  const auto said = whole.lower("q", {{"tiles", "4"}});
  EXPECT_EQ(said.program.diagnostics.text(), "");
}

// Rather than taking the sizes of another program that it starts.
TEST(Specs, OptionsOfTheFileAreTriedBeforeTheSizesOfAnotherProgram) {
  const auto file = frontend::File::parse(
      "p.py",
      "import argparse\nimport pypto.language as pl\n"
      "@pl.jit\ndef layer(x: pl.InOut[pl.Tensor]):\n    return x\n"
      "@pl.jit\ndef model(x: pl.InOut[pl.Tensor]):\n    return x\n"
      "if __name__ == \"__main__\":\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument(\"--data\", action=\"store_true\")\n"
      "    parser.add_argument(\"--whole\", action=\"store_true\")\n"
      "    args = parser.parse_args()\n"
      "    if args.data:\n        model(torch.load(\"data.pt\"))\n"
      "    elif args.whole:\n        model(torch.ones(40))\n"
      "    else:\n        layer(torch.ones(1))\n");
  const auto l = file.lower("model", {});
  EXPECT_EQ(l.program[*l.program.find("x")].shape, Shape{40});
  EXPECT_NE(l.program.diagnostics.text().find("come from p.py --whole"), std::string::npos)
      << l.program.diagnostics.text();
}

// A bare tensor has the type that a function it is given to declares, through any number of hands;
// the specs of another program give the sizes that are dynamic there.
TEST(Specs, BareTensorsHaveTheTypeOfWhatTheyAreGivenTo) {
  const auto file = frontend::File::parse(
      "p.py",
      "import pypto.language as pl\nH = 32\nL = H // 8\nB = pl.dynamic(\"B\")\n"
      "@pl.jit.inline\ndef head(x: pl.Tensor[[B, H], pl.FP32], w: pl.Tensor[[H, L], pl.BF16],\n"
      "         y: pl.Tensor[[B, L], pl.FP32]):\n    return y\n"
      "@pl.jit.inline\ndef middle(w: pl.Tensor, x: pl.Tensor, y: pl.Tensor):\n"
      "    return head(x, y=y, w=w)\n"
      "@pl.jit\ndef layer(x: pl.Tensor, y: pl.InOut[pl.Tensor]):\n    return y\n"
      "@pl.jit\ndef p(x: pl.Tensor, w: pl.Tensor, y: pl.InOut[pl.Tensor]):\n"
      "    for i in pl.range(2):\n        y = middle(w, x, y)\n    return y\n"
      "@pl.jit\ndef q(w: pl.Tensor, y: pl.InOut[pl.Tensor]):\n"
      "    w = pl.reshape(w, [L, H])\n    y = middle(w, w, y)\n    return y\n"
      "if __name__ == \"__main__\":\n    layer(torch.ones(6, H), torch.ones(6, H))\n");
  const auto p = file.lower("p", {});
  EXPECT_EQ(ir::type_text(p.program[*p.program.find("x")]), "[6 x 32] f32");
  EXPECT_EQ(ir::type_text(p.program[*p.program.find("w")]), "[32 x 4] bf16");
  EXPECT_EQ(ir::type_text(p.program[*p.program.find("y")]), "[6 x 4] f32");
  EXPECT_NE(p.program.diagnostics.text().find("note: the sizes and inputs come from layer"),
            std::string::npos);
  // L is computed from H, and can be set all the same.
  const auto other = file.lower("p", {{"L", "2"}, {"w", "FP32[32,2]"}});
  EXPECT_EQ(ir::type_text(other.program[*other.program.find("y")]), "[6 x 2] f32");
  EXPECT_EQ(ir::type_text(other.program[*other.program.find("w")]), "[32 x 2] f32");
  // In q, what is given away is no longer the parameter.
  EXPECT_NE(file.lower("q", {}).program.diagnostics.text().find("the type of w"),
            std::string::npos);
}

// Sizes of another program that are too small are no mistake of this one: they are told at once, with
// the flags that give the right ones, or the constant that makes do with these.
TEST(Specs, SizesOfAnotherProgramMayBeTooSmall) {
  const auto file = frontend::File::parse(
      "p.py",
      "import pypto.language as pl\nimport torch\nLAYERS = len([1, 1, 1, 1])\n"
      "@pl.jit.inline\ndef add(x: pl.Tensor, w: pl.Tensor, s: pl.Tensor, y: pl.Tensor, i: pl.Scalar[pl.INDEX]):\n"
      "    with pl.at(level=pl.Level.CORE_GROUP):\n"
      "        t = pl.add(pl.slice(x, [1, 64], [0, 0]), pl.slice(w, [1, 64], [i * 8 + 7, 0]))\n"
      "        for k in pl.range(i, 8):\n"
      "            y = pl.assemble(y, pl.col_expand_mul(t, pl.slice(s, [1, 64], [i, 0])), [k, 0])\n"
      "    return y\n"
      "@pl.jit\ndef layer(x: pl.Tensor, w: pl.Tensor, s: pl.Tensor, y: pl.InOut[pl.Tensor]):\n"
      "    return add(x, w, s, y, 0)\n"
      "@pl.jit\ndef model(x: pl.Tensor, w: pl.Tensor, s: pl.Tensor, y: pl.InOut[pl.Tensor]):\n"
      "    for i in pl.range(LAYERS):\n        y = add(x, w, s, y, i)\n    return y\n"
      "if __name__ == \"__main__\":\n"
      "    layer(torch.ones(8, 64), torch.ones(8, 64), torch.ones(1, 64), torch.ones(8, 64))\n");
  const std::string told = file.lower("model", {}).program.diagnostics.text();
  EXPECT_NE(told.find("error: the sizes of layer are too small for 2 parameters of model: w, s\n"
                      "  at p.py:15:1, program model\n"
                      "    15 | def model(x: pl.Tensor, w: pl.Tensor, s: pl.Tensor, y: pl.InOut[pl.Tensor]):\n"
                      "       | ^\n"
                      "  the file starts layer, not this program, and so says no sizes for it\n"
                      "  help: give --arg LAYERS=1, or --arg w=FP32[32,64] --arg s=FP32[4,64]\n"),
            std::string::npos)
      << told;
  const auto fine = [&](const std::map<std::string, std::string>& args) {
    const auto l = file.lower("model", args);
    EXPECT_FALSE(l.program.diagnostics.has_errors()) << l.program.diagnostics.text();
  };
  fine({{"LAYERS", "1"}});
  fine({{"w", "FP32[32,64]"}, {"s", "FP32[4,64]"}});
  EXPECT_FALSE(file.lower("layer", {}).program.diagnostics.has_errors());
}

// Why a size is not known is said where the specs would have it.
TEST(Specs, AShapeThatIsNotUnderstoodIsSaid) {
  const std::string told = complaint(
      "from golden import run_jit\nB = pl.dynamic(\"B\")\n"
      "@pl.jit\ndef p(x: pl.InOut[pl.Tensor[[B], pl.FP32]]):\n    return x\n"
      "if __name__ == \"__main__\":\n    n = torch.load(\"x\")\n"
      "    run_jit(fn=p, specs=[TensorSpec(\"x\", [n], torch.float32)])\n");
  EXPECT_NE(told.find("a size is not known: B"), std::string::npos) << told;
  EXPECT_NE(told.find("the shape of x cannot be evaluated (torch.load is not evaluated"),
            std::string::npos)
      << told;
}

// A builder without defaults, started as the original's runtime starts programs.
const std::string kBuilt =
    "def build(rows: int, columns: int):\n"
    "    @pl.program\n    class P:\n"
    "        @pl.function(type=pl.FunctionType.Orchestration)\n"
    "        def p(self, x: pl.Tensor[[rows, columns], pl.FP32], n: pl.INDEX, "
    "y: pl.InOut[pl.Tensor[[rows, columns], pl.FP32]]):\n            return y\n"
    "    return P\n"
    "def build_tensors(rows, columns):\n"
    "    return torch.full((rows, columns), 3.0), torch.zeros(rows, columns)\n";

TEST(Specs, ABuilderWithoutDefaultsIsCalledAsTheFileCallsIt) {
  EXPECT_NE(complaint(kBuilt).find("builder parameter rows has no default; give --arg rows=NUMBER"),
            std::string::npos)
      << complaint(kBuilt);
  const std::string file = kBuilt +
                           "def main():\n    r = 4\n    program = build(rows=r, columns=8)\n"
                           "    x, y = build_tensors(r, 8)\n"
                           "    pypto.runtime.run(program, x, 2, y, config=1)\n"
                           "if __name__ == \"__main__\":\n    main()\n";
  const auto called = lower("import pypto.runtime\n" + file);
  EXPECT_EQ(called.program[*called.program.find("x")].shape, (Shape{4, 8}));
  EXPECT_EQ(called.inputs.at("x").shift, 3.0);
  EXPECT_EQ(called.scalars.at("n"), 2);
  const auto chosen = lower("import pypto.runtime\n" + file, {{"rows", "6"}});
  EXPECT_EQ(chosen.program[*chosen.program.find("x")].shape, (Shape{6, 8}));
  EXPECT_EQ(chosen.program.diagnostics.text(), "");  // the tensors have followed
}

TEST(Specs, ACompiledProgramMayBeCalledWithItsInputsAlone) {
  const auto l = lower(
      "import pypto.runtime\n"
      "@pl.jit\ndef p(y: pl.Out[pl.Tensor], x: pl.Tensor):\n    return y\n"
      "if __name__ == \"__main__\":\n"
      "    compiled = pypto.runtime.run(p, config=1)\n"
      "    compiled(torch.full((4, 8), 3.0))\n",
      {{"y", "FP32[4,8]"}});
  EXPECT_EQ(l.program[*l.program.find("x")].shape, (Shape{4, 8}));
}

TEST(Specs, ArgumentsAndTolerancesOfAFile) {
  const auto file = frontend::File::parse(
      "p.py",
      "H = 128\nEPS = 1e-6\nHALF = H // 2\n"
      "def build(batch: int = 16, hidden=H):\n"
      "    @pl.program\n    class P:\n        @pl.function\n        def p(self, x: "
      "pl.InOut[pl.Tensor[[batch, hidden], pl.FP32]]):\n            return x\n"
      "    return P\n"
      "if __name__ == \"__main__\":\n    run(rtol=2e-2, atol=3e-3)\n");
  std::string names;
  for (const auto& a : file.arguments("", {{"H", "64"}})) names += a.name + "=" + a.value + " ";
  EXPECT_EQ(names, "batch=16 hidden=64 H=64 EPS=1e-06 ");
  EXPECT_EQ(file.tolerance()->rtol, 2e-2);
  EXPECT_EQ(file.tolerance()->atol, 3e-3);
}

}  // namespace
}  // namespace frontend_test
