// Many requests on one engine: prompts are read in chunks beside the sequences that are already
// being continued, and a request that waits takes the slot of one that ended. What a request is
// answered does not depend on what runs beside it, on what is cached, or on guesses.
//
//   Scheduler scheduler(engine);
//   scheduler.submit(std::move(request));
//   while (scheduler.step()) {
//   }
//
// One thread uses a scheduler and its engine, whose slots and pages are the scheduler's while it
// lives. Callbacks of requests may submit and cancel, but not step. When one throws, its request
// ends as interrupted, all others get what the step made for them, and then step or cancel throws
// the same.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "tilewright/runtime/prefix_cache.h"
#include "tilewright/runtime/sequence.h"

namespace tilewright::runtime {

struct SchedulerOptions {
  int64_t waiting = int64_t{1} << 20;  // requests that wait for a slot, at most
  // Rows of prompts in a step, at most: what a sequence that is being continued waits for.
  // 0 = as many as a step has.
  int64_t prompt_rows = 0;
  bool share_prefixes = true;  // pages of earlier requests are used again
  // Without it all prompts are read before anything is continued: to measure one and the other.
  bool continue_beside_prompts = true;
};

// Refused because too many wait: the same request may be accepted later.
class QueueFull : public UserError {
 public:
  explicit QueueFull(int64_t most);
};

struct SchedulerState {
  struct Slot {
    uint64_t ticket = 0;
    bool reading = false;  // its prompt; else it is being continued
    int64_t position = 0;  // tokens in the cache
    int64_t prompt_tokens = 0;
    int64_t tokens = 0;  // of the answer
  };
  std::vector<Slot> slots;  // that run, by ticket
  int64_t slots_total = 0;
  int64_t waiting = 0;
  // Pages of the KV cache: held by requests, by more than one of them, kept only for later ones.
  int64_t pages_in_use = 0, pages_shared = 0, pages_cached = 0, pages_total = 0;
  // Since the scheduler was made.
  int64_t steps = 0;
  int64_t prompt_tokens_read = 0, prompt_tokens_cached = 0;
  int64_t tokens_generated = 0;
  int64_t drafted = 0, accepted = 0;
  // Of the last step.
  double step_seconds = 0;
  int64_t step_rows = 0;
};

class Scheduler {
 public:
  using Ticket = uint64_t;

  explicit Scheduler(Engine& engine, const SchedulerOptions& options = {});
  ~Scheduler();  // as cancel_all; what callbacks throw then is lost
  Scheduler(const Scheduler&) = delete;

  // Queues a request. Throws UserError for one that can never run: an empty prompt, one that does
  // not fit the context, settings without a meaning; QueueFull when too many wait. One that is
  // accepted is answered: it begins when there are pages for all that it may need.
  Ticket submit(Request request);
  // Ends a request; others may use its slot and its pages when this returns. Nothing happens to
  // one that has ended.
  void cancel(Ticket ticket, Ended why = Ended::Interrupted);
  void cancel_all();  // those there are now
  // Appends tokens to all that run. False when there is nothing to do.
  bool step();

  int64_t waiting() const;
  int64_t running() const;
  SchedulerState state() const;

 private:
  struct Plan;
  class Stepping;

  void admit();
  bool begin(Sequence& sequence);
  void use_cached_pages(Sequence& sequence);
  int64_t pages_promised() const;
  Plan plan();
  void read_and_choose(const Plan& plan);
  void tell_hidden(const Plan& plan);
  Diagnostic error_of(const std::exception_ptr& error);
  void deliver(Sequence& sequence);
  void keep_whole_pages(Sequence& sequence);
  void make_step();
  void end(Sequence& sequence, Ended why);
  std::unique_ptr<Sequence> take_out(Sequence& sequence);
  bool call(const std::function<void()>& callback);  // false when it threw
  void throw_first();

  Engine& engine_;
  SchedulerOptions options_;
  PrefixCache cache_;
  std::deque<std::unique_ptr<Sequence>> waiting_;
  std::vector<std::unique_ptr<Sequence>> running_;  // in the order in which they were submitted
  std::vector<std::unique_ptr<Sequence>> ended_;    // during a step, which still looks at them
  bool stepping_ = false, closing_ = false;
  std::exception_ptr thrown_;  // by a callback, first
  Ticket last_ = 0;
  SchedulerState counts_;  // those of all steps
};

}  // namespace tilewright::runtime
