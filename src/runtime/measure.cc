#include "tilewright/runtime/measure.h"

#include <algorithm>

#include "tilewright/runtime/choose.h"

namespace tilewright::runtime {
namespace {

// Adds the work of one step: rows by their positions, of which `logits` go through the head.
void add_step(const Engine& engine, Work& w, std::span<const int64_t> positions, int64_t logits) {
  const checkpoint::ModelConfig& m = engine.config();
  const auto number = [](int64_t n) { return static_cast<double>(n); };
  const auto rows = static_cast<double>(positions.size());
  for (const auto& [elements, times] : {std::pair(engine.layer_elements(), rows),
                                        std::pair(engine.head_elements(), number(logits))}) {
    w.flops += 2 * number(elements.plain) * times;
    w.integer_ops += 2 * number(elements.encoded) * times;
  }
  w.bytes += number(engine.layer_bytes() + (logits > 0 ? engine.head_bytes() : 0));
  for (const int64_t p : positions) {
    // Scores and values: two products of every Q element with every position.
    w.flops += 4 * number(m.layers * m.q_width() * (p + 1));
  }
}

// K and V of one sequence up to its last position, once per step.
void add_context(const Engine& engine, Work& w, int64_t positions) {
  w.bytes += static_cast<double>(positions * engine.cache_bytes());
}

// Some token of the vocabulary, the same every time.
int32_t some_token(const Engine& engine, int64_t i) {
  return static_cast<int32_t>((i * 7919 + 13) % engine.config().vocab);
}

}  // namespace

double Work::least_seconds(const Limits& limits) const {
  return std::max(bytes / limits.bytes_per_second,
                  flops / limits.flops_per_second + integer_ops / limits.integer_ops_per_second);
}

double Work::of_fma(const Limits& limits, double seconds) const {
  return (flops + integer_ops) / limits.fma_flops_per_second / seconds;
}

Measured measure(Engine& engine, const Load& load) {
  Measured out;
  std::vector<int> slots;
  std::vector<tokens::Sampler> samplers;
  for (int64_t b = 0; b < load.batch; ++b) {
    slots.push_back(engine.open_slot());
    samplers.emplace_back(tokens::SamplingOptions{});
  }
  std::vector<Row> rows;
  std::vector<int64_t> positions;
  // Sequences are read together, as many rows at once as a step takes.
  std::vector<int64_t> read(slots.size(), 0);
  double start = now_seconds();
  for (std::size_t b = 0; b < slots.size() && load.prompt > 0;) {
    rows.clear();
    positions.clear();
    int64_t logits = 0;
    for (; b < slots.size() && static_cast<int64_t>(rows.size()) < engine.chunk(); ++b) {
      const int64_t begin = read[b];
      for (; read[b] < load.prompt && static_cast<int64_t>(rows.size()) < engine.chunk();
           ++read[b]) {
        const bool last = read[b] + 1 == load.prompt;
        rows.push_back({slots[b], some_token(engine, read[b]), last});
        positions.push_back(read[b]);
        logits += last;
      }
      if (read[b] > begin) add_context(engine, out.prompt, read[b]);
      if (read[b] < load.prompt) break;
    }
    add_step(engine, out.prompt, positions, logits);
    engine.step(rows);
  }
  out.prompt_seconds = now_seconds() - start;

  std::vector<int32_t> last(slots.size(), some_token(engine, load.prompt));
  std::vector<tokens::Sampler*> chosen_by;
  for (tokens::Sampler& s : samplers) chosen_by.push_back(&s);
  start = now_seconds();
  for (int64_t i = 0; i < load.count; ++i) {
    rows.clear();
    positions.clear();
    for (std::size_t b = 0; b < slots.size(); ++b) {
      rows.push_back({slots[b], last[b], true});
      positions.push_back(engine.length(slots[b]));
      add_context(engine, out.decode, engine.length(slots[b]) + 1);
    }
    add_step(engine, out.decode, positions, load.batch);
    last = choose_all(engine.pool(), chosen_by, engine.step(rows));
  }
  out.decode_seconds = now_seconds() - start;
  for (const int slot : slots) engine.close_slot(slot);
  return out;
}

Series measure_series(Engine& engine, Machine& machine, const Load& load, int64_t repetitions) {
  Series s{load, {}, {}, {}};
  s.prompt.tokens = static_cast<double>(load.batch * load.prompt);
  s.decode.tokens = static_cast<double>(load.batch * load.count);
  constexpr int kRounds = 2;  // on a busy machine one measurement says little
  const auto measure_limits = [&] {
    for (int i = 0; i < kRounds; ++i) machine.measure();
  };
  machine.forget();
  measure_limits();
  for (int64_t i = 0; i < repetitions; ++i) {
    const Measured m = measure(engine, load);
    s.prompt.seconds.add(m.prompt_seconds);
    s.decode.seconds.add(m.decode_seconds);
    s.prompt.work = m.prompt;
    s.decode.work = m.decode;
    measure_limits();
  }
  s.limits = machine.limits();
  return s;
}

}  // namespace tilewright::runtime
