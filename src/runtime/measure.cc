#include "tilewright/runtime/measure.h"

#include <algorithm>

#include "tilewright/runtime/scheduler.h"

namespace tilewright::runtime {
namespace {

// Adds the work of one step, after which requests have read as far as `state` says; one that it
// does not name has ended.
void add_step(const Engine& engine, Work& w, const Load& load, std::span<int64_t> read,
              const SchedulerState& state) {
  const checkpoint::ModelConfig& m = engine.config();
  const auto number = [](int64_t n) { return static_cast<double>(n); };
  int64_t rows = 0, logits = 0;
  for (std::size_t b = 0; b < read.size(); ++b) {
    const auto slot = std::ranges::find(state.slots, b + 1, &SchedulerState::Slot::ticket);
    const int64_t before = read[b];
    read[b] = slot != state.slots.end() ? slot->position : std::max(load.prompt, before + 1);
    if (read[b] == before) continue;
    rows += read[b] - before;
    logits += read[b] >= load.prompt;
    // Scores and values: two products of every Q element with every position.
    for (int64_t p = before; p < read[b]; ++p)
      w.flops += number(4 * m.layers * m.q_width()) * number(p + 1);
    w.bytes += number(read[b] * engine.cache_bytes());  // K and V up to the last position, once
  }
  for (const auto& [elements, times] :
       {std::pair(engine.layer_elements(), rows), std::pair(engine.head_elements(), logits)}) {
    w.flops += 2 * number(elements.plain) * number(times);
    w.integer_ops += 2 * number(elements.encoded) * number(times);
  }
  w.bytes += number(engine.layer_bytes() + (logits > 0 ? engine.head_bytes() : 0));
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
  Scheduler scheduler(engine, {.share_prefixes = false, .continue_beside_prompts = false});
  Request request;
  for (int64_t i = 0; i < std::max<int64_t>(load.prompt, 1); ++i)
    request.prompt.push_back(some_token(engine, i));
  // The step that reads the last token of a prompt chooses the first token of the answer. Without a
  // prompt, one token is appended by the first step that counts.
  request.max_tokens = load.count + (load.prompt > 0 && load.count > 0);
  for (int64_t b = 0; b < load.batch && load.prompt + load.count > 0; ++b)
    scheduler.submit(request);

  std::vector<int64_t> read(static_cast<std::size_t>(load.batch));
  for (bool more = scheduler.waiting() > 0; more;) {
    const bool reads = std::ranges::any_of(read, [&](int64_t n) { return n < load.prompt; });
    const double start = now_seconds();
    more = scheduler.step();
    (reads ? out.prompt_seconds : out.decode_seconds) += now_seconds() - start;
    add_step(engine, reads ? out.prompt : out.decode, load, read, scheduler.state());
  }
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
