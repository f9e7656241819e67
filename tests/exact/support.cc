#include "support.h"

#include <fmt/format.h>

#include <stdexcept>

#include "../seeds.h"
#include "tilewright/base/rng.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"

namespace exact_test {
namespace {

// Arrays that nothing writes are used as they are; the others are copied into `copies`.
ir::Bindings bindings_for(const Subject& s, std::vector<HostArray>& copies) {
  ir::Bindings b;
  b.scalars = s.scalars;
  copies.resize(s.params.size());
  for (std::size_t p = 0; p < s.params.size(); ++p) {
    const HostArray& from = s.before[p];
    const bool only_read = s.params[p].direction == ir::Direction::In;
    if (from.data() && !only_read) copies[p] = from.clone();
    HostArray* bound = only_read ? const_cast<HostArray*>(&from) : &copies[p];
    b.arrays.push_back(from.data() ? bound : nullptr);
  }
  return b;
}

void fill(HostArray& a, Rng& rng) {
  for (int64_t k = 0; k < a.size(); ++k)
    a.set(k, is_float(a.dtype()) ? 4 * rng.uniform() - 2 : static_cast<double>(rng.integer(0, 4)));
}

}  // namespace

Subject make_subject(const ir::Program& program, const platform::Platform& platform,
                     std::vector<HostArray> arrays, std::vector<double> scalars,
                     const compile::Budget& budget) {
  Subject s;
  s.params = program.params;
  s.before = std::move(arrays);
  s.scalars = std::move(scalars);
  s.platform = platform;
  Diagnostics diagnostics;
  compile::Options options;
  options.budget = budget;
  auto plan = compile::compile(program, platform, options, diagnostics);
  if (!plan) throw std::runtime_error(diagnostics.text());
  s.plan = std::move(*plan);
  const ir::Bindings bindings = bindings_for(s, s.after);
  auto graph = compile::unroll(s.plan, bindings, diagnostics);
  if (!graph) throw std::runtime_error(diagnostics.text());
  s.graph = std::move(*graph);
  golden::run_program(program, bindings);
  return s;
}

Subject make_subject(const ir::Program& program, const platform::Platform& platform) {
  std::vector<HostArray> arrays;
  Rng rng(1);
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    arrays.push_back(v.scalar ? HostArray() : HostArray(v.dtype, v.shape));
    fill(arrays.back(), rng);
  }
  return make_subject(program, platform, std::move(arrays),
                      std::vector<double>(program.params.size(), 1));
}

Subject make_subject(const ir::Program& program, const std::string& platform) {
  return make_subject(program, platform::builtin_platform(platform));
}

Subject make_subject(const std::string& platform, const std::function<void(dsl::Builder&)>& body) {
  dsl::Builder builder("subject");
  body(builder);
  return make_subject(builder.finish(), platform);
}

std::string Outcome::text() const {
  std::string out = same_bits ? "" : "outputs differ from what the program means\n";
  for (const golden::Finding& f : result.findings) out += f.text;
  return out;
}

Outcome run(const Subject& s, const ir::Plan& plan, golden::ExactOptions options) {
  std::vector<HostArray> arrays;
  const ir::Bindings bindings = bindings_for(s, arrays);
  for (const platform::Memory& m : s.platform.memories)
    if (m.physical) options.sizes[m.space] = *m.physical;
  Outcome out{golden::run_exact(plan, s.graph, bindings, options), true};
  for (std::size_t p = 0; p < s.params.size(); ++p)
    if (s.params[p].direction != ir::Direction::In)
      out.same_bits = out.same_bits && arrays[p].same_bits(s.after[p]);
  return out;
}

void expect_exact(const Subject& subject, int seeds, Here here) {
  SCOPED_TRACE(here.place().text());
  const Outcome in_order = run(subject, subject.plan);
  EXPECT_TRUE(in_order.clean()) << in_order.text();
  EXPECT_GT(in_order.result.instances, 0);
  const uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(seeds); ++seed) {
    const Outcome o = run(subject, subject.plan, {.seed = seed});
    ASSERT_TRUE(o.clean()) << "seed " << seed << "\n" << o.text();
  }
}

}  // namespace exact_test
