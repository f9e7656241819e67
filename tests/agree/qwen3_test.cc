// The Qwen3 programs on cpu against golden: every variant, odd batches, any number of threads, any
// order; and a row's values do not depend on its neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "prepared.h"
#include "tilewright/compile/compile.h"
#include "tilewright/cpu/run/executable.h"
#include "tilewright/data/inputs.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/program.h"
#include "tilewright/models/qwen3/catalog.h"

namespace agree_test {
namespace {

using namespace tilewright;

catalog::Arrays copy(const catalog::Arrays& arrays) {
  catalog::Arrays out;
  for (const auto& [name, a] : arrays.all()) out.add(name, a.clone());
  return out;
}

catalog::Arrays run_cpu(Session& p, int threads, std::optional<uint64_t> seed = {},
                        cpu::InstructionSet instructions = cpu::InstructionSet::exact()) {
  catalog::Arrays arrays = copy(p.arrays());
  const ir::Bindings bindings = data::make_bindings(p.program(), arrays, {});
  cpu::Pool pool(threads);
  cpu::Executable e(*p.plan(), *p.graph(),
                    {.threads = threads, .instructions = instructions, .order_seed = seed});
  const cpu::PackedWeights weights = e.bind_weights(bindings);
  e.run(pool, weights, bindings);
  return arrays;
}

catalog::Arrays run_golden(Session& p) {
  catalog::Arrays arrays = copy(p.arrays());
  golden::run_tasks(*p.plan(), *p.graph(), data::make_bindings(p.program(), arrays, {}), {});
  return arrays;
}

template <class F>
void for_each_output(Session& p, F&& visit) {
  for (const ir::Param& param : p.program().params)
    if (param.direction != ir::Direction::In) visit(p.program()[param.var]);
}

// The programs differ from golden only through exp, by 2 ulp of FP32; a sum of such numbers may
// then fall on the other side of a BF16 edge. One step of BF16 is 2^-8 of the value; FP32 outputs
// are sums of rounded values. In another order every sum of FP32 may differ a little.
enum class Order { Golden, Another };
void expect_close(Session& p, const catalog::Arrays& actual, const catalog::Arrays& golden,
                  Order order = Order::Golden) {
  for_each_output(p, [&](const ir::Var& v) {
    int64_t differ = 0;
    double scale = 0;
    for (int64_t i = 0; i < golden[v.name].size(); ++i)
      scale = std::max(scale, std::fabs(golden[v.name].at(i)));
    for (int64_t i = 0; i < golden[v.name].size(); ++i) {
      const double a = actual[v.name].at(i);
      const double g = golden[v.name].at(i);
      if (a == g) continue;
      ++differ;
      ASSERT_LE(std::fabs(a - g), std::fabs(g) * 0x1p-7 + scale * 0x1p-12) << v.name << " " << i;
    }
    if (order == Order::Golden) {
      EXPECT_LE(differ, golden[v.name].size() / 20) << v.name;
    }
  });
}

void expect_equal(Session& p, const catalog::Arrays& a, const catalog::Arrays& b,
                  const std::string& how) {
  for_each_output(p, [&](const ir::Var& v) {
    EXPECT_TRUE(a[v.name].same_bits(b[v.name])) << p.name() << " " << v.name << ", " << how;
  });
}

bool has_key(const catalog::ProgramDef& def, const std::string& key) {
  const catalog::Config config = catalog::configure(def, "tiny", {});
  return std::ranges::any_of(config.keys(), [&](const catalog::Key& k) { return k.name == key; });
}

TEST(Qwen3, EveryProgramAgreesWithGolden) {
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    for (const int64_t batch : {1, 5, 16, 19}) {
      SCOPED_TRACE(def.name + " batch " + std::to_string(batch));
      const auto p = prepared(def, "tiny", {{"batch", batch}});
      const catalog::Arrays one = run_cpu(*p, 1);
      expect_close(*p, one, run_golden(*p));
      expect_equal(*p, run_cpu(*p, 3), one, "three threads");
      expect_equal(*p, run_cpu(*p, 2, 11), one, "two threads in random order");
    }
}

TEST(Qwen3, EveryInstructionSetGivesTheSameBits) {
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs()) {
    const auto p = prepared(def, "tiny", {});
    const catalog::Arrays plain = run_cpu(*p, 1, {}, cpu::InstructionSet::named("plain"));
    for (const cpu::InstructionSet& set : cpu::InstructionSet::all())
      if (set.adds_in_ascending_k())
        expect_equal(*p, run_cpu(*p, 2, {}, set), plain, std::string(set.name()));
  }
}

TEST(Qwen3, AmxIsCloseToGoldenAndTheSameForAnyThreads) {
  const cpu::InstructionSet amx = cpu::InstructionSet::fastest();
  if (amx.adds_in_ascending_k()) GTEST_SKIP() << "this machine has no AMX";
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    for (const int64_t batch : {1, 19}) {
      SCOPED_TRACE(def.name + " batch " + std::to_string(batch));
      const auto p = prepared(def, "tiny", {{"batch", batch}});
      const catalog::Arrays one = run_cpu(*p, 1, {}, amx);
      expect_close(*p, one, run_golden(*p), Order::Another);
      expect_equal(*p, run_cpu(*p, 2, 11, amx), one, "two threads in random order");
    }
}

// Row b of a batch of n, alone and among others.
void expect_rows_alone(cpu::InstructionSet instructions) {
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs()) {
    if (!def.name.starts_with("qwen3/decode") || !has_key(def, "ctx")) continue;
    SCOPED_TRACE(def.name + " " + std::string(instructions.name()));
    constexpr int64_t kBatch = 7;
    const auto all = prepared(def, "tiny", {{"batch", kBatch}});
    const catalog::Arrays together = run_cpu(*all, 2, {}, instructions);
    for (const int64_t row : {0, 3, 6}) {
      const auto one = prepared(def, "tiny", {{"batch", 1}});
      for (auto& [name, array] : one->arrays().all()) {
        const HostArray& from = all->arrays()[name];
        const auto bytes = static_cast<std::size_t>(array.byte_size());
        const bool per_row = from.byte_size() == array.byte_size() * kBatch;
        std::memcpy(array.data(),
                    from.data() + (per_row ? static_cast<std::size_t>(row) * bytes : 0), bytes);
      }
      ASSERT_TRUE(one->unroll());
      const catalog::Arrays alone = run_cpu(*one, 1, {}, instructions);
      for_each_output(*one, [&](const ir::Var& v) {
        const auto bytes = static_cast<std::size_t>(alone[v.name].byte_size());
        EXPECT_EQ(std::memcmp(alone[v.name].data(),
                              together[v.name].data() + static_cast<std::size_t>(row) * bytes,
                              bytes),
                  0)
            << v.name << " row " << row;
      });
    }
  }
}

