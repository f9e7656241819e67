// Small program files executed by everyone who executes programs, against formulas written from
// the equations: run-time float scalars, arrays of a kernel, operands of many ranks, INT8 products.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

#include "support.h"
#include "tilewright/base/rng.h"
#include "tilewright/compile/compile.h"
#include "tilewright/cpu/run/executable.h"
#include "tilewright/golden/exact.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"

namespace frontend_test {
namespace {

class Arrays {
 public:
  explicit Arrays(const ir::Program& p) {
    for (const ir::Param& param : p.params) {
      const ir::Var& v = p[param.var];
      HostArray a(v.dtype, v.shape);
      Rng rng(seed_for(5, v.name.c_str()));
      for (int64_t i = 0; i < a.size(); ++i)
        a.set(i, is_float(v.dtype) ? rng.uniform() * 4 - 2
                                   : static_cast<double>(rng.integer(-100, 100)));
      add(v.name, std::move(a));
    }
  }
  Arrays(const Arrays& o) {
    for (std::size_t i = 0; i < o.arrays_.size(); ++i) add(o.names_[i], o.arrays_[i].clone());
  }

  HostArray& operator[](const std::string& name) {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return arrays_[i];
    throw std::runtime_error(name);
  }
  ir::Bindings bindings() {
    ir::Bindings b;
    for (HostArray& a : arrays_) b.arrays.push_back(&a);
    b.scalars.resize(arrays_.size());
    return b;
  }
  void expect_same(const Arrays& o, const std::string& how) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      EXPECT_TRUE(arrays_[i].same_bits(o.arrays_[i])) << names_[i] << " differs: " << how;
  }

 private:
  void add(const std::string& name, HostArray a) {
    names_.push_back(name);
    arrays_.push_back(std::move(a));
  }
  std::vector<std::string> names_;
  std::vector<HostArray> arrays_;
};

using Prepare = std::function<void(Arrays&)>;

// The arrays after the program, which all executors and its own listing agree about.
Arrays executed(const std::string& text, const Prepare& prepare = {}) {
  const ir::Program program = lower(text).program;
  EXPECT_EQ(program.diagnostics.error_count(), 0U) << program.diagnostics.text();
  Arrays inputs(program);
  if (prepare) prepare(inputs);
  Arrays meant(inputs);
  golden::run_program(program, meant.bindings());

  const std::string listing = ir::print(program);
  const ir::Program again = lower(listing).program;
  EXPECT_EQ(ir::print(again), listing);

  for (const char* platform : {"a2a3", "a5", "cpu"}) {
    SCOPED_TRACE(platform);
    Diagnostics d;
    const auto plan = compile::compile(program, platform::builtin_platform(platform), {}, d);
    if (!plan) {
      ADD_FAILURE() << d.text();
      continue;
    }
    Arrays known(inputs);
    const auto graph = compile::unroll(*plan, known.bindings(), d);
    if (!graph) {
      ADD_FAILURE() << d.text();
      continue;
    }
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      Arrays tasks(inputs);
      golden::run_tasks(*plan, *graph, tasks.bindings(), seed);
      tasks.expect_same(meant, "tasks in another order");
    }
    if (std::string_view(platform) == "cpu") {
      cpu::Pool pool(2);
      cpu::Options options{.threads = 2, .instructions = cpu::InstructionSet::named("plain")};
      cpu::Executable executable(*plan, *graph, options);
      Arrays fast(inputs);
      const ir::Bindings bindings = fast.bindings();
      executable.run(pool, executable.bind_weights(bindings), bindings);
      fast.expect_same(meant, "cpu");
    } else {
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        Arrays exact(inputs);
        const auto result = golden::run_exact(*plan, *graph, exact.bindings(), {.seed = seed});
        EXPECT_TRUE(result.findings.empty()) << result.findings.front().text;
        exact.expect_same(meant, "lowered kernels");
      }
    }
  }
  return meant;
}

// ---- float scalars -----------------------------------------------------------------------------

