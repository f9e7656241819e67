#include "tilewright/serve/completion_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/serve/api_error.h"

namespace tilewright::serve {
namespace {

// How many tokens the API makes when nobody says.
constexpr int64_t kDefaultTokens = 16;

bool is_number(const Value& v) { return v.is_number(); }

TextOrTokens read_text(const Value& value, int64_t vocab, const std::string& path) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return token_ids(value, vocab, path);
  refuse_kind(path, "a string or an array of token ids", value);
}

}  // namespace

std::vector<TextOrTokens> read_texts(const Value& value, int64_t vocab, const std::string& path) {
  if (!value.is_array() || (!value.empty() && std::ranges::all_of(value, is_number)))
    return {read_text(value, vocab, path)};
  if (value.empty()) refuse(path, fmt::format("{} is empty; give a text", path));
  if (value.size() > kMostTexts)
    refuse(path, fmt::format("{} has {} texts; {} are allowed", path, value.size(), kMostTexts));
  std::vector<TextOrTokens> out;
  for (const Value& text : value) out.push_back(read_text(text, vocab, element(path, out.size())));
  return out;
}

std::vector<int32_t> tokens_of(const TextOrTokens& text, const tokens::Tokenizer& tokenizer) {
  if (const auto* ids = std::get_if<std::vector<int32_t>>(&text)) return *ids;
  return tokenizer.encode(std::get<std::string>(text));
}

void require_tokens(const std::vector<int32_t>& tokens, const ServedModel& model,
                    const std::string& path) {
  if (tokens.empty()) refuse(path, fmt::format("{} has no tokens", path));
  if (static_cast<int64_t>(tokens.size()) > model.context)
    refuse(path,
           fmt::format("{} has {} tokens; the context of this server holds {}", path, tokens.size(),
                       model.context),
           "context_length_exceeded");
}

CompletionRequest read_completion_request(std::string_view body, const ServedModel& model) {
  const Value root = parse_body(body);
  Fields fields(root);
  CompletionRequest r;
  r.prompts = read_texts(fields.needed("prompt"), model.vocab(), "prompt");
  r.settings = read_generation_settings(fields, model);
  if (!r.settings.max_tokens) r.settings.max_tokens = kDefaultTokens;
  r.settings.logprobs = fields.integer("logprobs", 0, kMostLogprobs);
  r.echo = fields.boolean("echo").value_or(false);
  if (r.echo && r.settings.logprobs)
    refuse("logprobs", "logprobs together with echo are not supported: the prompt has none here",
           "unsupported_value");
  if (const auto best = fields.integer("best_of", 1, kMostChoices); best && *best != r.settings.n)
    refuse("best_of", fmt::format("best_of is {}; only n, {}, is supported", *best, r.settings.n),
           "unsupported_value");
  fields.only("suffix", "", "the text after the answer cannot be given");
  fields.finish();
  return r;
}

}  // namespace tilewright::serve
