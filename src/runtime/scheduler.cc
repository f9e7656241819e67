#include "tilewright/runtime/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"

namespace tilewright::runtime {

QueueFull::QueueFull(int64_t most)
    : UserError({Severity::Error, "queue",
                 fmt::format("the queue of {} is full", counted(most, "request")), "",
                 "the queue has a limit, so that nobody waits for too long",
                 "send the request again later", ""}) {}

Scheduler::Scheduler(Engine& engine, const SchedulerOptions& options)
    : engine_(engine), options_(options), cache_(engine) {
  if (options_.prompt_rows == 0) options_.prompt_rows = engine.chunk();
  check(options_.prompt_rows > 0, "a step has rows for prompts");
}

Scheduler::~Scheduler() {
  closing_ = stepping_ = true;
  while (!running_.empty()) end(*running_.front(), Ended::Interrupted);
  while (!waiting_.empty()) end(*waiting_.front(), Ended::Interrupted);
}

Scheduler::Ticket Scheduler::submit(Request request) {
  check(!closing_, "a request for a scheduler that ends");
  require_possible(engine_, request);
  // Those that find a free slot do not count: they run from the next step on.
  if (waiting() >= options_.waiting + engine_.free_slots()) throw QueueFull(options_.waiting);
  waiting_.push_back(std::make_unique<Sequence>(++last_, std::move(request)));
  return last_;
}

// ---- ends ----

std::unique_ptr<Sequence> Scheduler::take_out(Sequence& sequence) {
  std::unique_ptr<Sequence> own;
  const auto take_from = [&](auto& sequences) {
    const auto found =
        std::ranges::find_if(sequences, [&](const auto& s) { return s.get() == &sequence; });
    if (found == sequences.end()) return;
    own = std::move(*found);
    sequences.erase(found);
  };
  take_from(waiting_);
  take_from(running_);
  return own;
}

void Scheduler::end(Sequence& sequence, Ended why) {
  auto own = take_out(sequence);
  sequence.ended = true;
  sequence.answer.ended = why;
  if (sequence.slot >= 0) {
    const auto read = static_cast<std::size_t>(engine_.length(sequence.slot));
    const std::span<const int32_t> text = sequence.text;
    if (options_.share_prefixes)
      cache_.insert(text.first(std::min(read, text.size())), sequence.slot, true);
    engine_.close_slot(sequence.slot);
    sequence.slot = -1;
  }
  if (sequence.request.on_end) call([&] { sequence.request.on_end(sequence.answer); });
  if (stepping_) ended_.push_back(std::move(own));
}

bool Scheduler::call(const std::function<void()>& callback) {
  try {
    callback();
    return true;
  } catch (...) {
    if (!thrown_) thrown_ = std::current_exception();
    return false;
  }
}

void Scheduler::throw_first() {
  if (thrown_ && !stepping_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void Scheduler::cancel(Ticket ticket, Ended why) {
  const auto find_in = [&](const auto& sequences) -> Sequence* {
    const auto found =
        std::ranges::find_if(sequences, [&](const auto& s) { return s->ticket == ticket; });
    return found == sequences.end() ? nullptr : found->get();
  };
  Sequence* sequence = find_in(running_);
  if (!sequence) sequence = find_in(waiting_);
  if (sequence) end(*sequence, why);
  throw_first();
}

void Scheduler::cancel_all() {
  std::vector<Ticket> tickets;
  for (const auto& s : running_) tickets.push_back(s->ticket);
  for (const auto& s : waiting_) tickets.push_back(s->ticket);
  for (const Ticket ticket : tickets) call([&] { cancel(ticket); });
  throw_first();
}

// ---- beginnings ----

// Pages that those that run may still take.
int64_t Scheduler::pages_promised() const {
  int64_t pages = 0;
  for (const auto& s : running_)
    pages +=
        engine_.new_pages(s->slot, s->most_positions(engine_.context()) - engine_.length(s->slot));
  return pages;
}

// Gives a request a slot with the pages that are cached of its prompt. False when other requests
// hold what it may need.
bool Scheduler::begin(Sequence& sequence) {
  const PageTable& pages = engine_.pages();
  // The last token of a prompt is always read: its logits are wanted.
  const std::span<const int32_t> known = std::span(sequence.text).first(sequence.text.size() - 1);
  PrefixCache::Found found;
  if (options_.share_prefixes && !sequence.request.on_hidden) found = cache_.find(known);
  const int64_t positions = sequence.most_positions(engine_.context());
  int64_t needed = (positions + engine_.page() - 1) / engine_.page();
  for (const int32_t page : found.pages) needed -= pages.is_held(page);
  const int64_t spare = pages.pages() - pages.pages_in_use() - pages_promised() - needed;
  if (spare < 0) return false;

  sequence.slot = engine_.open_slot();
  for (const int32_t page : found.pages) engine_.share_page(sequence.slot, page, engine_.page());
  if (found.part > 0) {
    // The page is copied when the request writes to it. Without room for both it is taken over.
    const bool takes_over = !pages.is_held(found.part_page) && spare == 0;
    engine_.share_page(sequence.slot, found.part_page, found.part);
    if (takes_over) cache_.forget(found.part_page);
  }
  sequence.answer.cached_tokens = engine_.length(sequence.slot);
  counts_.prompt_tokens_cached += sequence.answer.cached_tokens;
  return true;
}

void Scheduler::admit() {
  while (!waiting_.empty() && engine_.free_slots() > 0 && begin(*waiting_.front())) {
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  check(waiting_.empty() || !running_.empty(), "a request waits for a slot that nobody gives back");
}

// ---- what there is ----

int64_t Scheduler::waiting() const { return static_cast<int64_t>(waiting_.size()); }
int64_t Scheduler::running() const { return static_cast<int64_t>(running_.size()); }

SchedulerState Scheduler::state() const {
  SchedulerState out = counts_;
  for (const auto& s : running_)
    out.slots.push_back({.ticket = s->ticket,
                         .reading = s->reads_prompt(),
                         .position = engine_.length(s->slot),
                         .prompt_tokens = s->answer.prompt_tokens,
                         .tokens = static_cast<int64_t>(s->answer.tokens.size())});
  out.slots_total = engine_.slots();
  out.waiting = waiting();
  const PageTable& pages = engine_.pages();
  out.pages_in_use = pages.pages_in_use();
  out.pages_shared = pages.pages_shared();
  out.pages_cached = pages.pages_cached();
  out.pages_total = pages.pages();
  return out;
}

}  // namespace tilewright::runtime