TEST(Executed, ArithmeticOfFloatScalars) {
  Arrays out = executed(in_scope("s = pl.read(x, [0, 0])\n"
                                 "u = pl.read(x, [0, 1])\n"
                                 "n = pl.read(lens, [0])\n"
                                 "t = pl.slice(x, [16, N], [0, 0])\n"
                                 "y = pl.assemble(y, pl.mul(t, s), [0, 0])\n"
                                 "pl.write(y, [1, 0], s * 2.0 + 1.0)\n"
                                 "pl.write(y, [1, 1], -s)\n"
                                 "pl.write(y, [1, 2], s / n)\n"
                                 "pl.write(y, [1, 3], 1.0 / (n + 1))\n"
                                 "pl.write(y, [1, 4], pl.max(s, u) - pl.min(s, 0.25))\n"
                                 "tens = pl.cast(s * 10.0, pl.INT32)\n"
                                 "pl.write(y, [1, 5], pl.cast(tens, pl.FP32))\n"
                                 "pl.write(z, [0, 0], s * u)\n"),
                        [](Arrays& a) {
                          a["x"].set(0, 1.73f);
                          a["x"].set(1, -0.4f);
                          a["lens"].set(0, 7);
                        });
  const float s = 1.73f;
  const float u = -0.4f;
  HostArray& y = out["y"];
  for (int64_t k = 0; k < 64; ++k)
    EXPECT_EQ(y.at(k), static_cast<float>(out["x"].at(k)) * s) << k;
  EXPECT_EQ(y.at(64), s * 2.0f + 1.0f);
  EXPECT_EQ(y.at(65), -s);
  EXPECT_EQ(y.at(66), s / 7.0f);
  EXPECT_EQ(y.at(67), 1.0f / 8.0f);
  EXPECT_EQ(y.at(68), s - 0.25f);
  EXPECT_EQ(y.at(69), 17.0f);
  EXPECT_EQ(out["z"].at(0), s * u);
}

TEST(Executed, ALoopCarriesAFloatScalar) {
  Arrays out = executed(in_scope("t = pl.slice(x, [16, N], [0, 0])\n"
                                 "best = 0.0\n"
                                 "total = pl.read(t, [0, 0])\n"
                                 "for k in pl.range(1, N):\n"
                                 "    v = pl.read(t, [0, k])\n"
                                 "    best = pl.max(best, v)\n"
                                 "    total = total + v\n"
                                 "all = pl.full([16, N], dtype=pl.FP32, value=best)\n"
                                 "y = pl.assemble(y, all, [0, 0])\n"
                                 "pl.write(y, [0, 0], total)\n"));
  float best = 0;
  auto total = static_cast<float>(out["x"].at(0));
  for (int64_t k = 1; k < 64; ++k) {
    best = std::max(best, static_cast<float>(out["x"].at(k)));
    total += static_cast<float>(out["x"].at(k));
  }
  EXPECT_EQ(out["y"].at(0), total);
  EXPECT_EQ(out["y"].at(1), best);
}

// pl.write gives what it wrote into, as pl.assemble does, so a loop may carry it.
TEST(Executed, ALoopCarriesWhatItWritesInto) {
  Arrays out = executed(in_scope("t = pl.slice(x, [16, N], [0, 0])\n"
                                 "y = pl.assemble(y, t, [0, 0])\n"
                                 "for k in pl.range(1, N):\n"
                                 "    y = pl.write(y, [0, k], pl.read(t, [1, k]))\n"));
  EXPECT_EQ(out["y"].at(0), out["x"].at(0));
  for (int64_t k = 1; k < 64; ++k) EXPECT_EQ(out["y"].at(k), out["x"].at(64 + k));
}

TEST(Executed, AFloatOfAnInputDecidesABranch) {
  const std::string text =
      program("s = pl.read(x, [0, 0])\n"
              "if s * 2.0 > 1.0 and s < 10.0:\n"
              "    with pl.incore():\n"
              "        y = pl.assemble(y, pl.slice(x, [16, N], [0, 0]), [0, 0])\n"
              "else:\n"
              "    with pl.incore():\n"
              "        y = pl.assemble(y, pl.slice(z, [16, N], [0, 0]), [0, 0])\n"
              "with pl.incore():\n"
              "    v = pl.read(x, [1, 0])\n"
              "    if v >= 0.0:\n"
              "        z = pl.assemble(z, pl.full([16, N], dtype=pl.FP32, value=s), [0, 0])\n");
  for (const double s : {0.6, 0.4, 11.0}) {
    Arrays out = executed(text, [&](Arrays& a) {
      a["x"].set(0, s);
      a["x"].set(64, 1.0);
      a["z"].set(5, 3.5);
    });
    EXPECT_EQ(out["y"].at(5), s == 0.6 ? out["x"].at(5) : 3.5);
    EXPECT_EQ(out["z"].at(7), static_cast<float>(s));
  }
}

