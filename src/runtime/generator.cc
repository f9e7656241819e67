#include "tilewright/runtime/generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/runtime/choose.h"
#include "tilewright/runtime/machine.h"

namespace tilewright::runtime {
namespace {

class Sequence {
 public:
  Sequence(const Request& request, Answer& answer)
      : request_(&request), answer_(&answer), sampler_(request.sampling) {
    sampler_.see_prompt(request.held);
    sampler_.see_prompt(request.prompt);
    answer.prompt_tokens = static_cast<int64_t>(request.prompt.size());
  }

  void start(Engine& engine) { slot_ = request_->slot ? *request_->slot : engine.open_slot(); }
  void finish(Engine& engine) const {
    if (!request_->slot) engine.close_slot(slot_);
  }
  bool needs_slot() const { return !request_->slot; }
  bool reads_prompt() const { return read_ < request_->prompt.size(); }

  // Up to `most` rows of the prompt; the last of it wants logits.
  void add_prompt(std::size_t most, std::vector<Row>& rows) {
    const std::size_t count = std::min(most, request_->prompt.size() - read_);
    for (std::size_t i = 0; i < count; ++i) {
      const int32_t token = request_->prompt[read_++];
      rows.push_back({slot_, token, !reads_prompt()});
    }
  }
  void add_last(std::vector<Row>& rows) const {
    rows.push_back({slot_, answer_->tokens.back(), true});
  }

  tokens::Sampler* sampler() { return &sampler_; }

  // True when the sequence ends with this token.
  bool take(int32_t id, const Engine& engine, double seconds) {
    if (answer_->tokens.empty()) answer_->first_token_seconds = seconds;
    answer_->last_token_seconds = seconds;
    if (request_->max_tokens == 0) return end(Ended::AtLength);
    if (std::ranges::find(request_->stop_ids, id) != request_->stop_ids.end())
      return end(Ended::AtStop);
    answer_->tokens.push_back(id);
    if (request_->on_token) request_->on_token(id);
    if (static_cast<int64_t>(answer_->tokens.size()) == request_->max_tokens)
      return end(Ended::AtLength);
    if (engine.length(slot_) == engine.context()) return end(Ended::AtContext);
    return false;
  }

  bool end(Ended why) {
    answer_->ended = why;
    return true;
  }

 private:
  const Request* request_;
  Answer* answer_;
  tokens::Sampler sampler_;
  int slot_ = 0;
  std::size_t read_ = 0;  // tokens of the prompt
};

void require_fitting(const checkpoint::ModelConfig& config, int64_t context, int64_t before,
                     std::span<const int32_t> prompt) {
  if (prompt.empty())
    user_error("prompt", "the prompt is empty", "",
               "generation needs a prompt of at least one token", "give some text");
  const auto length = before + static_cast<int64_t>(prompt.size());
  if (length > context)
    user_error("prompt",
               fmt::format("a prompt of {} tokens does not fit into a context of {}", length,
                           context),
               "", "the whole prompt must fit into the context",
               context < config.max_positions
                   ? fmt::format("use a shorter prompt, or a larger -c: up to {}",
                                 config.max_positions)
                   : "use a shorter prompt: the model supports no longer context");
  for (const int32_t id : prompt)
    if (id < 0 || id >= config.vocab)
      user_error("prompt",
                 fmt::format("token {} is outside the vocabulary of {}", id, config.vocab), "",
                 "the tokenizer and the weights must belong to the same model",
                 "check that tokenizer.json is this model's");
}

}  // namespace

void require_prompt(const checkpoint::ModelConfig& config, const EngineOptions& options,
                    std::span<const int32_t> prompt) {
  require_fitting(config, context_of(config, options), 0, prompt);
}

std::string_view ended_text(Ended e) {
  switch (e) {
    case Ended::AtStop: return "stop";
    case Ended::AtLength: return "length";
    case Ended::AtContext: return "context";
    case Ended::Interrupted: return "interrupted";
  }
  return "";
}

double Answer::prompt_rate() const {
  return first_token_seconds > 0 ? static_cast<double>(prompt_tokens) / first_token_seconds : 0;
}

double Answer::rate() const {
  const double seconds = last_token_seconds - first_token_seconds;
  const auto after = static_cast<double>(tokens.size()) - (ended == Ended::AtStop ? 0 : 1);
  return seconds > 0 ? after / seconds : 0;
}

std::vector<Answer> generate(Engine& engine, const std::vector<Request>& requests,
                             const std::atomic<bool>* interrupted) {
  for (const Request& r : requests) {
    require_fitting(engine.config(), engine.context(), r.slot ? engine.length(*r.slot) : 0,
                    r.prompt);
    check_sampling(r.sampling);
  }
  const double began = now_seconds();
  std::vector<Answer> answers(requests.size());
  std::vector<Sequence> waiting, running;
  for (std::size_t i = requests.size(); i-- > 0;) waiting.emplace_back(requests[i], answers[i]);
  std::vector<Row> rows;
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && (!waiting.back().needs_slot() || engine.free_slots() > 0)) {
      waiting.back().start(engine);
      running.push_back(std::move(waiting.back()));
      waiting.pop_back();
    }
    check(!running.empty(), "a sequence waits for a slot that nobody gives back");
    // Logits come in the order of the rows: first of those that go on, then of ended prompts.
    std::stable_partition(running.begin(), running.end(),
                          [](const Sequence& s) { return !s.reads_prompt(); });
    rows.clear();
    for (const Sequence& s : running)
      if (!s.reads_prompt()) s.add_last(rows);
    std::size_t taking = rows.size();
    for (std::size_t i = rows.size(); i < running.size(); ++i) {
      const auto left = static_cast<std::size_t>(engine.chunk()) - rows.size();
      if (left == 0) break;
      running[i].add_prompt(left, rows);
      if (!running[i].reads_prompt()) ++taking;
    }
    std::vector<tokens::Sampler*> samplers;
    for (std::size_t i = 0; i < taking; ++i) samplers.push_back(running[i].sampler());
    const auto ids = choose_all(engine.pool(), samplers, engine.step(rows));
    const double seconds = now_seconds() - began;
    const bool stop = interrupted && *interrupted;
    std::vector<Sequence> next;
    for (std::size_t i = 0; i < running.size(); ++i) {
      const bool ends = (i < taking && running[i].take(ids[i], engine, seconds)) ||
                        (stop && running[i].end(Ended::Interrupted));
      if (ends)
        running[i].finish(engine);
      else
        next.push_back(std::move(running[i]));
    }
    running = std::move(next);
    if (!stop) continue;
    for (Sequence& s : waiting) s.end(Ended::Interrupted);
    waiting.clear();
  }
  return answers;
}

}  // namespace tilewright::runtime
