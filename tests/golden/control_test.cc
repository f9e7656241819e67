// Golden: loops, branches and scalars, and the mistakes that only running shows.
#include "support.h"

namespace golden_test {
namespace {

// ---- control flow ------------------------------------------------------------------------------

// Runs `body` with a [1, n] I32 output that records what happens.
HostArray trace(int64_t n, const std::function<void(Builder&, const Tensor&)>& body) {
  Builder p("trace");
  Tensor y = p.state("y", {1, n}, I32);
  body(p, y);
  HostArray a(I32, {1, n});
  run(p.finish(), {&a});
  return a;
}

void put(Builder& p, const Tensor& y, const Index& at, const Index& value) {
  assemble(y, p.full({1, 1}, I32, Scalar(value)), {0, at});
}

TEST(GoldenControl, LoopsOfEveryKindRunInOrder) {
  const HostArray y = trace(6, [](Builder& p, const Tensor& y) {
    Index n = p.let("n", 0);
    for (Index i : p.parallel(2)) {
      auto core = p.incore();
      put(p, y, n, i);
      p.set(n, n + 1);
    }
    for (Index i : p.spmd(2)) {
      put(p, y, n, i + 10);
      p.set(n, n + 1);
    }
    auto core = p.incore();
    for (Index i : p.pipeline(1)) {
      put(p, y, n, i + 20);
      p.set(n, n + 1);
    }
    for (Index i : p.unroll(1)) put(p, y, n, i + 30);
  });
  expect_values(y, {0, 1, 10, 11, 20, 30});
}

// What the tasks of a plan are counted against.
TEST(GoldenControl, ScopesAndBlocksOfSpmdAreCounted) {
  Builder p("counted");
  const Tensor y = p.state("y", {1, 8}, I32);
  for (Index i : p.parallel(3)) {
    auto then = p.when(i > 0);
    auto core = p.incore();
    for (Index k : p.range(4)) put(p, y, k, i);
  }
  for (Index i : p.spmd(5)) put(p, y, i, i);
  HostArray a(I32, {1, 8});
  EXPECT_EQ(golden::run_program(p.finish(), {{&a}, {0}}), 2 + 5);
}

TEST(GoldenControl, StepsZeroTripsAndBackwards) {
  const HostArray y = trace(6, [](Builder& p, const Tensor& y) {
    auto core = p.incore();
    Index n = p.let("n", 0);
    const auto note = [&](const Index& v) {
      put(p, y, n, v);
      p.set(n, n + 1);
    };
    for (Index i : p.range(1, 8, 3)) note(i);
    for (Index i : p.range(5, 5)) note(i + 100);
    for (Index i : p.range(5, 2)) note(i + 100);
    for (Index i : p.range(5, 0, -2)) note(i);
  });
  expect_values(y, {1, 4, 7, 5, 3, 1});
}

TEST(GoldenControl, BoundsAreFixedWhenTheLoopStarts) {
  const HostArray y = trace(1, [](Builder& p, const Tensor& y) {
    auto core = p.incore();
    Index n = p.let("n", 3);
    Index trips = p.let("trips", 0);
    for (Index i : p.range(n)) {
      (void)i;
      p.set(n, 1);
      p.set(trips, trips + 1);
    }
    put(p, y, 0, trips);
  });
  expect_values(y, {3});
}

TEST(GoldenControl, BreakAndContinueBelongToTheInnermostLoop) {
  const HostArray y = trace(3, [](Builder& p, const Tensor& y) {
    auto core = p.incore();
    Index inner = p.let("inner", 0);
    Index odd = p.let("odd", 0);
    Index outer = p.let("outer", 0);
    for (Index i : p.range(4)) {
      for (Index j : p.range(10)) {
        {
          auto then = p.when(j == i);
          p.break_loop();
        }
        p.set(inner, inner + 1);
        {
          auto then = p.when(j % 2 == 0);
          p.continue_loop();
        }
        p.set(odd, odd + 1);
      }
      p.set(outer, outer + 1);
    }
    put(p, y, 0, inner);  // 0 + 1 + 2 + 3
    put(p, y, 1, odd);    // j = 1 of i = 2, 3
    put(p, y, 2, outer);
  });
  expect_values(y, {6, 2, 4});
}

TEST(GoldenControl, WhileAndNestedIf) {
  // Collatz steps of 6: 6 3 10 5 16 8 4 2 1.
  const HostArray y = trace(2, [](Builder& p, const Tensor& y) {
    auto core = p.incore();
    Index n = p.let("n", 6);
    Index steps = p.let("steps", 0);
    {
      auto loop = p.loop_while(n != 1 && !(n < 1));
      {
        auto then = p.when(n % 2 == 0);
        {
          auto deep = p.when(n > 4 || n == 4);
          put(p, y, 1, n);  // the last even number of at least 4
        }
        p.set(n, n / 2);
      }
      {
        auto other = p.otherwise();
        p.set(n, n * 3 + 1);
      }
      p.set(steps, steps + 1);
    }
    put(p, y, 0, steps);
  });
  expect_values(y, {8, 4});
}

TEST(GoldenControl, ReadsScalarsOfBothKinds) {
  Builder p("read");
  Tensor n = p.input("n", {2, 2}, I32);
  Tensor f = p.input("f", {1, 2}, BF16);
  Index k = p.scalar("k");
  Scalar s = p.float_scalar("s");
  Tensor y = p.output("y", {1, 3}, F32);
  Index trips = p.read(n, {1, 0});
  {
    auto core = p.incore();
    Tile t = p.full({1, 3}, F32, 0.0);
    Scalar half = p.read_float(f, {0, 1});
    for (Index i : p.range(trips)) {
      (void)i;
      assign(t, add(t, half));
    }
    assign(t, mul(t, s));
    assign(t, add(t, Scalar(k)));
    assign(y, t);
  }
  HostArray na = array(I32, {2, 2}, {9, 9, 3, 9}), fa = array(BF16, {1, 2}, {4, 0.5});
  HostArray ya(F32, {1, 3});
  run(p.finish(), {&na, &fa, &ya}, {0, 0, 100, 0.1});
  const float want = 1.5f * 0.1f + 100.0f;  // the parameter is FP32
  expect_values(ya, {want, want, want});
}

// ---- mistakes ----------------------------------------------------------------------------------

TEST(GoldenErrors, EveryAccessIsBoundsChecked) {
  Builder p("late");
  Tensor x = p.input("x", {4, 8}, F32);
  Tensor y = p.output("y", {4, 8}, F32);
  Index at = p.scalar("at");
  {
    auto core = p.incore("copy");
    assemble(y, slice(x, {2, 8}, {at, 0}), {0, 0});
  }
  const ir::Program program = p.finish();
  HostArray xa(F32, {4, 8}), ya(F32, {4, 8});
  const auto with = [&](double v) { return [&, v] { run(program, {&xa, &ya}, {0, 0, v}); }; };
  with(2)();
  expect_error("bounds",
               {"slice", "x [4 x 8] f32", "from 3 for 2", "control_test.cc", "\"copy\""},
               with(3));
  expect_error("bounds", {"from -1"}, with(-1));
}

TEST(GoldenErrors, WritesReadsAndTilesToo) {
  const auto writes = [](int64_t row) {
    eval({}, F32, {2, 2}, [&](Builder& p, auto&) {
      Tile t = p.tensor("t", {2, 2}, F32);
      assemble(t, p.full({1, 2}, F32, 1.0), {row, 0});
      return t;
    });
  };
  writes(1);
  expect_error("bounds", {"assemble reaches outside t"}, [&] { writes(2); });
  expect_error("bounds", {"read reaches outside y", "dimension 1 from 5"}, [&] {
    trace(5, [](Builder& p, const Tensor& y) { p.read(y, {0, 5}); });
  });
  expect_error("bounds", {"slice reaches outside tile"}, [&] {
    eval({}, F32, {2, 2}, [&](Builder& p, auto&) {
      return slice(p.tile({2, 2}, F32, MemorySpace::Vec), {2, 2}, {0, 1});
    });
  });
}

TEST(GoldenErrors, ValidShapesStayInRange) {
  const auto with = [](int64_t rows) {
    return [rows] {
      eval(list(counting(F32, {4, 4})), F32, {4, 4}, [&](Builder&, auto& x) {
        return slice(x[0], {4, 4}, {0, 0}, {.valid_shape = {rows, 4}});
      });
    };
  };
  with(0)();
  with(4)();
  expect_error("valid", {"has 5, outside [0, 4]"}, with(5));
  expect_error("valid", {"has -3"}, with(-3));
}

TEST(GoldenErrors, WritingOutsideTheValidRegionOfATile) {
  expect_error("valid", {"assemble of [1 x 4]", "valid [2, 4]"}, [] {
    eval(list(counting(F32, {4, 4})), F32, {4, 4}, [](Builder& p, auto& x) {
      Tile t = slice(x[0], {4, 4}, {0, 0}, {.valid_shape = {2, 4}});
      assemble(t, p.full({1, 4}, F32, 1.0), {2, 0});
      return t;
    });
  });
}

TEST(GoldenErrors, ScalarsHaveValues) {
  expect_error("undefined-scalar", {"late", "control_test.cc"}, [] {
    trace(1, [](Builder& p, const Tensor& y) {
      auto core = p.incore();
      Index never = p.let("zero", 0);
      std::vector<Index> late;
      {
        auto then = p.when(never == 1);
        late.push_back(p.let("late", 3));
      }
      put(p, y, 0, late[0]);
    });
  });
  expect_error("undefined-scalar", {"scalar i has no value"}, [] {
    trace(1, [](Builder& p, const Tensor& y) {
      auto core = p.incore();
      std::vector<Index> kept;
      for (Index i : p.range(1)) kept.push_back(i);
      put(p, y, 0, kept[0]);
    });
  });
}

// As a number it is what undefined GM holds; that nothing depends on it is for the checker to say.
TEST(GoldenControl, AnUndefinedScalarIsAValue) {
  const auto undefined = static_cast<double>(static_cast<int32_t>(0xA5A5A5A5));
  const HostArray y = trace(3, [](Builder& p, const Tensor& y) {
    const Tensor gm = p.tensor("gm", {1, 2}, I32);
    auto core = p.incore();
    const Index in_tile = p.read(p.tensor("t", {1, 2}, I32), {0, 1});
    put(p, y, 0, in_tile);
    put(p, y, 1, p.read(gm, {0, 0}));
    put(p, y, 2, 7);
  });
  expect_values(y, {undefined, undefined, 7});
}

TEST(GoldenErrors, LoopStepAndDivisionByZero) {
  expect_error("loop-step", {"range from 0 to 3"}, [] {
    trace(1, [](Builder& p, const Tensor& y) {
      auto core = p.incore();
      for (Index i : p.range(0, 3, 0)) put(p, y, 0, i);
    });
  });
  try {
    trace(1, [](Builder& p, const Tensor& y) {
      auto core = p.incore();
      Index zero = p.let("zero", 0);
      put(p, y, 0, Index(7) / zero);
    });
    ADD_FAILURE() << "no error";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("control_test.cc"), std::string::npos) << e.what();
  }
}

TEST(GoldenErrors, BindingsHaveTheDeclaredType) {
  Builder p("bound");
  Tensor x = p.input("x", {2, 2}, F32);
  Tensor y = p.output("y", {2, 2}, F32);
  Index k = p.scalar("k");
  {
    auto core = p.incore();
    assign(y, add(x, Scalar(k)));
  }
  const ir::Program program = p.finish();
  HostArray good(F32, {2, 2}), out(F32, {2, 2}), bad(BF16, {2, 2});
  run(program, {&good, &out}, {0, 0, 1});
  expect_error("bind", {"x [2 x 2] f32 bound to [2 x 2] bf16"}, [&] {
    run(program, {&bad, &out});
  });
  expect_error("bind", {"y [2 x 2] f32 bound to nothing"}, [&] { run(program, {&good, nullptr}); });
  expect_error("bind-scalar", {"k bound to 0.5"}, [&] {
    run(program, {&good, &out}, {0, 0, 0.5});
  });
}

TEST(GoldenErrors, AProgramWithMistakesDoesNotRun) {
  Builder p("broken");
  Tensor x = p.input("x", {2, 2}, F32);
  {
    auto core = p.incore();
    matmul(x, slice(x, {1, 2}, {0, 0}));
  }
  const ir::Program program = p.finish();
  HostArray xa(F32, {2, 2});
  ir::Bindings b{{&xa}, {0}};
  expect_error("matmul-k", {}, [&] { golden::run_program(program, b); });
}

}  // namespace
}  // namespace golden_test