// ---- unrolled loops ----------------------------------------------------------------------------

TEST(Executed, AnUnrolledLoopHandsATensorOn) {
  Arrays out = executed(program(
      "state = x\n"
      "for i in pl.unroll(3):\n"
      "    after = pl.create_tensor([16, N], dtype=pl.FP32)\n"
      "    with pl.incore():\n"
      "        after = pl.assemble(after, pl.add(pl.slice(state, [16, N], [0, 0]), i * 1.0), [0, 0])\n"
      "    state = after\n"
      "with pl.incore():\n"
      "    y = pl.assemble(y, pl.slice(state, [16, N], [0, 0]), [0, 0])\n"));
  for (int64_t i = 0; i < 16 * 64; ++i)
    ASSERT_EQ(out["y"].at(i), static_cast<float>(out["x"].at(i)) + 1.0f + 2.0f) << i;
}

TEST(Executed, ALoopCarriesATensorThatIsAnotherOneInEachTrip) {
  const std::string text = program(
      "state = pl.create_tensor([16, N], dtype=pl.FP32)\n"
      "with pl.incore():\n"
      "    state = pl.assemble(state, pl.slice(x, [16, N], [0, 0]), [0, 0])\n"
      "for i in pl.range(5):\n"
      "    after = pl.create_tensor([16, N], dtype=pl.FP32)\n"
      "    with pl.incore():\n"
      "        after = pl.assemble(after, pl.add(pl.slice(state, [16, N], [0, 0]), 1.0), [0, 0])\n"
      "    state = after\n"
      "with pl.incore():\n"
      "    y = pl.assemble(y, pl.slice(state, [16, N], [0, 0]), [0, 0])\n");
  Arrays out = executed(text);
  for (int64_t i = 0; i < 16 * 64; ++i) {
    auto want = static_cast<float>(out["x"].at(i));
    for (int trip = 0; trip < 5; ++trip) want += 1.0f;
    ASSERT_EQ(out["y"].at(i), want) << i;
  }
}

TEST(Executed, ARowOfATensorHasOneDimension) {
  Arrays out = executed(program(
      "row = x[3]\n"
      "with pl.incore():\n"
      "    y = pl.assemble(y, pl.slice(x, [16, N], [0, 0]), [0, 0])\n"
      "    y = pl.assemble(y, pl.reshape(pl.slice(row, [N], [0]), [1, N]), [0, 0])\n"));
  for (int64_t i = 0; i < 64; ++i) EXPECT_EQ(out["y"].at(i), out["x"].at(3 * 64 + i)) << i;
}

// ---- lanes -------------------------------------------------------------------------------------

TEST(Executed, EachLaneHasHalfOfAProduct) {
  const auto sharded = [](const char* mode, const char* store) {
    return executed(in_scope(std::string("p = pl.matmul(pl.slice(b, [16, N], [0, 0]), w, "
                                         "out_dtype=pl.FP32)\n"
                                         "for lane in pl.split_aiv(2, mode=pl.SplitMode.") +
                             mode + "):\n    part = pl.mul(pl.aiv_shard(p), 2.0)\n    " + store));
  };
  Arrays rows = sharded("UP_DOWN", "y[lane * 8 : lane * 8 + 8, :] = part\n");
  Arrays cols = sharded("LEFT_RIGHT", "y[:, lane * 32 : lane * 32 + 32] = part\n");
  Arrays whole = sharded("NONE", "if lane == 1:\n        y[:, :] = part\n");
  rows.expect_same(cols, "halves of columns");
  rows.expect_same(whole, "all of it");
  double sum = 0;
  for (int64_t k = 0; k < 64; ++k) sum += rows["b"].at(9 * 64 + k) * rows["w"].at(k * 64 + 40);
  EXPECT_NEAR(rows["y"].at(9 * 64 + 40), 2 * sum, 1e-3);
}

TEST(Executed, LanesOutsideAScopeAreATask) {
  Arrays out = executed(program(
      "for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):\n"
      "    for row in pl.range(lane, 16, 2):\n"
      "        y[row : row + 1, :] = pl.mul(x[row : row + 1, :], 2.0)\n"));
  for (int64_t i = 0; i < 16 * 64; ++i)
    ASSERT_EQ(out["y"].at(i), 2 * static_cast<float>(out["x"].at(i))) << i;
}

// ---- empty valid regions -----------------------------------------------------------------------

