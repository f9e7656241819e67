#include "tilewright/serve/worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/runtime/machine.h"

namespace tilewright::serve {

using runtime::now_seconds;

// A job in the scheduler.
struct Worker::Active {
  std::shared_ptr<Job> job;
  double accepted = now_seconds();
  std::vector<runtime::Scheduler::Ticket> tickets = {};
  std::vector<double> queued = {};  // seconds until the first step of each
  int64_t open = 0;                 // sequences that have not ended
  bool failed = false;              // nothing more is said to the job
};

Worker::Worker(runtime::Engine& engine, Metrics& metrics, const Options& options)
    : engine_(engine), metrics_(metrics), options_(options), scheduler_(engine, options.scheduler) {
  gauges_.state = scheduler_.state();
  thread_ = std::thread([this] { run(); });
}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  mail_.notify_one();
  thread_.join();
}

void Worker::submit(std::shared_ptr<Job> job, int64_t sequences) {
  if (draining_) return job->failed({503, "the server is shutting down", "", "shutting_down"});
  const int64_t most = options_.queue + engine_.slots();
  if (sequences_.fetch_add(sequences) + sequences > most) {
    sequences_ -= sequences;
    return job->failed({503,
                        fmt::format("the queue is full: {} wait or run already, and {} may",
                                    counted(sequences_, "sequence"), most),
                        "", "queue_full"});
  }
  {
    const std::lock_guard lock(mutex_);
    mailbox_.emplace_back(std::move(job), sequences);
  }
  mail_.notify_one();
}

Gauges Worker::gauges() const {
  const std::lock_guard lock(mutex_);
  return gauges_;
}

void Worker::run() {
  while (take_mail()) {
    cancel_unwanted();
    step();
    publish();
  }
  scheduler_.cancel_all();
  for (const auto& [job, sequences] : std::exchange(mailbox_, {}))
    job->failed({503, "the server is shutting down", "", "shutting_down"});
}

bool Worker::take_mail() {
  std::vector<std::pair<std::shared_ptr<Job>, int64_t>> mail;
  {
    std::unique_lock lock(mutex_);
    if (active_.empty()) mail_.wait(lock, [&] { return stopping_ || !mailbox_.empty(); });
    if (stopping_) return false;
    mail.swap(mailbox_);
  }
  for (auto& [job, sequences] : mail) begin(std::move(job), sequences);
  return true;
}

void Worker::give_callbacks(runtime::Request& r, const std::shared_ptr<Active>& active,
                            std::size_t i) {
  r.on_token = [this, a = active.get(), i](const runtime::Chosen& chosen) {
    if (!a->failed && !a->job->token(i, chosen))
      scheduler_.cancel(a->tickets[i], runtime::Ended::AtStop);
  };
  r.on_end = [this, a = active.get(), i](const runtime::Answer& answer) {
    --a->open;
    --sequences_;
    not_begun_.erase(a->tickets[i]);
    metrics_.ended(answer, a->queued[i] < 0 ? now_seconds() - a->accepted : a->queued[i]);
    if (!a->failed) a->job->ended(i, answer);
  };
}

void Worker::begin(std::shared_ptr<Job> job, int64_t sequences) {
  const auto active = std::make_shared<Active>();
  active->job = std::move(job);
  active->open = sequences;
  active->queued.assign(static_cast<std::size_t>(sequences), -1);
  active_.push_back(active);
  std::vector<runtime::Request> requests = active->job->requests();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    give_callbacks(requests[i], active, i);
    try {
      active->tickets.push_back(scheduler_.submit(std::move(requests[i])));
      not_begun_[active->tickets.back()] = {active, i};
      metrics_.accepted();
    } catch (const UserError& e) {
      // The others of the job are not wanted alone.
      const auto never = static_cast<int64_t>(requests.size() - i);
      active->open -= never;
      sequences_ -= never;
      active->failed = true;
      for (const auto ticket : active->tickets) scheduler_.cancel(ticket);
      active->job->failed(api_error(e.diagnostic()));
      break;
    }
  }
  forget_ended();
}

void Worker::cancel_unwanted() {
  for (const auto& a : active_) {
    const bool late = now_seconds() - a->accepted > options_.seconds;
    if (a->open == 0 || (a->job->wanted() && !late)) continue;
    if (late && !std::exchange(a->failed, true))
      a->job->failed(
          {503, fmt::format("the answer took longer than {} s", options_.seconds), "", "timeout"});
    for (const auto ticket : a->tickets) scheduler_.cancel(ticket);
  }
  forget_ended();
}

void Worker::step() {
  const double start = now_seconds();
  const int64_t steps = scheduler_.state().steps;
  try {
    scheduler_.step();
  } catch (const std::exception& e) {
    // What was computed cannot be trusted; the next request is a new try.
    const auto* user = dynamic_cast<const UserError*>(&e);
    ApiError error = user ? api_error(user->diagnostic()) : ApiError{500, e.what()};
    error.status = 500;
    for (const auto& a : active_)
      if (a->open > 0 && !std::exchange(a->failed, true)) a->job->failed(error);
    scheduler_.cancel_all();
  }
  if (scheduler_.state().steps > steps) metrics_.step(now_seconds() - start);
  forget_ended();
}

void Worker::forget_ended() {
  std::erase_if(active_, [](const auto& a) { return a->open == 0; });
}

void Worker::publish() {
  const runtime::SchedulerState state = scheduler_.state();
  for (const auto& slot : state.slots)
    if (const auto at = not_begun_.find(slot.ticket); at != not_begun_.end()) {
      Active& a = *at->second.active;
      a.queued[at->second.request] = now_seconds() - state.step_seconds - a.accepted;
      not_begun_.erase(at);
    }
  Gauges now;
  now.state = state;
  const std::lock_guard lock(mutex_);
  gauges_ = std::move(now);
}

}  // namespace tilewright::serve
