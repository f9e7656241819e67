#include "step.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine.h"
#include "tilewright/base/check.h"
#include "tilewright/compile/compile.h"
#include "tilewright/harness/inputs.h"
#include "tilewright/harness/request.h"
#include "tilewright/models/qwen3/catalog.h"

namespace tilewright::bench {
namespace {

catalog::ProgramDef find_program(const std::string& name) {
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return def;
  bug("no such program: " + name);
}

constexpr double kWeightScale = 1.0 / 64;

// Small finite numbers of both signs, cheap to make a billion of.
void fill(HostArray& a, uint32_t seed, double scale) {
  uint32_t state = seed * 2654435761u + 1;
  const auto next = [&] { return state = state * 1664525u + 1013904223u; };
  if (a.dtype() == DType::BF16) {
    const uint16_t one = bf16_from_f32(static_cast<float>(scale));
    for (uint16_t& x : a.as<uint16_t>()) {
      const uint32_t r = next();
      x = static_cast<uint16_t>((one - (r >> 16) % 256) | (r >> 31 << 15));
    }
    return;
  }
  for (int64_t i = 0; i < a.size(); ++i)
    a.set(i, scale * (static_cast<double>(next() >> 8) / (1 << 23) - 1));
}

}  // namespace

struct Step::Parts {
  cpu::Pool& pool;
  ir::Program program;
  std::optional<ir::Plan> plan;
  std::optional<ir::TaskGraph> graph;
  catalog::Arrays arrays;
  ir::Bindings bindings;
  std::optional<cpu::Executable> executable;
  double last_seconds = 0;
  double last_cpu_seconds = 0;
  double unroll_seconds = 0;
};

Step::Step(const std::string& name, const std::string& shape,
           const std::map<std::string, int64_t>& set, cpu::Pool& pool)
    : parts_(new Parts{pool, {}, {}, {}, {}, {}, {}}) {
  Parts& s = *parts_;
  const catalog::ProgramDef def = find_program(name);
  harness::Request request = harness::request_for("cpu");
  request.shape = shape;
  request.set = set;
  const catalog::Config config = harness::configure(def, request);
  s.program = harness::build(def, config);
  uint32_t seed = 1;
  for (const ir::Param& p : s.program.params) {
    const ir::Var& v = s.program[p.var];
    HostArray a(v.dtype, v.shape);
    const bool matrix = p.role == ir::Role::Weight && v.dtype == DType::BF16;
    if (v.dtype == DType::I32)
      for (int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(set.at("ctx")));
    else
      fill(a, seed++, matrix ? kWeightScale : 1.0);
    s.arrays.add(v.name, std::move(a));
  }
  s.bindings = harness::make_bindings(s.program, s.arrays, {});
  Diagnostics diagnostics;
  s.plan = compile::compile(s.program, request.platform.platform, {}, diagnostics);
  check(s.plan.has_value(), "the benchmark program compiles");
  const double start = now_seconds();
  s.graph = compile::unroll(*s.plan, s.bindings, diagnostics);
  s.unroll_seconds = now_seconds() - start;
  check(s.graph.has_value(), "the benchmark program unrolls");
  s.executable.emplace(*s.plan, *s.graph, cpu::Options{.threads = pool.threads()});
}

Step::~Step() = default;

void Step::drop_weights() {
  for (std::size_t p = 0; p < parts_->program.params.size(); ++p)
    if (parts_->executable->packs(p)) *parts_->bindings.arrays[p] = HostArray();
}

void Step::refill_weights() {
  for (std::size_t p = 0; p < parts_->program.params.size(); ++p) {
    if (!parts_->executable->packs(p)) continue;
    const ir::Var& v = parts_->program[parts_->program.params[p].var];
    *parts_->bindings.arrays[p] = HostArray(v.dtype, v.shape);
    fill(*parts_->bindings.arrays[p], static_cast<uint32_t>(p), kWeightScale);
  }
}

cpu::Weights Step::bind_weights() {
  return parts_->executable->bind_weights(parts_->bindings, cpu::Source::Release);
}

double Step::run(const cpu::Weights& weights) {
  const double start = now_seconds();
  const double cpu_start = cpu_seconds();
  parts_->executable->run(parts_->pool, weights, parts_->bindings);
  parts_->last_cpu_seconds = cpu_seconds() - cpu_start;
  return parts_->last_seconds = now_seconds() - start;
}

Work Step::work(int64_t ctx) const {
  Work w;
  const auto& s = *parts_;
  const auto param = [&](const char* name) -> const Shape& {
    return s.program[*s.program.find(name)].shape;
  };
  const auto batch = static_cast<double>(param("hidden_states")[0]);
  for (std::size_t p = 0; p < s.program.params.size(); ++p) {
    if (!s.executable->packs(p)) continue;
    const auto elements =
        static_cast<double>(element_count(s.program[s.program.params[p].var].shape));
    w.weight_bytes += 2 * elements;
    w.flops += 2 * batch * elements;
  }
  if (!s.program.find("k_cache")) return w;
  // Rows of a cache per (batch row, KV head) are as many as the rotary table has positions.
  const double share = static_cast<double>(ctx) / static_cast<double>(param("rope_cos")[0]);
  w.kv_bytes = 2 * 2 * share * static_cast<double>(element_count(param("k_cache")));
  // Scores and values: two products of every Q element with every position.
  w.attention_flops = 4 * batch * static_cast<double>(param("wq")[1] * ctx);
  return w;
}

double Step::busy_seconds() const {
  int64_t busy = 0;
  for (const cpu::TaskTime& t : parts_->executable->times()) busy += t.end_ns - t.start_ns;
  return static_cast<double>(busy) * 1e-9;
}

double Step::stage_seconds(const std::string& kernel) const {
  double sum = 0;
  const auto& times = parts_->executable->times();
  for (std::size_t t = 0; t < times.size(); ++t)
    if (parts_->plan->kernel(parts_->graph->tasks[t].kernel).name == kernel)
      sum += static_cast<double>(times[t].end_ns - times[t].start_ns) * 1e-9;
  return sum;
}

void Step::print_stages() const {
  std::vector<std::pair<double, int64_t>> stages(parts_->plan->kernels.size());
  const auto& times = parts_->executable->times();
  for (std::size_t t = 0; t < times.size(); ++t) {
    auto& stage = stages[parts_->graph->tasks[t].kernel.index()];
    stage.first += static_cast<double>(times[t].end_ns - times[t].start_ns) * 1e-6;
    ++stage.second;
  }
  fmt::print("    thread ms (tasks):");
  for (std::size_t k = 0; k < stages.size(); ++k)
    if (stages[k].second)
      fmt::print(" {} {:.2f} ({})", parts_->plan->kernels[k].name, stages[k].first,
                 stages[k].second);
  const double all = parts_->last_seconds * parts_->pool.threads();
  fmt::print("; no task {:.1f} %, unrolled in {:.1f} ms\n", (1 - busy_seconds() / all) * 100,
             parts_->unroll_seconds * 1e3);
}

double Step::last_cpu_seconds() const { return parts_->last_cpu_seconds; }

}  // namespace tilewright::bench