// y is x * 2 in `rows` x `cols` elements and 0 elsewhere; z[0:16] gains the sum of the products of
// the valid part. `n` and `m` come from data, so that executors see them late.
TEST(Executed, NothingIsReadComputedOrWrittenWhereNothingIsValid) {
  const std::string text = in_scope(
      "n = pl.read(lens, [0])\n"
      "m = pl.read(lens, [1])\n"
      "t = pl.slice(x, [16, N], [0, 0], valid_shape=[n, m])\n"
      "d = pl.add(t, t)\n"
      "y = pl.assemble(y, pl.fillpad(d, pad_value=pl.PadValue.zero), [0, 0])\n"
      "z = pl.assemble(z, pl.set_validshape(d, n, m), [0, 0])\n"
      "half = pl.slice(b, [16, N], [0, 0], valid_shape=[n, N])\n"
      "p = pl.matmul(half, w, out_dtype=pl.FP32)\n"
      "z = pl.assemble(z, p, [0, 0], atomic=pl.AtomicType.Add)\n"
      "r = pl.row_sum(pl.slice(x, [16, N], [0, 0], valid_shape=[n, N]))\n"
      "z = pl.assemble(z, r, [0, 0])\n");
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{0, 64}, {16, 0}, {0, 0}, {3, 5}}) {
    SCOPED_TRACE(fmt::format("{} x {}", n, m));
    double before = 0;
    Arrays out = executed(text, [&, n = n, m = m](Arrays& a) {
      a["lens"].set(0, static_cast<double>(n));
      a["lens"].set(1, static_cast<double>(m));
      before = a["z"].at(15 * 64 + 63);
    });
    for (int64_t i = 0; i < 16 * 64; ++i) {
      const bool valid = i / 64 < n && i % 64 < m;
      ASSERT_EQ(out["y"].at(i), valid ? 2 * static_cast<float>(out["x"].at(i)) : 0.0) << i;
    }
    if (n == 0) { EXPECT_EQ(out["z"].at(15 * 64 + 63), before); }
  }
}

// ---- arrays of a kernel ------------------------------------------------------------------------

TEST(Executed, ALocalArrayCountsSlots) {
  Arrays out = executed(in_scope("cursor = pl.array.create(4, pl.INT32)\n"
                                 "for e in pl.range(4):\n"
                                 "    cursor[e] = e * 4\n"
                                 "for t in pl.range(8):\n"
                                 "    e = pl.read(lens, [t])\n"
                                 "    slot = cursor[e]\n"
                                 "    cursor[e] = slot + 1\n"
                                 "    z = pl.assemble(z, pl.slice(x, [1, N], [t, 0]), [slot, 0])\n"
                                 "y = pl.assemble(y, pl.slice(x, [16, N], [0, 0]), [0, 0])\n"),
                        [](Arrays& a) {
                          for (int64_t t = 0; t < 8; ++t)
                            a["lens"].set(t, static_cast<double>(t * 3 % 4));
                        });
  std::array<int64_t, 4> slots{0, 4, 8, 12};
  for (int64_t t = 0; t < 8; ++t) {
    const int64_t row = slots[static_cast<std::size_t>(t * 3 % 4)]++;
    for (int64_t k = 0; k < 64; ++k)
      EXPECT_EQ(out["z"].at(row * 64 + k), out["x"].at(t * 64 + k)) << t << " " << k;
  }
}

// ---- barriers ----------------------------------------------------------------------------------

TEST(Executed, BlocksSeeWhatAllBlocksWroteBeforeABarrier) {
  Arrays out = executed(program("part = pl.create_tensor([16, N], dtype=pl.FP32)\n"
                                "with pl.spmd(4, name_hint=\"sum\"):\n"
                                "    block = pl.tile.get_block_idx()\n"
                                "    r0 = block * 4\n"
                                "    t = pl.slice(x, [4, N], [r0, 0])\n"
                                "    part = pl.assemble(part, pl.mul(t, 2.0), [r0, 0])\n"
                                "    pl.system.syncall(core_type=\"mix\")\n"
                                "    for k in pl.range(block, 4, pl.tile.get_block_num()):\n"
                                "        all = pl.slice(part, [16, N], [0, 0])\n"
                                "        s = pl.col_sum(all)\n"
                                "        for j in pl.range(4):\n"
                                "            y = pl.assemble(y, s, [r0 + j, 0])\n"));
  for (int64_t c = 0; c < 64; ++c) {
    float sum = 0;
    for (int64_t r = 0; r < 16; ++r) sum += static_cast<float>(out["x"].at(r * 64 + c)) * 2.0f;
    for (int64_t r = 0; r < 16; ++r) EXPECT_EQ(out["y"].at(r * 64 + c), sum) << r << " " << c;
  }
}

