// `generate`: continues a text, shown while it is made.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/json_text.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/runtime/scheduler.h"
#include "tilewright/tokens/grammar/schema.h"
#include "tilewright/tokens/stop_texts.h"
#include "tilewright/tokens/stream.h"

namespace tilewright::cli {
namespace {

using runtime::Answer;

// The text of the prompt, as it is shown, and its tokens.
struct Prompt {
  std::string shown;         // nothing of a message in the format of a chat
  bool begins_text = false;  // the answer is all there is
  std::vector<int32_t> tokens;
};

Prompt prompt_of(const Context& c, const models::transformer::ModelText& text,
                 const std::string& given) {
  if (!c.args.has("--system")) return {given, given.empty(), text.tokenizer->encode(given)};
  const std::string message = chat_template(text, c.model_path())
                                  .render({{"system", c.args.text("--system")}, {"user", given}});
  return {"", false, text.tokenizer->encode(message, {.surround = false})};
}

// A text that is shown while it is made, up to a stop text.
class ShownText {
 public:
  ShownText(const Context& c, const tokens::Tokenizer& tokenizer, const Prompt& prompt,
            tokens::StopTexts stops)
      : c_(c),
        quiet_(c.args.text("--json") == "-"),
        stream_(tokenizer, prompt.begins_text),
        stops_(std::move(stops)) {
    show(prompt.shown);
    prompt_bytes_ = text_.size();
  }

  // False when the text ends here.
  bool add(int32_t token) {
    show(stops_.push(stream_.push(token)));
    return !stops_.stopped();
  }
  void finish() {
    show(stops_.push(stream_.finish()));
    show(stops_.finish());
    if (!quiet_) c_.out << "\n";
  }

  const std::string& text() const { return text_; }
  bool has_answer() const { return text_.size() > prompt_bytes_; }
  bool stopped() const { return stops_.stopped(); }

 private:
  void show(const std::string& piece) {
    text_ += piece;
    if (quiet_) return;
    c_.out << piece << std::flush;
    require_written(c_.out);
  }