TEST(Qwen3, ARowDoesNotDependOnItsNeighbours) {
  expect_rows_alone(cpu::InstructionSet::exact());
  const cpu::InstructionSet fastest = cpu::InstructionSet::fastest();
  if (!fastest.adds_in_ascending_k()) expect_rows_alone(fastest);
}

// The weights of several layers with one executable, and tasks that change between steps.
TEST(Qwen3, WeightsAndTasksAreExchanged) {
  const auto programs = models::qwen3::qwen3_programs();
  const auto def = std::ranges::find(programs, "qwen3/decode-flash", &catalog::ProgramDef::name);
  ASSERT_NE(def, programs.end());
  const auto p = prepared(*def, "tiny", {{"batch", 3}});
  const catalog::Arrays expected = run_cpu(*p, 1);
  catalog::Arrays other = copy(p->arrays());
  for (const char* w : {"wq", "w_up", "w_down"})
    for (uint16_t& x : other[w].as<uint16_t>()) x = static_cast<uint16_t>(x ^ 0x8000);
  HostArray& lengths = other["seq_lens"];
  for (int64_t i = 0; i < lengths.size(); ++i) lengths.set(i, 5 + 11 * static_cast<double>(i));

  const auto q = prepared(*def, "tiny", {{"batch", 3}});
  ASSERT_TRUE(q->use_inputs(copy(other), {}) && q->unroll());
  const catalog::Arrays expected_other = run_cpu(*q, 1);

  cpu::Pool pool(2);
  cpu::Executable e(*p->plan(), *p->graph(), {.threads = 2});
  const ir::Bindings first = data::make_bindings(p->program(), p->arrays(), {});
  const ir::Bindings second = data::make_bindings(p->program(), other, {});
  const cpu::PackedWeights first_weights = e.bind_weights(first);
  const cpu::PackedWeights second_weights = e.bind_weights(second);
  e.set_tasks(*q->graph());
  e.run(pool, second_weights, second);
  expect_equal(*p, other, expected_other, "other weights and lengths");
  e.set_tasks(*p->graph());
  e.run(pool, first_weights, first);
  expect_equal(*p, p->arrays(), expected, "the first again");
}

}  // namespace
}  // namespace agree_test
