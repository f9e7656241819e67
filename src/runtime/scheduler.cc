#include "tilewright/runtime/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/runtime/machine.h"
#include "tilewright/runtime/prompt_shares.h"

namespace tilewright::runtime {

// The sequences of a step in the order of their rows: those that are continued, then prompts.
struct Scheduler::Plan {
  std::vector<Sequence*> sequences;
  std::vector<Row> rows;
};

QueueFull::QueueFull(int64_t most)
    : UserError({Severity::Error, "queue",
                 fmt::format("{} wait already, as many as may", counted(most, "request")), "",
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

template <class Callback>
bool Scheduler::call(const Callback& callback) {
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
    const auto found = std::ranges::find_if(
        sequences, [&](const auto& s) { return s->ticket == ticket; });
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
    pages += engine_.new_pages(s->slot,
                               s->most_positions(engine_.context()) - engine_.length(s->slot));
  return pages;
}

// Gives a request a slot with the pages that are cached of its prompt. False when other requests
// hold what it may need.
bool Scheduler::begin(Sequence& sequence) {
  const PageTable& pages = engine_.pages();
  // The last token of a prompt is always read: its logits are wanted.
  const std::span<const int32_t> known = std::span(sequence.text).first(sequence.text.size() - 1);
  PrefixCache::Found found;
  if (options_.share_prefixes) found = cache_.find(known);
  const int64_t positions = sequence.most_positions(engine_.context());
  int64_t needed = (positions + engine_.page() - 1) / engine_.page();
  for (const int32_t page : found.pages) needed -= pages.is_held(page);
  const int64_t spare =
      pages.pages() - pages.pages_in_use() - pages_promised() - needed;
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

// ---- a step ----

// While it lives, callbacks are those of a step. What it throws is thrown when it has ended.
class Scheduler::Stepping {
 public:
  explicit Stepping(Scheduler& scheduler) : scheduler_(scheduler) { scheduler.stepping_ = true; }
  ~Stepping() {
    scheduler_.stepping_ = false;
    scheduler_.ended_.clear();
  }
  Stepping(const Stepping&) = delete;

 private:
  Scheduler& scheduler_;
};

// Pages that somebody else has read meanwhile need not be read again.
void Scheduler::use_cached_pages(Sequence& s) {
  const int64_t page = engine_.page(), length = engine_.length(s.slot);
  if (!options_.share_prefixes || length % page != 0 || s.unread(length) <= page) return;
  const auto found = cache_.find(std::span<const int32_t>(s.text).first(s.text.size() - 1));
  for (auto i = static_cast<std::size_t>(length / page); i < found.pages.size(); ++i) {
    engine_.share_page(s.slot, found.pages[i], page);
    s.answer.cached_tokens += page;
    counts_.prompt_tokens_cached += page;
  }
}

Scheduler::Plan Scheduler::plan() {
  Plan plan;
  int64_t left = engine_.chunk();
  const bool only_prompts =
      !options_.continue_beside_prompts &&
      std::ranges::any_of(running_, [](const auto& s) { return s->reads_prompt(); });
  std::vector<Sequence*> prompts;
  std::vector<int64_t> unread;
  for (const auto& s : running_) {
    s->clear_step();
    if (!s->reads_prompt()) {
      if (only_prompts) continue;
      s->rows = 1;
      --left;
      plan.sequences.push_back(s.get());
      continue;
    }
    use_cached_pages(*s);
    prompts.push_back(s.get());
    unread.push_back(s->unread(engine_.length(s->slot)));
  }
  const auto shares = prompt_shares(unread, std::min(left, options_.prompt_rows));
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    prompts[i]->rows = shares[i];
    left -= shares[i];
  }
  for (Sequence* s : plan.sequences)
    if (s->request.speculate > 0) {
      s->guess(left, engine_.length(s->slot), engine_.context());
      left -= static_cast<int64_t>(s->drafts.size());
    }
  for (Sequence* s : prompts)
    if (s->rows > 0) plan.sequences.push_back(s);

  int64_t pages = 0;
  for (const Sequence* s : plan.sequences) {
    const int64_t length = engine_.length(s->slot);
    const bool ends_text = s->rows == s->unread(length);
    for (int64_t i = 0; i < s->rows; ++i)
      plan.rows.push_back({s->slot, s->text[static_cast<std::size_t>(length + i)],
                           ends_text && i + 1 == s->rows});
    for (const int32_t token : s->drafts) plan.rows.push_back({s->slot, token, true});
    pages += engine_.new_pages(s->slot, s->rows + static_cast<int64_t>(s->drafts.size()));
  }
  check(cache_.reclaim(pages), "a request that runs has the pages it was promised");
  return plan;
}

void Scheduler::read_and_choose(const Plan& plan) {
  const auto logits = engine_.step(plan.rows);
  std::vector<std::span<const std::span<const float>>> by_sequence;
  std::size_t at = 0;
  for (const Sequence* s : plan.sequences) {
    const auto drafts = static_cast<int64_t>(s->drafts.size());
    const bool reads_all = s->unread(engine_.length(s->slot) - drafts) == 0;
    by_sequence.push_back(std::span(logits).subspan(at, reads_all ? s->drafts.size() + 1 : 0));
    at += by_sequence.back().size();
  }
  // On all threads: a vocabulary of 150000 takes a sixteenth of a millisecond to look through,
  // which sixteen sequences would otherwise wait for in turn.
  const auto choose = [&](std::size_t first, std::size_t apart) {
    for (std::size_t i = first; i < plan.sequences.size(); i += apart)
      if (!by_sequence[i].empty()) {
        Sequence& s = *plan.sequences[i];
        const auto read = static_cast<int64_t>(s.text.size());
        s.choose(by_sequence[i], read, engine_.context());
      }
  };
  if (logits.size() == 1)
    choose(0, 1);
  else if (!logits.empty())
    engine_.pool().run([&](int thread) {
      choose(static_cast<std::size_t>(thread),
             static_cast<std::size_t>(engine_.pool().threads()));
    });

  for (Sequence* s : plan.sequences) {
    const auto wrong = static_cast<int64_t>(s->drafts.size() - s->right);
    if (wrong > 0) engine_.truncate(s->slot, engine_.length(s->slot) - wrong);
    if (s->reads_prompt()) counts_.prompt_tokens_read += s->rows;
    s->answer.drafted += static_cast<int64_t>(s->drafts.size());
    s->answer.accepted += static_cast<int64_t>(s->right);
    counts_.drafted += static_cast<int64_t>(s->drafts.size());
    counts_.accepted += static_cast<int64_t>(s->right);
  }
}

// What a user cannot mend is our bug and ends the step, too.
Diagnostic Scheduler::error_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const UserError& e) {
    return e.diagnostic();
  } catch (const std::exception& e) {
    if (!thrown_) thrown_ = error;
    return {Severity::Error, "bug", e.what(), "", "choosing a token does not fail",
            "report this", ""};
  }
}

// Callbacks may end any sequence, also this one.
void Scheduler::deliver(Sequence& s) {
  for (const Chosen& token : s.chosen) {
    if (s.ended) return;
    s.take(token);
    ++counts_.tokens_generated;
    if (s.request.on_token && !call([&] { s.request.on_token(token); }) && !s.ended)
      return end(s, Ended::Interrupted);
  }
  if (s.ended) return;
  if (s.error) {
    s.answer.error = error_of(s.error);
    end(s, Ended::Failed);
  } else if (s.ends) {
    end(s, *s.ends);
  }
}

// So that others with the same beginning need not wait until this one ends.
void Scheduler::keep_whole_pages(Sequence& s) {
  const int64_t whole = engine_.length(s.slot) / engine_.page();
  if (!options_.share_prefixes || whole == s.whole_pages) return;
  s.whole_pages = whole;
  const auto tokens = static_cast<std::size_t>(whole * engine_.page());
  cache_.insert(std::span<const int32_t>(s.text).first(tokens), s.slot, false);
}

bool Scheduler::step() {
  check(!stepping_, "a callback does not step");
  make_step();
  throw_first();
  return !running_.empty() || !waiting_.empty();
}

void Scheduler::make_step() {
  const double start = now_seconds();
  admit();
  if (running_.empty()) return;
  const Stepping stepping(*this);
  const Plan step = plan();
  read_and_choose(step);
  ++counts_.steps;
  counts_.step_rows = static_cast<int64_t>(step.rows.size());
  counts_.step_seconds = now_seconds() - start;
  for (Sequence* s : step.sequences) deliver(*s);
  for (Sequence* s : step.sequences)
    if (!s->ended) keep_whole_pages(*s);
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
