#include "tilewright/serve/props.h"

namespace tilewright::serve {
namespace {

Value state_json(const runtime::SchedulerState& s) {
  Value running = Value::array();
  for (const auto& slot : s.slots)
    running.push_back({{"reading", slot.reading},
                       {"position", slot.position},
                       {"prompt_tokens", slot.prompt_tokens},
                       {"generated_tokens", slot.tokens}});
  return {{"running", std::move(running)},
          {"waiting", s.waiting},
          {"slots", s.slots_total},
          {"pages_in_use", s.pages_in_use},
          {"pages_shared", s.pages_shared},
          {"pages_kept", s.pages_cached},
          {"pages", s.pages_total},
          {"steps", s.steps},
          {"step_seconds", s.step_seconds},
          {"step_rows", s.step_rows},
          {"generated_tokens", s.tokens_generated}};
}

}  // namespace

Value model_json(const ServedModel& model) {
  return {{"id", model.id},
          {"object", "model"},
          {"created", model.created},
          {"owned_by", "tilewright"},
          {"max_model_len", model.context}};
}

Value props_json(const ServedModel& model, const Gauges& now) {
  const tokens::SamplingOptions& s = model.sampling;
  return {{"model", model.id},
          {"system_fingerprint", model.fingerprint},
          {"context", model.context},
          {"vocabulary", model.vocab()},
          {"chat", model.text.chat.has_value()},
          {"defaults",
           {{"temperature", s.temperature},
            {"top_p", s.top_p},
            {"top_k", s.top_k},
            {"min_p", s.min_p},
            {"repetition_penalty", s.repetition_penalty},
            {"presence_penalty", s.presence_penalty},
            {"frequency_penalty", s.frequency_penalty}}},
          {"state", state_json(now.state)}};
}

}  // namespace tilewright::serve
