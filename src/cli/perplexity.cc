// `perplexity`: how well a model predicts a text, the measure of what quantisation costs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_text.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/cli/progress.h"
#include "tilewright/runtime/perplexity.h"

namespace tilewright::cli {
namespace {

using runtime::Perplexity;

constexpr int64_t kChunk = 512;  // tokens, unless -c says otherwise

std::vector<int32_t> tokens_of(const tokens::Tokenizer& tokenizer, const std::string& text) {
  std::vector<int32_t> ids = tokenizer.encode(text, {.special_in_text = false});
  if (ids.size() < 4)
    user_error("command-line", fmt::format("a text of {}", counted(ids.size(), "token")), "",
               "perplexity is measured on at least 4 tokens", "give a longer text with -f FILE");
  return ids;
}

// The token that the tokenizer puts before a text, if it puts one.
std::optional<int32_t> begin_token(const tokens::Tokenizer& tokenizer) {
  const std::vector<int32_t> around = tokenizer.encode("");
  return around.empty() ? std::nullopt : std::optional(around.front());
}

std::string json_of(const Perplexity& p, const std::string& model, int64_t context,
                    std::string_view sums) {
  const nlohmann::ordered_json j{{"model", model},
                                 {"perplexity", p.value},
                                 {"error", p.error},
                                 {"tokens", p.tokens},
                                 {"chunks", p.chunks},
                                 {"context", context},
                                 {"interrupted", p.interrupted},
                                 {"sums", sums}};
  return json_text(j);
}

int run_perplexity(const Context& c) {
  const std::string path = c.model_path();
  const std::string input = given_text(c);
  JsonOutput json(c);
  const auto model = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  const std::vector<int32_t> tokens = tokens_of(*text.tokenizer, input);
  runtime::EngineOptions options = engine_options(c);
  if (options.context == 0) options.context = std::min(kChunk, model.config.max_positions);
  if (options.context < 4)
    user_error("command-line", "a context below 4 tokens", "",
               "perplexity is measured on chunks of at least 4 tokens", "write for example -c 512");
  const auto engine = load_engine(c, model, options);

  Progress progress(c.err, c.terminal.progress);
  progress.begin("reading the text");
  runtime::PerplexityOptions how{.context = options.context, .begin = begin_token(*text.tokenizer)};
  how.progress = [&](const Perplexity& so_far, double share) {
    progress.update(share);
    progress.note(fmt::format("reading the text: perplexity {:.4f} so far", so_far.value));
  };
  const Interrupt interrupt;
  const Perplexity p = runtime::perplexity(*engine, tokens, how, &interrupt.flag());
  progress.end();
  const int64_t chunk = std::min(options.context, static_cast<int64_t>(tokens.size()));
  const cpu::InstructionSet instructions = engine->instructions();
  c.words() << fmt::format("perplexity {:.4f} +/- {:.4f} over {}, {} of {} tokens, {}\n", p.value,
                           p.error, counted(p.tokens, "token"), counted(p.chunks, "chunk"), chunk,
                           instructions.sums_text());
  json.write(json_of(p, path, chunk, instructions.sums()));
  return p.interrupted ? kInterrupted : kFine;
}

constexpr Flag kChunkLength{"-c", "--ctx-size", "N", "tokens of a chunk (default 512)"};

}  // namespace

const Command& perplexity_command() {
  static const Command kCommand{
      .name = "perplexity",
      .operand = "",
      .summary = "measures how well a model predicts a text",
      .flags = {kModel, kPrompt, kTextFile, kChunkLength, kEngineThreads, kSums, kCacheType, kJson, kHelp},
      .examples = {"perplexity -m qwen3-0.6b -f book.txt",
                   "perplexity -m qwen3-0.6b-q4.gguf -f book.txt -c 2048"},
      .note =
          "Lower is better; what quantisation costs is the ratio of two models on the same\n"
          "text. The text is cut into chunks of N tokens that are read on their own, each\n"
          "with the model's begin token as its first. Tokens of the second half of a chunk\n"
          "count, as with llama-perplexity. What is left over at the end is not read; a\n"
          "text shorter than N tokens is one chunk.",
      .run = run_perplexity,
  };
  return kCommand;
}

}  // namespace tilewright::cli
