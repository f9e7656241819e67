// What Scheduler::step takes beside Engine::step: planning rows, choosing tokens, callbacks. Steps
// of both take turns, so that a busy machine slows both. The model is the directory or file that
// TILEWRIGHT_MODEL names, or qwen3-0.6b with random weights.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "bench.h"
#include "tilewright/models/qwen3/shapes.h"
#include "tilewright/models/transformer/synthetic.h"
#include "tilewright/runtime/machine.h"
#include "tilewright/runtime/scheduler.h"

namespace tilewright::bench {
namespace {

namespace fs = std::filesystem;
using runtime::Engine;
using runtime::Samples;

// A directory that is removed in the end.
struct RandomModel {
  fs::path path = fs::temp_directory_path() / fmt::format("tilewright-bench-{}", ::getpid());
  RandomModel() {
    models::transformer::write_synthetic({models::qwen3::find_model("qwen3-0.6b")}, path.string());
  }
  ~RandomModel() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

constexpr int64_t kPrompt = 64, kSteps = 16;

std::vector<int32_t> prompt() {
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < kPrompt; ++i) ids.push_back(i % 250 + 3);
  return ids;
}

// Steps of the engine alone, with tokens that nobody chose.
void add_engine_steps(Engine& engine, int64_t batch, Samples& seconds) {
  std::vector<int> slots;
  for (int64_t b = 0; b < batch; ++b) {
    slots.push_back(engine.open_slot());
    std::vector<runtime::Row> rows;
    for (const int32_t id : prompt()) rows.push_back({slots.back(), id, false});
    engine.step(rows);
  }
  for (int64_t i = 0; i <= kSteps; ++i) {
    std::vector<runtime::Row> rows;
    for (const int slot : slots) rows.push_back({slot, static_cast<int32_t>(i + 3), true});
    const double start = runtime::now_seconds();
    engine.step(rows);
    if (i > 0) seconds.add(runtime::now_seconds() - start);  // the first one makes tasks
  }
  for (const int slot : slots) engine.close_slot(slot);
}

void add_scheduler_steps(Engine& engine, int64_t batch, const tokens::SamplingOptions& sampling,
                         Samples& seconds) {
  runtime::Scheduler scheduler(engine, {.share_prefixes = false, .continue_beside_prompts = false});
  int64_t tokens = 0;
  for (int64_t b = 0; b < batch; ++b) {
    runtime::Request request;
    request.prompt = prompt();
    request.max_tokens = kSteps + 3;
    request.sampling = sampling;
    request.on_token = [&](const runtime::Chosen&) { ++tokens; };
    scheduler.submit(std::move(request));
  }
  while (tokens < 2 * batch) scheduler.step();
  for (int64_t i = 0; i < kSteps; ++i) {
    const double start = runtime::now_seconds();
    scheduler.step();
    seconds.add(runtime::now_seconds() - start);
  }
}

}  // namespace

void bench_scheduler(const Setting& setting) {
  constexpr std::size_t kMost = 192;  // steps of each kind, or as many as fit into the seconds
  constexpr double kSeconds = 8;
  const char* named = std::getenv("TILEWRIGHT_MODEL");
  std::optional<RandomModel> random;
  if (!named) random.emplace();
  const auto model = checkpoint::open_checkpoint(named ? named : random->path.string());
  Engine engine(model, {.context = 128, .slots = 16, .instructions = setting.fastest()});
  const std::pair<const char*, tokens::SamplingOptions> samplings[] = {
      {"greedy", {}},
      {"nucleus", {.temperature = 0.8, .top_p = 0.95, .seed = 1}},
      {"penalties", {.presence_penalty = 0.5, .frequency_penalty = 0.2}}};
  fmt::print("a decode step of {} after {} tokens, {} threads; medians\n",
             named ? named : "qwen3-0.6b", kPrompt, engine.pool().threads());
  fmt::print("{:>6}  {:<10} {:>6} {:>11} {:>14} {:>7}\n", "batch", "sampling", "steps", "engine ms",
             "scheduler ms", "adds");
  for (const int64_t batch : {1, 4, 16})
    for (const auto& [name, sampling] : samplings) {
      Samples alone, scheduled;
      const double start = runtime::now_seconds();
      while (alone.count() < kMost && runtime::now_seconds() - start < kSeconds) {
        add_engine_steps(engine, batch, alone);
        add_scheduler_steps(engine, batch, sampling, scheduled);
      }
      const double a = alone.median(), s = scheduled.median();
      fmt::print("{:>6}  {:<10} {:>6} {:>11.3f} {:>14.3f} {:>5.1f} %\n", batch, name, alone.count(),
                 a * 1e3, s * 1e3, 100 * (s - a) / a);
      std::fflush(stdout);
    }
}

}  // namespace tilewright::bench
