#include "requests.h"

#include "tilewright/base/diagnostic.h"
#include "tilewright/serve/api_error.h"
#include "tilewright/serve/chat_request.h"
#include "tilewright/serve/completion_request.h"
#include "tilewright/serve/embedding_request.h"

namespace fuzz_files {
namespace {

using namespace tilewright;

const serve::ServedModel& model() {
  static checkpoint::Checkpoint checkpoint;
  static const models::transformer::ModelText text;
  static const serve::ServedModel kModel{
      .checkpoint = checkpoint, .text = text, .id = "m", .fingerprint = {}, .sampling = {}};
  checkpoint.config.vocab = 300;
  checkpoint.config.hidden = 64;
  return kModel;
}

// A refusal is this room's form of a UserError. It must say something, and be an answer.
template <class Read>
void read(const Read& reader) {
  try {
    reader();
  } catch (const serve::Refused& e) {
    if (e.error().message.empty() || serve::error_response(e.error()).body.empty()) std::abort();
    user_error("request", e.what(), "", "", "");
  }
}

}  // namespace

void run_chat_request(const std::string& bytes) {
  read([&] {
    const auto r = serve::read_chat_request(bytes, model());
    r.template_variables().dump(-1, ' ', false, serve::Value::error_handler_t::replace);
  });
}

// The first byte chooses the endpoint.
void run_text_request(const std::string& bytes) {
  read([&] {
    if (bytes.starts_with('e'))
      serve::read_embedding_request(bytes.substr(1), model());
    else
      serve::read_completion_request(bytes, model());
  });
}

std::vector<std::string> chat_request_seeds() {
  return {
      R"({"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
 "temperature": 0.5, "top_p": 0.9, "top_k": -1, "n": 2, "seed": -3, "stop": ["a", "b"], "logprobs": true,
 "top_logprobs": 5, "stream": true, "stream_options": {"include_usage": true}, "logit_bias": {"12": -100}})",
      R"({"messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function",
 "function": {"name": "f", "arguments": "{\"a\": [1, 2.5e3]}"}}]}, {"role": "tool", "tool_call_id": "1", "content": "3"}],
 "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}],
 "tool_choice": {"type": "function", "function": {"name": "f"}}, "max_completion_tokens": 5})",
      R"({"messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_schema",
 "json_schema": {"name": "n", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}},
 "chat_template_kwargs": {"enable_thinking": false, "x": [null, {"y": 1}]}, "reasoning_effort": "none"})"};
}

std::vector<std::string> text_request_seeds() {
  return {
      R"({"prompt": ["a", [1, 2, 3]], "echo": true, "best_of": 2, "n": 2, "suffix": "", "max_tokens": 0})",
      R"({"prompt": [1, 2], "logprobs": 3, "presence_penalty": -2, "ignore_eos": true})",
      R"(e{"input": ["a", "b"], "encoding_format": "base64", "dimensions": 64, "user": "me"})"};
}

}  // namespace fuzz_files
