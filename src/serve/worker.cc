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
  int64_t open = 0;               // sequences that have not ended
  bool failed = false;            // nothing more is said to the job
  std::vector<std::size_t> enough = {};  // sequences that the job has enough of
};

Worker::Worker(runtime::Engine& engine, Metrics& metrics, const Options& options)
    : engine_(engine), metrics_(metrics), options_(options), scheduler_(engine) {
  gauges_.slots = engine.slots();
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

void Worker::begin(std::shared_ptr<Job> job, int64_t sequences) {
  const auto active = std::make_shared<Active>();
  active->job = std::move(job);
  active->open = sequences;
  active_.push_back(active);
  std::vector<runtime::Request> requests = active->job->requests();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    runtime::Request& r = requests[i];
    r.on_token = [a = active.get(), i](const runtime::Chosen& chosen) {
      if (!a->failed && !a->job->token(i, chosen)) a->enough.push_back(i);
    };
    r.on_end = [this, a = active.get(), i](const runtime::Answer& answer) {
      --a->open;
      --sequences_;
      metrics_.ended(ended_text(answer.ended), answer.prompt_tokens, 0,
                     static_cast<int64_t>(answer.tokens.size()), 0, answer.first_token_seconds);
      if (!a->failed) a->job->ended(i, answer);
    };
    try {
      active->tickets.push_back(scheduler_.submit(std::move(r)));
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
    for (const std::size_t i : std::exchange(a->enough, {})) scheduler_.cancel(a->tickets[i]);
    const bool late = now_seconds() - a->accepted > options_.seconds;
    if (a->open == 0 || (a->job->wanted() && !late)) continue;
    if (late && !a->failed) {
      a->failed = true;
      a->job->failed({503, fmt::format("the answer took longer than {} s", options_.seconds), "",
                      "timeout"});
    }
    for (const auto ticket : a->tickets) scheduler_.cancel(ticket);
  }
  forget_ended();
}

void Worker::step() {
  const double start = now_seconds();
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
  metrics_.step(now_seconds() - start);
  forget_ended();
}

void Worker::forget_ended() {
  std::erase_if(active_, [](const auto& a) { return a->open == 0; });
}

void Worker::publish() {
  Gauges now;
  now.running = scheduler_.running();
  now.waiting = scheduler_.waiting();
  now.slots = engine_.slots();
  now.pages_in_use = engine_.pages_in_use();
  const std::lock_guard lock(mutex_);
  gauges_ = now;
}

}  // namespace tilewright::serve
