// Many requests on one engine: prompts are read in chunks beside the sequences that are already
// being continued, and a request that waits takes the slot of one that ended. What a request is
// answered does not depend on what runs beside it.
//
//   Scheduler scheduler(engine);
//   scheduler.submit(std::move(request));
//   while (scheduler.step()) {
//   }
//
// One thread uses a scheduler and its engine.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tilewright/runtime/request.h"

namespace tilewright::runtime {

class Scheduler {
 public:
  using Ticket = uint64_t;

  explicit Scheduler(Engine& engine);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;

  // Queues a request. Throws UserError for one that can never run: an empty prompt, one that does
  // not fit the context, settings without a meaning.
  Ticket submit(Request request);
  // Ends a request as interrupted; its pages are free when this returns. Nothing happens to one
  // that has ended.
  void cancel(Ticket ticket);
  void cancel_all();
  // Appends tokens to all that run. False when there is nothing to do.
  bool step();

  int64_t waiting() const;
  int64_t running() const;

 private:
  struct Sequence;
  void admit();
  void end(Sequence& sequence, Ended why);

  Engine& engine_;
  std::deque<std::unique_ptr<Sequence>> waiting_;
  std::vector<std::unique_ptr<Sequence>> running_;
  Ticket last_ = 0;
};

}  // namespace tilewright::runtime
