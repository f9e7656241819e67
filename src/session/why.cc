#include "tilewright/session/why.h"

#include <algorithm>
#include <cmath>

#include "tilewright/session/predict.h"
#include "tilewright/session/what_binds.h"

namespace tilewright::session {
namespace {

bool is_cost(const platform::Fact& f) {
  return f.path.starts_with("timing.") || f.path.starts_with("runtime.");
}

bool is_runtime_time(const platform::Fact& f) {
  return f.path.starts_with("runtime.") && f.unit == "ns";
}

double effect(const HangsOn& h, double total_us) {
  return std::max(std::abs(h.higher_us - total_us), std::abs(h.lower_us - total_us));
}

}  // namespace

Why why(Session& session, const std::function<void(double)>& progress) {
  const platform::Platform& machine = session.machine();
  const auto total_with = [&](const platform::Fact& f, double value) {
    return predicted_us(session, platform::with_numbers(machine, {{f.path, value}}));
  };
  Why out;
  out.total_us = predicted_us(session, machine);
  out.without = what_ifs(session);
  double done = 0;
  for (const platform::Fact& f : machine.facts) {
    if (progress) progress(++done / static_cast<double>(machine.facts.size()));
    if (!is_cost(f) || !f.text.empty() || f.value == 0) continue;
    if (is_runtime_time(f)) out.without.push_back({f.path, f.path, total_with(f, 0)});
    // Whole numbers are counts: a fifth of a scheduler thread means nothing.
    if (f.unit.empty() || f.path == "runtime.task_window") continue;
    const auto by = [&](double factor) {
      const double value = f.value * factor;
      return total_with(f, f.unit == "bytes" ? std::round(value) : value);
    };
    const HangsOn h{f, by(1 + kWrongBy), by(1 / (1 + kWrongBy))};
    if (effect(h, out.total_us) > 0) out.hangs_on.push_back(h);
  }
  std::ranges::stable_sort(out.hangs_on, std::greater<>(),
                           [&](const HangsOn& h) { return effect(h, out.total_us); });
  return out;
}

}  // namespace tilewright::session