// ---- rows gathered for the cube ----------------------------------------------------------------

TEST(Executed, RowsGatheredIntoTheMemoryOfTheCube) {
  Arrays out = executed(in_scope("kv = pl.create_l1([16, N], pl.BF16)\n"
                                 "for r in pl.range(16):\n"
                                 "    kv = pl.gather_row(kv, w, [r, 0], [r * 3, 0], [1, N])\n"
                                 "q = pl.slice(b, [16, N], [0, 0])\n"
                                 "s = pl.matmul(q, pl.tile.transpose_view(kv), out_dtype=pl.FP32)\n"
                                 "y = pl.assemble(y, pl.full([16, N], dtype=pl.FP32, value=0.0), "
                                 "[0, 0])\n"
                                 "y = pl.assemble(y, s, [0, 0])\n"));
  for (int64_t m = 0; m < 16; ++m)
    for (int64_t r = 0; r < 16; ++r) {
      double sum = 0;
      for (int64_t k = 0; k < 64; ++k) sum += out["b"].at(m * 64 + k) * out["w"].at(r * 3 * 64 + k);
      EXPECT_NEAR(out["y"].at(m * 64 + r), sum, 1e-4);
    }
}

// ---- ranks -------------------------------------------------------------------------------------

const char* const kRanks = R"(import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.Opaque)
    def p(self, a: pl.Tensor[[2, 1, 16, 32], pl.BF16], b: pl.Tensor[[2, 3, 32, 64], pl.BF16],
          v: pl.Tensor[[16, 1], pl.FP32], g: pl.Tensor[[1, 1, 1, 64], pl.FP32],
          y: pl.Out[pl.Tensor[[3, 1, 16, 64], pl.FP32]]):
        for n in pl.parallel(3):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
                acc = pl.matmul(a[0:1, :, :, :], b[0:1, n : n + 1, :, :], out_dtype=pl.FP32)
                acc = pl.matmul_acc(acc, a[1:2, :, :, :], b[1:2, n : n + 1, :, :])
                scaled = pl.col_expand_mul(pl.row_expand_mul(acc, v[:, :]), g[:, :, :, :])
                y = pl.assemble(y, scaled, [n, 0, 0, 0])
)";

TEST(Executed, ProductsAndExpansionsOfFourDimensions) {
  Arrays out = executed(kRanks);
  for (int64_t n = 0; n < 3; ++n)
    for (int64_t m = 0; m < 16; ++m)
      for (int64_t c = 0; c < 64; ++c) {
        double sum = 0;
        for (int64_t k = 0; k < 64; ++k)
          sum += out["a"].at((k / 32 * 16 + m) * 32 + k % 32) *
                 out["b"].at(((k / 32 * 3 + n) * 32 + k % 32) * 64 + c);
        const double want = sum * out["v"].at(m) * out["g"].at(c);
        EXPECT_NEAR(out["y"].at((n * 16 + m) * 64 + c), want, 1e-4);
      }
}

// ---- INT8 --------------------------------------------------------------------------------------

const char* const kW8A8 = R"(import pypto.language as pl

T = 16
K = 128
N = 64

@pl.program
class Linear:
    @pl.function(type=pl.FunctionType.Opaque)
    def linear(self, x: pl.Tensor[[T, K], pl.BF16], w: pl.Tensor[[N, K], pl.INT8],
               w_scale: pl.Tensor[[1, N], pl.FP32], y: pl.Out[pl.Tensor[[T, N], pl.FP32]]):
        xq = pl.create_tensor([T, K], dtype=pl.INT8)
        x_scale = pl.create_tensor([T, 1], dtype=pl.FP32)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="quantise"):
            xf = pl.cast(pl.slice(x, [T, K], [0, 0]), target_type=pl.FP32)
            amax = pl.reshape(pl.row_max(pl.abs(xf)), [1, T])
            amax = pl.maximum(amax, pl.full([1, T], dtype=pl.FP32, value=1e-4))
            q = pl.reshape(pl.div(pl.full([1, T], dtype=pl.FP32, value=127.0), amax), [T, 1])
            whole = pl.cast(pl.row_expand_mul(xf, q), target_type=pl.INT32, mode="rint")
            half = pl.cast(whole, target_type=pl.FP16, mode="round")
            xq = pl.assemble(xq, pl.cast(half, target_type=pl.INT8, mode="trunc"), [0, 0])
            x_scale = pl.assemble(x_scale, pl.reshape(pl.mul(amax, 1.0 / 127.0), [T, 1]), [0, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="multiply"):
            acc = pl.create_tensor([T, N], dtype=pl.INT32)
            for k0 in pl.range(0, K, 64):
                a = xq[:, k0 : k0 + 64]
                b = w[:, k0 : k0 + 64]
                if k0 == 0:
                    acc = pl.matmul(a, b, b_trans=True, out_dtype=pl.INT32)
                else:
                    acc = pl.matmul_acc(acc, a, b, b_trans=True)
            f = pl.cast(acc, target_type=pl.FP32, mode="none")
            f = pl.col_expand_mul(pl.row_expand_mul(f, x_scale[:, :]), w_scale[:, :])
            y = pl.assemble(y, f, [0, 0])
)";

