#include "tilewright/runtime/scheduler.h"

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/runtime/choose.h"
#include "tilewright/runtime/machine.h"

namespace tilewright::runtime {

struct Scheduler::Sequence {
  Sequence(Ticket t, Request r)
      : ticket(t), request(std::move(r)), sampler(request.sampling), submitted(now_seconds()) {
    sampler.see_prompt(request.held);
    sampler.see_prompt(request.prompt);
    answer.prompt_tokens = static_cast<int64_t>(request.prompt.size());
  }

  bool reads_prompt() const { return read < request.prompt.size(); }

  // Up to `most` rows of the prompt; the last of it wants logits.
  void add_prompt(std::size_t most, std::vector<Row>& rows) {
    const std::size_t count = std::min(most, request.prompt.size() - read);
    for (std::size_t i = 0; i < count; ++i) {
      const int32_t token = request.prompt[read++];
      rows.push_back({slot, token, !reads_prompt()});
    }
  }
  void add_last(std::vector<Row>& rows) const {
    rows.push_back({slot, answer.tokens.back(), true});
  }

  // Why the sequence ends with this token, if it does.
  std::optional<Ended> take(const Chosen& chosen, const Engine& engine) {
    const double seconds = now_seconds() - submitted;
    if (answer.tokens.empty()) answer.first_token_seconds = seconds;
    answer.last_token_seconds = seconds;
    if (request.max_tokens == 0) return Ended::AtLength;
    if (std::ranges::find(request.stop_ids, chosen.id) != request.stop_ids.end())
      return Ended::AtStop;
    answer.tokens.push_back(chosen.id);
    if (request.on_token) request.on_token(chosen);
    if (static_cast<int64_t>(answer.tokens.size()) == request.max_tokens) return Ended::AtLength;
    if (engine.length(slot) == engine.context()) return Ended::AtContext;
    return std::nullopt;
  }

  Ticket ticket;
  Request request;
  tokens::Sampler sampler;
  double submitted;
  Answer answer;
  int slot = -1;         // while it runs
  std::size_t read = 0;  // tokens of the prompt
};

Scheduler::Scheduler(Engine& engine) : engine_(engine) {}

Scheduler::~Scheduler() { cancel_all(); }

Scheduler::Ticket Scheduler::submit(Request request) {
  require_prompt(engine_, request.slot ? engine_.length(*request.slot) : 0, request.prompt);
  waiting_.push_back(std::make_unique<Sequence>(++last_, std::move(request)));
  return last_;
}

void Scheduler::end(Sequence& sequence, Ended why) {
  if (sequence.slot >= 0 && !sequence.request.slot) engine_.close_slot(sequence.slot);
  sequence.answer.ended = why;
  if (sequence.request.on_end) sequence.request.on_end(sequence.answer);
}

void Scheduler::cancel(Ticket ticket) {
  const auto cancel_in = [&](auto& sequences) {
    const auto found =
        std::ranges::find_if(sequences, [&](const auto& s) { return s->ticket == ticket; });
    if (found == sequences.end()) return;
    const auto sequence = std::move(*found);
    sequences.erase(found);
    end(*sequence, Ended::Interrupted);
  };
  cancel_in(waiting_);
  cancel_in(running_);
}

void Scheduler::cancel_all() {
  while (!running_.empty()) cancel(running_.front()->ticket);
  while (!waiting_.empty()) cancel(waiting_.front()->ticket);
}

void Scheduler::admit() {
  while (!waiting_.empty() && (waiting_.front()->request.slot || engine_.free_slots() > 0)) {
    Sequence& next = *waiting_.front();
    next.slot = next.request.slot ? *next.request.slot : engine_.open_slot();
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  check(waiting_.empty() || !running_.empty(), "a request waits for a slot that nobody gives back");
}

bool Scheduler::step() {
  admit();
  if (running_.empty()) return false;
  // Logits come in the order of the rows: first of those that go on, then of ended prompts.
  std::ranges::stable_partition(running_, [](const auto& s) { return !s->reads_prompt(); });
  std::vector<Row> rows;
  for (const auto& s : running_)
    if (!s->reads_prompt()) s->add_last(rows);
  std::size_t taking = rows.size();
  for (std::size_t i = rows.size(); i < running_.size(); ++i) {
    const auto left = static_cast<std::size_t>(engine_.chunk()) - rows.size();
    if (left == 0) break;
    running_[i]->add_prompt(left, rows);
    if (!running_[i]->reads_prompt()) ++taking;
  }
  std::vector<tokens::Sampler*> samplers;
  for (std::size_t i = 0; i < taking; ++i) samplers.push_back(&running_[i]->sampler);
  const auto ids = choose_all(engine_.pool(), samplers, engine_.step(rows));
  std::vector<std::unique_ptr<Sequence>> ran = std::move(running_), ended;
  running_.clear();
  std::vector<Ended> why;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const auto ends = i < taking ? ran[i]->take({ids[i], 0, {}}, engine_) : std::nullopt;
    if (ends) why.push_back(*ends);
    (ends ? ended : running_).push_back(std::move(ran[i]));
  }
  for (std::size_t i = 0; i < ended.size(); ++i) end(*ended[i], why[i]);
  return !running_.empty() || !waiting_.empty();
}

int64_t Scheduler::waiting() const { return static_cast<int64_t>(waiting_.size()); }
int64_t Scheduler::running() const { return static_cast<int64_t>(running_.size()); }

}  // namespace tilewright::runtime
