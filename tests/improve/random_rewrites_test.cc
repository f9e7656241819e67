// Rewrites of random programs: what the checker accepts computes the same, to the bit.
#include <gtest/gtest.h>

#include <map>

#include "generator.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/rng.h"
#include "tilewright/data/inputs.h"
#include "tilewright/golden/golden.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

catalog::Arrays random_inputs(const ir::Program& p, uint64_t seed) {
  catalog::Arrays out;
  for (const ir::Param& param : p.params) {
    const ir::Var& v = p[param.var];
    HostArray a(v.dtype, v.shape);
    Rng rng(seed_for(seed, v.name.c_str()));
    for (int64_t i = 0; i < a.size(); ++i)
      a.set(i,
            v.dtype == DType::I32 ? static_cast<double>(rng.integer(0, 4)) : rng.uniform() * 2 - 1);
    out.add(v.name, std::move(a));
  }
  return out;
}

catalog::Arrays computed(const ir::Program& p, uint64_t seed) {
  catalog::Arrays arrays = random_inputs(p, seed);
  golden::run_program(p, data::make_bindings(p, arrays, {}));
  return arrays;
}

bool is_ready(session::Session& s, const ir::Program& p, uint64_t seed) {
  return s.build() && s.compile() && s.use_inputs(random_inputs(p, seed), {}) && s.unroll();
}

Rewrites proposals(session::Session& s) {
  const ir::RunRecord record = session::simulate(s, s.machine());
  const report::Profile profile = report::profile(*s.plan(), *s.graph(), record, s.machine());
  const Subject subject{s.program(), *s.plan(),   *s.graph(),   record,
                        profile,     s.machine(), s.bindings(), {}};
  Rewrites out;
  for (const Rewriter rewriter :
       {finish_gm_sums, share_loads, join_round_trips, load_blocks_together})
    rewriter(subject, out);
  return out;
}

TEST(Rewrites, OfRandomProgramsComputeTheSame) {
  constexpr uint64_t kPrograms = 500;
  session::Request request = session::request_for("a2a3sim");
  request.rules = "exact";
  std::map<std::string, int> judged;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const ir::Program p = fuzz::random_program(seed);
    session::Session s(p, request);
    if (p.diagnostics.has_errors() || !is_ready(s, p, seed)) continue;
    const Rewrites all = proposals(s);
    if (all.empty()) continue;
    const catalog::Arrays expected = computed(p, seed);
    for (const Rewrite& r : all) {
      session::Session other(r.program, request);
      if (!is_ready(other, p, seed)) continue;
      ++judged[r.code];
      const catalog::Arrays actual = computed(r.program, seed);
      for (const auto& [name, array] : expected.all())
        EXPECT_TRUE(array.same_bits(actual[name]))
            << "seed " << seed << ": " << name << ", " << r.change << "\n"
            << ir::print(r.program);
    }
  }
  EXPECT_GT(judged["round-trip"], 5);
  EXPECT_GT(judged["shared-loads"], 5);
}

}  // namespace
}  // namespace tilewright::improve