  const Context& c_;
  bool quiet_;
  tokens::TextStream stream_;
  tokens::StopTexts stops_;
  std::string text_;
  std::size_t prompt_bytes_ = 0;
};

// Restricts the answer to the documents of --json-schema: a schema, or the file of one.
std::shared_ptr<tokens::Constraint> constraint_of(const Context& c,
                                                  const models::transformer::ModelText& text) {
  if (!c.args.has("--json-schema")) return nullptr;
  if (c.args.has("--ignore-eos"))
    user_error("command-line", "--json-schema beside --ignore-eos", "",
               "a document ends with the end token", "omit one of the two flags");
  std::string schema = c.args.text("--json-schema"), origin = "--json-schema";
  if (!schema.starts_with('{')) {
    origin = schema;
    FileText file = try_read_text(origin);
    if (!file.problem.empty())
      user_error("schema", fmt::format("cannot read {}: {}", origin, file.problem), "",
                 "--json-schema is a schema that begins with {, or a file that holds one",
                 "check the path and its permissions");
    schema = std::move(file.text);
  }
  const auto vocabulary =
      std::make_shared<const tokens::grammar::Vocabulary>(*text.tokenizer, text.defaults.stop_ids);
  return tokens::grammar::compile_schema(schema, origin, vocabulary)->constraint();
}

Answer answered(runtime::Engine& engine, runtime::Request request, ShownText& text) {
  runtime::Scheduler scheduler(engine);
  runtime::Scheduler::Ticket ticket = 0;
  Answer answer;
  request.on_token = [&](const runtime::Chosen& chosen) {
    if (!text.add(chosen.id)) scheduler.cancel(ticket, runtime::Ended::AtStop);
  };
  request.on_end = [&](const Answer& a) { answer = a; };
  const Interrupt interrupt;
  ticket = scheduler.submit(std::move(request));
  while (scheduler.step())
    if (interrupt.flag()) scheduler.cancel_all();
  answer.require_fine();
  return answer;
}

std::string_view why_ended(const Answer& a, const ShownText& text) {
  return text.stopped() ? "stopped at a stop text" : stop_reason(a.ended);
}

std::string timing_text(const Answer& a, std::string_view why, std::string_view sums) {
  const std::string prompt = a.prompt_rate() > 0
                                 ? fmt::format("{:.1f} t/s; first token after {:.3f} s",
                                               a.prompt_rate(), a.first_token_seconds)
                                 : "not read to the end";
  const std::string guesses =
      a.drafted > 0 ? fmt::format("; {} of {} guesses were right", a.accepted, a.drafted) : "";
  return fmt::format("prompt {}, {}\ngenerated {}, {:.1f} t/s{}; {}; {}\n",
                     counted(a.prompt_tokens, "token"), prompt,
                     counted(static_cast<int64_t>(a.tokens.size()), "token"), a.rate(), guesses,
                     why, sums);
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
                                 {"guesses", a.drafted},
                                 {"right_guesses", a.accepted},
                                 {"sums", sums},
                                 {"first_token_seconds", a.first_token_seconds},
                                 {"prompt_tokens_per_second", a.prompt_rate()},
                                 {"tokens_per_second", a.rate()}};
  return json_text(j);
}

int run_generate(const Context& c) {
  const std::string path = c.model_path();
  const std::string given = given_text(c);
  tokens::StopTexts stops(c.args.words("--stop"));
  JsonOutput json(c);
  const int64_t count = token_limit(c).value_or(128);
  std::optional<AtomicFile> save;
  if (c.args.has("--save")) save.emplace(c.args.text("--save"), room_for(given, count));
  const auto model = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  const Prompt prompt = prompt_of(c, text, given);
  runtime::Request request;
  request.prompt = prompt.tokens;
  request.max_tokens = count;
  request.sampling = sampling_of(c, text.defaults.sampling);
  request.speculate = speculated_tokens(c);
  if (!c.args.has("--ignore-eos")) request.stop_ids = text.defaults.stop_ids;
  request.constraint = constraint_of(c, text);
  const runtime::EngineOptions options = engine_options(c);
  runtime::require_prompt(model.config, options, request.prompt);
  const auto engine = load_engine(c, model, options);

  ShownText shown(c, *text.tokenizer, prompt, std::move(stops));
  const Answer answer = answered(*engine, std::move(request), shown);
  shown.finish();
  if (save) save->commit(shown.text() + "\n");
  if (!shown.has_answer() && !shown.stopped()) c.err << no_text_note(answer);
  c.err << timing_text(answer, why_ended(answer, shown), engine->instructions().sums_text());
  json.write(json_of(answer, shown.text(), engine->instructions().sums()));
  return answer.ended == runtime::Ended::Interrupted ? kInterrupted : kFine;
}

constexpr Flag kCount{"-n", "--n-predict", "N",
                      "new tokens, at most; -1 for no limit (default 128)"};
constexpr Flag kStop{"", "--stop", "TEXT", "ends before this text; repeatable", true};
constexpr Flag kJsonSchema{"", "--json-schema", "SCHEMA",
                           "writes JSON of this schema, given as text or a file"};
constexpr Flag kIgnoreEos{"", "--ignore-eos", "", "ignores the end token and continues"};
constexpr Flag kSave{"", "--save", "FILE", "also writes the text to FILE"};

}  // namespace

const Command& generate_command() {
  static const Command kCommand{
      .name = "generate",
      .operand = "",
      .summary = "continues a text with a model",
      .flags = {kModel,     kPrompt,        kTextFile,  kSystem,    kCount,     kStop,
                kContext,   kEngineThreads, kSums,      kCacheType, kTemp,      kTopK,
                kTopP,      kMinP,          kRepeat,    kPresence,  kFrequency, kTokenSeed,
                kSpeculate, kJsonSchema,    kIgnoreEos, kSave,      kJson,      kHelp},
      .examples = {"generate -m out/models/stories15M -p 'Once upon a time'",
                   "generate -m qwen3-0.6b -f question.txt -n 256 --temp 0.7 -s 1",
                   "generate -m qwen3-0.6b --system 'Be brief.' -p 'Who was Ada?'",
                   "generate -m qwen3-0.6b -p 'Peru as JSON' --json-schema country.json"},
      .note =
          "With --system the prompt is a message in the model's chat format, and only the\n"
          "answer is printed. Stop texts are looked for in the new text.\n"
          "docs/structured.md lists the keywords of --json-schema.\n"
          "Sampling flags that are not given come from the model's generation settings.\n"
          "Ctrl-C stops the text and keeps what was written; the exit code is then 130.",
      .run = run_generate,
  };
  return kCommand;
}

}  // namespace tilewright::cli
