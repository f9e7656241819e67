#include "tilewright/session/chip_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tilewright/base/all_cores.h"
#include "tilewright/base/json_text.h"
#include "tilewright/base/linear.h"
#include "tilewright/base/text.h"
#include "tilewright/session/observed.h"

namespace tilewright::session {
namespace {

using platform::Fact;
using platform::Platform;

constexpr double kModelError = 0.03;  // of a predicted time, were all numbers right
constexpr double kDoubt = 0.6931;     // in a number's logarithm before the profile: a factor of two
constexpr double kDecided = 0.1;      // a number known this well is decided
constexpr double kStep = 0.1;         // of a number's logarithm, for slopes
constexpr double kFarthest = 0.5;     // of one round, in a number's logarithm
constexpr double kEffect = 0.003;     // a slope below it is none
constexpr double kLeastUs = 0.02;     // shorter means say nothing: one tick of the device's clock
constexpr int kRounds = 4;

// Its own description of the chip, where the files tell it.
std::vector<Fact> counted_in(const DeviceRun& run) {
  std::vector<Fact> out;
  const auto add = [&](const char* path, std::ptrdiff_t value) {
    const Fact* was = run.machine.fact(path);
    if (!was || value <= 0 || static_cast<double>(value) == was->value) return;
    out.push_back(*was);
    out.back().value = static_cast<double>(value);
  };
  const device::Profile& p = run.profile;
  if (p.all_cores) {
    const auto cubes = std::ranges::count(p.cores, ir::CoreKind::Cube);
    add("cores.cube", cubes);
    add("cores.vector", std::ssize(p.cores) - cubes);
  }
  add("runtime.scheduler_threads", static_cast<std::ptrdiff_t>(p.serving_threads));
  return out;
}

std::vector<Fact> candidates(const Platform& machine) {
  std::vector<Fact> out;
  for (const Fact& f : machine.facts)
    if (f.standing != platform::Standing::Spec && f.value > 0 && platform::is_time_or_rate(f))
      out.push_back(f);
  return out;
}

class Fitting {
 public:
  Fitting(DeviceRun& run, const std::function<void(double)>& progress)
      : run_(run), session_(*run.predicted->session), progress_(progress) {
    measured_ = times_of(run.record, runtime_busy(run.profile));
  }

  ChipFit fit() {
    ChipFit out;
    out.counted = counted_in(run_);
    machine_ = with_counted(out.counted);
    numbers_ = candidates(machine_);
    moved_.assign(numbers_.size(), 0);
    predicted_ = predict(moved_);
    out.error_before = error(predicted_);
    find_slopes();
    for (int round = 1; round < kRounds; ++round) {
      tell(round);
      if (!improve()) break;
    }
    keep_what_is_decided(out);
    return out;
  }

 private:
  Platform with_counted(const std::vector<Fact>& facts) const {
    std::map<std::string, double> values;
    for (const Fact& f : facts) values[f.path] = f.value;
    return values.empty() ? run_.machine : platform::with_numbers(run_.machine, values);
  }

  void tell(double round) const {
    if (progress_) progress_(round / kRounds);
  }

  std::vector<double> times_of(const ir::RunRecord& record, const RuntimeBusy& busy) const {
    std::vector<double> out;
    for (const Observed& o : observed(run_.plan(), run_.graph(), record, busy, run_.profile.level))
      out.push_back(o.us);
    return out;
  }

  std::vector<double> predict(const std::vector<double>& moved) const {
    const Platform machine = platform::moved(machine_, numbers_, moved);
    const ir::RunRecord record =
        simulate(session_, machine, {.keep_phases = run_.profile.level >= 3});
    return times_of(record, runtime_busy(record));
  }

  bool counts(std::size_t row) const {
    return measured_[row] >= kLeastUs && predicted_[row] >= kLeastUs;
  }

  double error(const std::vector<double>& predicted) const {
    double sum = 0, rows = 0;
    for (std::size_t r = 0; r < measured_.size(); ++r) {
      if (!counts(r)) continue;
      sum += std::pow(std::log(std::max(predicted[r], kLeastUs) / measured_[r]), 2);
      rows += 1;
    }
    return rows > 0 ? std::sqrt(sum / rows) : 0;
  }

  // What is to be made small: errors in units of the model's own, and how far numbers moved.
  double misfit(const std::vector<double>& predicted, const std::vector<double>& moved) const {
    double sum = 0;
    for (std::size_t r = 0; r < measured_.size(); ++r)
      if (counts(r))
        sum += std::pow(std::log(std::max(predicted[r], kLeastUs) / measured_[r]) / kModelError, 2);
    for (double by : moved) sum += std::pow(by / kDoubt, 2);
    return sum;
  }

