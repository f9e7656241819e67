// What a server counts, for Prometheus. Counters only grow, and they add up: every request that was
// accepted is running, waiting, or ended in one of the ways below.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/runtime/scheduler.h"

namespace tilewright::serve {

// How many observations were at most so large.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds)
      : bounds_(std::move(bounds)), counts_(bounds_.size()) {}
  void observe(double x);
  std::string text(std::string_view name, std::string_view help) const;

 private:
  std::vector<double> bounds_;
  std::vector<int64_t> counts_;
  int64_t count_ = 0;
  double sum_ = 0;
};

// What is so now.
struct Gauges {
  runtime::SchedulerState state = {};
  int64_t connections = 0;
};

class Metrics {
 public:
  // An HTTP request was answered.
  void answered(const std::string& path, int status, double seconds);
  // A sequence was accepted, began to be read, had its first token, ended.
  void accepted();
  void ended(const runtime::Answer& answer, double queue_seconds);
  void step(double seconds);

  std::string text(const Gauges& now) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> answers_;  // by path and status
  std::map<std::string, int64_t, std::less<>> ended_;
  int64_t accepted_ = 0, prompt_tokens_ = 0, cached_tokens_ = 0, generated_tokens_ = 0;
  Histogram request_seconds_{{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300}};
  Histogram queue_seconds_{{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300}};
  Histogram first_token_seconds_{{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300}};
  Histogram step_seconds_{{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}};
};

}  // namespace tilewright::serve
