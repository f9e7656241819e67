// The one thread that owns an engine and its scheduler. Everybody else leaves it jobs; what they
// get back goes out through their own streams.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tilewright/runtime/request.h"
#include "tilewright/runtime/scheduler.h"
#include "tilewright/serve/api_error.h"
#include "tilewright/serve/metrics.h"

namespace tilewright::serve {

// Sequences that one client waits for. Everything is called on the worker's thread.
class Job {
 public:
  virtual ~Job() = default;

  // What is to run: callbacks are the worker's to set.
  virtual std::vector<runtime::Request> requests() = 0;
  // A token of request i; false when that one is to end, as if at a stop.
  virtual bool token(std::size_t i, const runtime::Chosen& chosen) = 0;
  virtual void ended(std::size_t i, const runtime::Answer& answer) = 0;
  // Nothing else is called after it. The job was not accepted, or what computes broke.
  virtual void failed(const ApiError& error) = 0;
  // Before each step: false when nobody waits any more.
  virtual bool wanted() = 0;
};

class Worker {
 public:
  struct Options {
    int64_t queue = 256;    // sequences that wait, at most
    double seconds = 3600;  // of a job, at most
    runtime::SchedulerOptions scheduler = {};
  };
  Worker(runtime::Engine& engine, Metrics& metrics, const Options& options);
  // Ends what runs.
  ~Worker();
  Worker(const Worker&) = delete;

  // From any thread. A job that is not accepted fails at once, on the caller's thread.
  void submit(std::shared_ptr<Job> job, int64_t sequences);
  // From any thread: nothing new is accepted.
  void drain() { draining_ = true; }
  bool draining() const { return draining_; }
  // From any thread: whether nothing runs and nothing waits.
  bool idle() const { return sequences_ == 0; }
  Gauges gauges() const;

 private:
  struct Active;
  struct Beginning {
    std::shared_ptr<Active> active;
    std::size_t request = 0;
  };

  void run();
  bool take_mail();  // false when it is time to stop
  void begin(std::shared_ptr<Job> job, int64_t sequences);
  void give_callbacks(runtime::Request& request, const std::shared_ptr<Active>& active,
                      std::size_t i);
  void cancel_unwanted();
  void step();
  void publish();
  void forget_ended();

  runtime::Engine& engine_;
  Metrics& metrics_;
  Options options_;
  runtime::Scheduler scheduler_;
  std::vector<std::shared_ptr<Active>> active_;
  std::map<runtime::Scheduler::Ticket, Beginning> not_begun_;  // accepted, and not in a step yet

  mutable std::mutex mutex_;
  std::condition_variable mail_;
  std::vector<std::pair<std::shared_ptr<Job>, int64_t>> mailbox_;
  bool stopping_ = false;
  Gauges gauges_;
  std::atomic<bool> draining_{false};
  std::atomic<int64_t> sequences_{0};  // accepted and not ended
  std::thread thread_;                 // last: it uses the rest
};

}  // namespace tilewright::serve