  // By number and row. A prediction follows a cost in small steps, since tasks start in another
  // order: central differences see past them, and a time that does not move alike to both sides has
  // no slope.
  void find_slopes() {
    slopes_.assign(numbers_.size(), std::vector<double>(measured_.size()));
    for_each_index(numbers_.size(), [&](std::size_t i) {
      std::vector<double> at = moved_;
      at[i] = moved_[i] + kStep;
      const std::vector<double> above = predict(at);
      at[i] = moved_[i] - kStep;
      const std::vector<double> below = predict(at);
      for (std::size_t r = 0; r < measured_.size(); ++r)
        if (counts(r) && above[r] > 0 && below[r] > 0)
          slopes_[i][r] =
              slope(std::log(above[r] / predicted_[r]), std::log(predicted_[r] / below[r]));
    });
  }

  static double slope(double up, double down) {
    constexpr double kAlike = 2;
    const double most = std::max(std::abs(up), std::abs(down));
    const double least = std::min(std::abs(up), std::abs(down));
    return up * down > 0 && most <= kAlike * least ? (up + down) / (2 * kStep) : 0;
  }

  Matrix normal() const {
    const std::size_t n = numbers_.size();
    Matrix a(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t r = 0; r < measured_.size(); ++r)
          a[i][j] += slopes_[i][r] * slopes_[j][r] / (kModelError * kModelError);
      a[i][i] += 1 / (kDoubt * kDoubt);
    }
    return a;
  }

  // Of each number's logarithm. A model that does not explain the profile knows its numbers worse.
  std::vector<double> deviations() const {
    const double unexplained = std::max(1.0, error(predicted_) / kModelError);
    std::vector<double> out = inverse_diagonal(normal());
    for (double& v : out) v = std::sqrt(v) * unexplained;
    return out;
  }

  // All numbers were moved together, so that no number answers for another. Those that the profile
  // then knows well are kept; the others go back to where they were.
  void keep_what_is_decided(ChipFit& out) {
    const std::vector<double> deviation = deviations();
    std::vector<double> kept(numbers_.size());
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const auto has_effect = [](double slope) { return std::abs(slope) > kEffect; };
      if (deviation[i] <= kDecided) {
        kept[i] = moved_[i];
        out.fitted.push_back({numbers_[i], numbers_[i].value * std::exp(kept[i]), deviation[i]});
      } else if (std::ranges::any_of(slopes_[i], has_effect)) {
        out.together.push_back(numbers_[i].path);
      }
    }
    out.machine = platform::moved(machine_, numbers_, kept);
    out.error_after = error(predict(kept));
  }

  // One step towards the measurement; false when none makes the misfit smaller.
  bool improve() {
    if (numbers_.empty()) return false;
    const std::size_t n = numbers_.size();
    std::vector<double> toward(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t r = 0; r < measured_.size(); ++r)
        if (counts(r))
          toward[i] -=
              slopes_[i][r] * std::log(predicted_[r] / measured_[r]) / (kModelError * kModelError);
      toward[i] -= moved_[i] / (kDoubt * kDoubt);
    }
    const double now = misfit(predicted_, moved_);
    for (double damping : {0.0, 30.0, 1e3, 3e4, 1e6}) {
      Matrix a = normal();
      for (std::size_t i = 0; i < n; ++i) a[i][i] += damping;
      const std::vector<double> step = solved(std::move(a), toward);
      std::vector<double> moved = moved_;
      for (std::size_t i = 0; i < n; ++i) moved[i] += std::clamp(step[i], -kFarthest, kFarthest);
      std::vector<double> predicted = predict(moved);
      if (misfit(predicted, moved) >= now) continue;
      moved_ = std::move(moved);
      predicted_ = std::move(predicted);
      find_slopes();
      return true;
    }
    return false;
  }

  DeviceRun& run_;
  Session& session_;
  const std::function<void(double)>& progress_;
  Platform machine_;
  std::vector<Fact> numbers_;
  std::vector<double> measured_, predicted_, moved_;
  std::vector<std::vector<double>> slopes_;
};

}  // namespace

ChipFit fit_chip(DeviceRun& run, const std::function<void(double)>& progress) {
  return Fitting(run, progress).fit();
}

std::string fitted_platform(const ChipFit& fit, const std::string& base_text,
                            const std::string& name, const std::string& source) {
  auto file = nlohmann::ordered_json::parse(base_text);
  file["name"] = name;
  const auto set = [&](const std::string& path, double value, const char* standing,
                       const std::string& from) {
    auto* at = &file;
    for (const std::string& part : split(path, '.')) at = &(*at)[part];
    const bool whole = value == std::round(value);
    *at = {{"value", whole ? nlohmann::ordered_json(static_cast<int64_t>(value))
                           : nlohmann::ordered_json(value)},
           {"standing", standing},
           {"source", from}};
  };
  for (const Fact& f : fit.counted) set(f.path, f.value, "measured", source);
  for (const FittedNumber& n : fit.fitted)
    set(n.was.path, std::stod(fmt::format("{:.4g}", n.is)), "fitted",
        fmt::format("fitted to {}: within {:.0f} %", source, std::ceil(100 * n.within)));
  return json_text(file);
}

}  // namespace tilewright::session
