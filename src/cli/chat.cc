// `chat`: a conversation, line by line.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "tilewright/base/diagnostic.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/runtime/conversation.h"

namespace tilewright::cli {
namespace {

constexpr const char* kWayOut = "use /clear to start over, or a larger -c";

runtime::ConversationOptions options_of(const Context& c,
                                        const models::transformer::ModelText& text) {
  runtime::ConversationOptions o;
  o.system_prompt = c.args.text("--system-prompt");
  if (c.args.has("--no-think")) o.thinking = false;
  if (c.args.has("--think")) o.thinking = true;
  if (const auto most = c.args.number("--n-predict")) o.max_tokens = static_cast<int64_t>(*most);
  o.sampling = sampling_of(c, text.defaults.sampling);
  return o;
}

void tell_no_room(const Context& c, int64_t tokens, int64_t context) {
  Diagnostics told;
  told.add({Severity::Error, "context",
            fmt::format("the conversation needs {} tokens with this message, but the context "
                        "holds {}",
                        tokens, context),
            "in this message, which is not answered",
            "the whole conversation must fit into the context", kWayOut, ""});
  print_diagnostics(c, c.err, told);
}

// False when the message was not answered.
bool answer(const Context& c, runtime::Conversation& conversation, const std::string& message,
            const runtime::Engine& engine) {
  const int64_t context = engine.context();
  bool silent = true;
  const auto show = [&](const std::string& piece) {
    silent = silent && piece.empty();
    c.out << piece;
    require_written(c.out);
  };
  const Interrupt interrupt;
  const auto turn = conversation.say(message, show, &interrupt.flag());
  if (!turn.answer) {
    tell_no_room(c, turn.tokens, context);
    return false;
  }
  c.out << "\n";
  const runtime::Answer& a = *turn.answer;
  if (silent) c.err << no_text_note(a);
  if (c.args.has("--timings"))
    c.err << fmt::format("{} new prompt tokens, {:.1f} t/s; {} generated, {:.1f} t/s; {}; {}\n",
                         a.prompt_tokens - a.cached_tokens, a.prompt_rate(), a.tokens.size(), a.rate(),
                         stop_reason(a.ended), engine.instructions().sums_text());
  if (a.ended == runtime::Ended::AtContext)
    c.err << fmt::format("the context of {} tokens is full, the answer ends here; {}\n", context,
                         kWayOut);
  return true;
}

void require_room_for_system_prompt(const Context& c, const models::transformer::ModelText& text,
                                    int64_t context) {
  const std::string prompt = c.args.text("--system-prompt", "");
  const auto tokens =
      static_cast<int64_t>(text.tokenizer->encode(prompt, {.surround = false}).size());
  if (tokens < context) return;
  user_error("context",
             fmt::format("the system prompt has {} tokens, but the context holds {}", tokens,
                         context),
             "", "the whole conversation, including the system prompt, must fit into the context",
             "shorten the system prompt, or use a larger -c");
}

int run_chat(const Context& c) {
  const std::string path = c.model_path();
  if (c.args.has("--think") && c.args.has("--no-think"))
    user_error("command-line", "--think and --no-think together", "",
               "--think and --no-think exclude each other; without them the chat template decides",
               "keep one of them");
  const auto model = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  if (!text.chat)
    user_error("chat-template", fmt::format("{} has no chat template", path), "",
               "a conversation needs the format that the model was trained on",
               "use generate, which needs no chat template");
  runtime::ConversationOptions options = options_of(c, text);  // mistakes are told before loading
  require_room_for_system_prompt(c, text, runtime::context_of(model.config, engine_options(c)));
  const auto engine = load_engine(c, model, engine_options(c));
  runtime::Conversation conversation(text, *engine, std::move(options));
  std::istream& in = c.terminal.input ? *c.terminal.input : std::cin;
  const bool asks = c.terminal.progress && !c.terminal.input && ::isatty(STDIN_FILENO);
  if (asks)
    c.err << "/exit or Ctrl-D ends the conversation, /clear starts a new one, Ctrl-C stops an "
             "answer\n";
  int code = kFine;
  for (std::string line;;) {
    if (asks) c.err << "> " << std::flush;
    if (!std::getline(in, line) || line == "/exit") break;
    if (line.empty()) continue;
    if (line == "/clear") {
      conversation.clear();
      continue;
    }
    if (!answer(c, conversation, line, *engine)) code = kMistake;
  }
  if (asks) c.err << "\n";
  return asks ? kFine : code;  // on a terminal the reason was already printed
}

constexpr Flag kSystem{"", "--system-prompt", "TEXT", "system prompt of the conversation"};
constexpr Flag kThink{"", "--think", "", "turns thinking on, if the chat template supports it"};
constexpr Flag kNoThink{"", "--no-think", "", "turns thinking off"};
constexpr Flag kAnswer{"-n", "--n-predict", "N", "maximum number of tokens per answer"};
constexpr Flag kTimings{"", "--timings", "", "prints token counts and tokens/s after each answer"};

}  // namespace

const Command& chat_command() {
  static const Command kCommand{
      .name = "chat",
      .operand = "",
      .summary = "talks with a model through its chat template",
      .flags = {kModel, kSystem, kThink, kNoThink, kAnswer, kContext, kEngineThreads, kSums, kCacheType, kTemp,
                kTopK, kTopP, kMinP, kRepeat, kPresence, kTokenSeed, kTimings, kHelp},
      .examples = {"chat -m qwen3-0.6b",
                   "chat -m qwen3-0.6b --no-think --system-prompt 'Answer briefly.'",
                   "chat -m out/models/minimind2-small < questions.txt"},
      .note =
          "Each input line is one message. /exit or end of input ends the conversation,\n"
          "/clear starts a new one, and Ctrl-C stops an answer. A message that does not fit\n"
          "into the context is rejected; the conversation stays unchanged.",
      .run = run_chat,
  };
  return kCommand;
}

}  // namespace tilewright::cli
