// A step of the scheduler: which rows it has, what is chosen from their logits, and who is told.
#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/runtime/machine.h"
#include "tilewright/runtime/prompt_shares.h"
#include "tilewright/runtime/scheduler.h"

namespace tilewright::runtime {

// The sequences of a step in the order of their rows: those that are continued, then prompts.
struct Scheduler::Plan {
  std::vector<Sequence*> sequences;
  std::vector<Row> rows;
};

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
  if (!options_.share_prefixes || s.request.on_hidden) return;
  if (length % page != 0 || s.unread(length) <= page) return;
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
      plan.rows.push_back(
          {s->slot, s->text[static_cast<std::size_t>(length + i)], ends_text && i + 1 == s->rows});
    for (const int32_t token : s->drafts) plan.rows.push_back({s->slot, token, true});
    pages += engine_.new_pages(s->slot, s->rows + static_cast<int64_t>(s->drafts.size()));
  }
  check(cache_.reclaim(pages), "a request that runs has the pages it was promised");
  return plan;
}

void Scheduler::tell_hidden(const Plan& plan) {
  std::size_t row = 0;
  for (Sequence* s : plan.sequences) {
    const std::size_t end = row + static_cast<std::size_t>(s->rows) + s->drafts.size();
    for (; row < end; ++row)
      if (s->request.on_hidden && s->reads_prompt())
        call([&] { s->request.on_hidden(engine_.hidden(row)); });
  }
}

void Scheduler::read_and_choose(const Plan& plan) {
  const auto logits = engine_.step(plan.rows);
  tell_hidden(plan);
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
      choose(static_cast<std::size_t>(thread), static_cast<std::size_t>(engine_.pool().threads()));
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

// Anything but a UserError is a bug, which the step throws, too.
Diagnostic Scheduler::error_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const UserError& e) {
    return e.diagnostic();
  } catch (...) {
    if (!thrown_) thrown_ = error;
    Diagnostic unknown;
    unknown.code = "bug";
    unknown.what = "no token could be chosen";
    return unknown;
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

}  // namespace tilewright::runtime
