// `generate`: continues a text, shown while it is made.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/json_text.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/runtime/generator.h"
#include "tilewright/tokens/stream.h"

namespace tilewright::cli {
namespace {

using runtime::Answer;

std::string timing_text(const Answer& a, std::string_view sums) {
  const std::string prompt = a.prompt_rate() > 0
                                 ? fmt::format("{:.1f} t/s; first token after {:.3f} s",
                                               a.prompt_rate(), a.first_token_seconds)
                                 : "not read to the end";
  return fmt::format("prompt {}, {}\ngenerated {}, {:.1f} t/s; {}; {}\n",
                     counted(a.prompt_tokens, "token"), prompt,
                     counted(static_cast<int64_t>(a.tokens.size()), "token"), a.rate(),
                     stop_reason(a.ended), sums);
}

// Bytes that the saved text will hardly exceed; a token has a few.
std::size_t room_for(const std::string& prompt, int64_t count) {
  constexpr int64_t kBytesPerToken = 8, kMost = int64_t{64} << 20;
  return prompt.size() + static_cast<std::size_t>(std::min(kMost, kBytesPerToken * count));
}

std::string json_of(const Answer& a, const std::string& text, std::string_view sums) {
  const nlohmann::ordered_json j{{"text", text},
                                 {"tokens", a.tokens},
                                 {"prompt_tokens", a.prompt_tokens},
                                 {"ended", ended_text(a.ended)},
                                 {"sums", sums},
                                 {"first_token_seconds", a.first_token_seconds},
                                 {"prompt_tokens_per_second", a.prompt_rate()},
                                 {"tokens_per_second", a.rate()}};
  return json_text(j);
}

int run_generate(const Context& c) {
  const std::string path = c.model_path();
  const std::string prompt = given_text(c);
  JsonOutput json(c);
  const auto count = static_cast<int64_t>(c.args.number("--n-predict").value_or(128));
  std::optional<AtomicFile> save;
  if (c.args.has("--save")) save.emplace(c.args.text("--save"), room_for(prompt, count));
  const auto model = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  runtime::Request request;
  request.prompt = text.tokenizer->encode(prompt);
  request.max_tokens = count;
  request.sampling = sampling_of(c, text.defaults.sampling);
  if (!c.args.has("--ignore-eos")) request.stop_ids = text.defaults.stop_ids;
  const runtime::EngineOptions options = engine_options(c);
  runtime::require_prompt(model.config, options, request.prompt);
  const auto engine = load_engine(c, model, options);

  const bool quiet = c.args.text("--json") == "-";
  std::string made = prompt;
  const auto show = [&](const std::string& piece) {
    made += piece;
    if (quiet) return;
    c.out << piece;
    require_written(c.out);
  };
  if (!quiet) c.out << prompt << std::flush;
  tokens::TextStream stream(*text.tokenizer, prompt.empty());
  request.on_token = [&](const runtime::Chosen& chosen) { show(stream.push(chosen.id)); };
  const Interrupt interrupt;
  const Answer answer = runtime::generate(*engine, {request}, &interrupt.flag()).front();
  show(stream.finish());
  if (!quiet) c.out << "\n";
  if (save) save->commit(made + "\n");
  if (made == prompt) c.err << no_text_note(answer);
  c.err << timing_text(answer, engine->instructions().sums_text());
  json.write(json_of(answer, made, engine->instructions().sums()));
  return answer.ended == runtime::Ended::Interrupted ? kInterrupted : kFine;
}

constexpr Flag kCount{"-n", "--n-predict", "N", "maximum number of new tokens (default 128)"};
constexpr Flag kIgnoreEos{"", "--ignore-eos", "", "ignores the end token and continues"};
constexpr Flag kSave{"", "--save", "FILE", "also writes the text to FILE"};

}  // namespace

const Command& generate_command() {
  static const Command kCommand{
      .name = "generate",
      .operand = "",
      .summary = "continues a text with a model",
      .flags = {kModel, kPrompt, kTextFile, kCount, kContext, kEngineThreads, kSums, kCacheType, kTemp, kTopK,
                kTopP, kMinP, kRepeat, kPresence, kTokenSeed, kIgnoreEos, kSave, kJson, kHelp},
      .examples = {"generate -m out/models/stories15M -p 'Once upon a time'",
                   "generate -m qwen3-0.6b -f question.txt -n 256 --temp 0.7 -s 1"},
      .note =
          "Sampling flags that are not given come from the model's generation settings.\n"
          "Ctrl-C stops the text and keeps what was written; the exit code is then 130.",
      .run = run_generate,
  };
  return kCommand;
}

}  // namespace tilewright::cli
