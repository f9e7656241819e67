#include "program.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine.h"
#include "tilewright/base/check.h"
#include "tilewright/ir/plan.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/session/session.h"

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

struct BenchProgram::Parts {
  cpu::Pool& pool;
  const catalog::ProgramDef def;
  session::Session session;
  std::optional<cpu::Executable> executable = {};
  double last_seconds = 0;
  double last_cpu_seconds = 0;
  double unroll_seconds = 0;

  Parts(const std::string& program, const session::Request& request, cpu::Pool& p)
      : pool(p), def(find_program(program)), session(def, request) {}

  const std::vector<ir::Param>& params() const { return session.program().params; }
  const ir::Var& var(std::size_t param) const { return session.program()[params()[param].var]; }
};

BenchProgram::BenchProgram(const std::string& name, const std::string& shape,
                           const std::map<std::string, int64_t>& set, cpu::Pool& pool,
                           cpu::InstructionSet instructions) {
  session::Request request = session::request_for("cpu");
  request.shape = shape;
  request.set = set;
  parts_ = std::make_unique<Parts>(name, request, pool);
  session::Session& session = parts_->session;
  check(session.build() && session.compile(), "the benchmark program compiles");
  catalog::Arrays arrays;
  uint32_t seed = 1;
  for (std::size_t p = 0; p < parts_->params().size(); ++p) {
    const ir::Var& v = parts_->var(p);
    HostArray a(v.dtype, v.shape);
    const bool matrix = parts_->params()[p].role == ir::Role::Weight && v.dtype == DType::BF16;
    if (v.dtype == DType::I32)
      for (int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(set.at("ctx")));
    else
      fill(a, seed++, matrix ? kWeightScale : 1.0);
    arrays.add(v.name, std::move(a));
  }
  const double start = now_seconds();
  check(session.use_inputs(std::move(arrays), {}) && session.unroll(),
        "the benchmark program unrolls");
  parts_->unroll_seconds = now_seconds() - start;
  parts_->executable.emplace(*session.plan(), *session.graph(),
                             cpu::Options{.threads = pool.threads(), .instructions = instructions});
}

BenchProgram::~BenchProgram() = default;

void BenchProgram::drop_weights() {
  for (std::size_t p = 0; p < parts_->params().size(); ++p)
    if (parts_->executable->packs(p)) *parts_->session.bindings().arrays[p] = HostArray();
}

void BenchProgram::refill_weights() {
  for (std::size_t p = 0; p < parts_->params().size(); ++p) {
    if (!parts_->executable->packs(p)) continue;
    HostArray& array = *parts_->session.bindings().arrays[p];
    array = HostArray(parts_->var(p).dtype, parts_->var(p).shape);
    fill(array, static_cast<uint32_t>(p), kWeightScale);
  }
}

cpu::PackedWeights BenchProgram::bind_weights() {
  return parts_->executable->bind_weights(parts_->session.bindings(), cpu::Source::Release);
}

double BenchProgram::run(const cpu::PackedWeights& weights) {
  const double start = now_seconds();
  const double cpu_start = cpu_seconds();
  parts_->executable->run(parts_->pool, weights, parts_->session.bindings());
  parts_->last_cpu_seconds = cpu_seconds() - cpu_start;
  return parts_->last_seconds = now_seconds() - start;
}

Machine::Regions BenchProgram::cache_regions() const {
  Machine::Regions regions;
  for (const char* name : {"k_cache", "v_cache"})
    for (std::size_t p = 0; p < parts_->params().size(); ++p)
      if (parts_->var(p).name == name)
        regions.push_back(std::as_bytes(parts_->session.bindings().arrays[p]->as<uint16_t>()));
  return regions;
}

Work BenchProgram::work(int64_t ctx) const {
  Work w;
  const ir::Program& program = parts_->session.program();
  const auto param = [&](const char* name) -> const Shape& {
    return program[*program.find(name)].shape;
  };
  const auto batch = static_cast<double>(param("hidden_states")[0]);
  for (std::size_t p = 0; p < program.params.size(); ++p) {
    if (!parts_->executable->packs(p)) continue;
    const auto elements = static_cast<double>(element_count(parts_->var(p).shape));
    w.weight_bytes += 2 * elements;
    w.flops += 2 * batch * elements;
  }
  if (!program.find("k_cache")) return w;
  // Rows of a cache per (batch row, KV head) are as many as the rotary table has positions.
  const double share = static_cast<double>(ctx) / static_cast<double>(param("rope_cos")[0]);
  w.kv_bytes = 2 * 2 * share * static_cast<double>(element_count(param("k_cache")));
  // Scores and values: two products of every Q element with every position.
  w.attention_flops = 4 * batch * static_cast<double>(param("wq")[1] * ctx);
  return w;
}

double BenchProgram::busy_seconds() const {
  int64_t busy = 0;
  for (const cpu::TaskTime& t : parts_->executable->times()) busy += t.end_ns - t.start_ns;
  return static_cast<double>(busy) * 1e-9;
}

double BenchProgram::stage_seconds(const std::string& kernel) const {
  double sum = 0;
  const auto& times = parts_->executable->times();
  for (std::size_t t = 0; t < times.size(); ++t)
    if (parts_->session.plan()->kernel(parts_->session.graph()->tasks[t].kernel).name == kernel)
      sum += static_cast<double>(times[t].end_ns - times[t].start_ns) * 1e-9;
  return sum;
}

void BenchProgram::print_stages() const {
  std::vector<std::pair<double, int64_t>> stages(parts_->session.plan()->kernels.size());
  const auto& times = parts_->executable->times();
  for (std::size_t t = 0; t < times.size(); ++t) {
    auto& stage = stages[parts_->session.graph()->tasks[t].kernel.index()];
    stage.first += static_cast<double>(times[t].end_ns - times[t].start_ns) * 1e-6;
    ++stage.second;
  }
  fmt::print("    thread ms (tasks):");
  for (std::size_t k = 0; k < stages.size(); ++k)
    if (stages[k].second)
      fmt::print(" {} {:.2f} ({})", parts_->session.plan()->kernels[k].name, stages[k].first,
                 stages[k].second);
  const double all = parts_->last_seconds * parts_->pool.threads();
  fmt::print("; no task {:.1f} %, unrolled in {:.1f} ms\n", (1 - busy_seconds() / all) * 100,
             parts_->unroll_seconds * 1e3);
}

double BenchProgram::last_cpu_seconds() const { return parts_->last_cpu_seconds; }

}  // namespace tilewright::bench