TEST(Executed, ALinearLayerOfInt8) {
  Arrays out = executed(kW8A8);
  for (int64_t t = 0; t < 16; ++t) {
    float amax = 1e-4f;
    for (int64_t k = 0; k < 128; ++k)
      amax = std::max(amax, std::fabs(static_cast<float>(out["x"].at(t * 128 + k))));
    const float q = 127.0f / amax;
    for (int64_t n = 0; n < 64; ++n) {
      int64_t sum = 0;  // exact: 128 products below 2^14
      for (int64_t k = 0; k < 128; ++k)
        sum += std::lrint(static_cast<float>(out["x"].at(t * 128 + k)) * q) *
               static_cast<int64_t>(out["w"].at(n * 128 + k));
      const float want = static_cast<float>(sum) * (amax * static_cast<float>(1.0 / 127.0)) *
                         static_cast<float>(out["w_scale"].at(n));
      EXPECT_EQ(out["y"].at(t * 64 + n), want) << t << " " << n;
    }
  }
}

// A name that is assigned to is a tensor, not a value of it: a view taken before sees the write.
TEST(Executed, AViewSeesAnAssignmentToItsTensor) {
  Arrays out = executed(R"(
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.Opaque)
    def f(self, x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
        all_rows = pl.create_tensor([32, 32], dtype=pl.FP32)
        upper = all_rows[16:32, :]
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="write"):
            all_rows[16:32, :] = pl.add(x[:, :], 1.0)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="read"):
            y[:, :] = pl.mul(upper[:, :], 2.0)
)");
  for (int64_t i = 0; i < 16 * 32; ++i) {
    const float x = static_cast<float>(out["x"].at(i));
    EXPECT_EQ(out["y"].at(i), (x + 1.0f) * 2.0f) << i;
  }
}

// A name that stands for one tensor and later for another, in a loop and in branches.
TEST(Executed, ALoopHandsANewTensorToItsNextTrip) {
  Arrays out = executed(R"(
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.Inline)
    def step(self, h: pl.Tensor[[16, 32], pl.FP32], out: pl.Tensor[[16, 32], pl.FP32]):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="step"):
            out = pl.assemble(out, pl.add(h[:, :], 1.0), [0, 0])
        return out

    @pl.function(type=pl.FunctionType.Opaque)
    def f(
        self,
        x: pl.Tensor[[16, 32], pl.FP32],
        y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
        z: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
    ):
        a = pl.create_tensor([16, 32], dtype=pl.FP32)
        b = pl.create_tensor([16, 32], dtype=pl.FP32)
        h = x
        first = h
        for i in pl.range(5):
            before = h
            if i % 2 == 0:
                target = a
            else:
                target = b
            h = self.step(h, target)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="last"):
            y = pl.assemble(y, pl.mul(h[:, :], 2.0), [0, 0])
            z = pl.assemble(z, pl.sub(before[:, :], first[:, :]), [0, 0])
)");
  for (int64_t i = 0; i < 16 * 32; ++i) {
    float h = static_cast<float>(out["x"].at(i));
    float before = 0;
    for (int trip = 0; trip < 5; ++trip) {
      before = h;
      h += 1.0f;
    }
    EXPECT_EQ(out["y"].at(i), h * 2.0f) << i;
    EXPECT_EQ(out["z"].at(i), before - static_cast<float>(out["x"].at(i))) << i;
  }
}

}  // namespace
}  // namespace frontend_test
