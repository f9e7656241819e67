#include "tilewright/serve/ask.h"

#include <fmt/format.h>

#include "tilewright/runtime/scheduler.h"
#include "tilewright/serve/api_error.h"
#include "tilewright/serve/request_id.h"

namespace tilewright::serve {
namespace {

// One sequence for each choice of a prompt.
void add_prompt(Exchange::Asked& to, const std::vector<int32_t>& prompt, const std::string& param,
                const GenerationSettings& s, const ServedModel& model, const Structure& structure,
                bool at_start) {
  require_tokens(prompt, model, param);
  to.prompt_tokens += static_cast<int64_t>(prompt.size());
  for (int64_t i = 0; i < s.n; ++i) {
    runtime::Request r;
    r.prompt = prompt;
    r.max_tokens = s.max_tokens.value_or(runtime::kUntilFull);
    r.speculate = model.speculate;
    r.sampling = s.sampling_of(i);
    // What a grammar restricts has an end.
    if (!s.ignore_eos || structure.grammar) r.stop_ids = model.text.defaults.stop_ids;
    if (structure.grammar) r.constraint = structure.grammar->constraint();
    r.logprobs = s.logprobs;
    to.requests.push_back(std::move(r));
    to.choices.emplace_back(*model.text.tokenizer,
                            Choice::Options{.at_start = at_start,
                                            .logprobs = s.logprobs.has_value(),
                                            .stops = s.stop,
                                            .reasons = structure.reasons,
                                            .opened = structure.opened,
                                            .tools = structure.tools,
                                            .call_ids = new_id("call_") + "_"});
  }
}

Exchange::Asked begun(const GenerationSettings& s) {
  Exchange::Asked out;
  out.stream = s.stream;
  out.include_usage = s.include_usage;
  return out;
}

}  // namespace

Exchange::Asked ask(ChatRequest request, const ServedModel& model, Structures& structures,
                    AnswerHead head) {
  if (!model.text.chat)
    throw Refused({400, "this model has no chat template; use /v1/completions", "messages",
                   "no_chat_template"});
  const std::string prompt =
      model.text.chat->render_json(request.template_variables().dump(), "the request");
  Exchange::Asked out = begun(request.settings);
  add_prompt(out, model.text.tokenizer->encode(prompt, {.surround = false}), "messages",
             request.settings, model, structures.of(request, prompt), false);
  head.seed = request.settings.sampling.seed;
  out.form = chat_form(std::move(head));
  return out;
}

Exchange::Asked ask(CompletionRequest request, const ServedModel& model, AnswerHead head) {
  Exchange::Asked out = begun(request.settings);
  std::vector<std::string> echoes;
  for (const TextOrTokens& text : request.prompts) {
    const std::vector<int32_t> prompt = tokens_of(text, *model.text.tokenizer);
    const auto* words = std::get_if<std::string>(&text);
    add_prompt(out, prompt, "prompt", request.settings, model, {}, words && words->empty());
    std::string echo;
    if (request.echo) echo = words ? *words : model.text.tokenizer->decode(prompt);
    echoes.insert(echoes.end(), static_cast<std::size_t>(request.settings.n), echo);
  }
  head.seed = request.settings.sampling.seed;
  out.form = completion_form(std::move(head), std::move(echoes));
  return out;
}

}  // namespace tilewright::serve
