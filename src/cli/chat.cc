// `chat`: a conversation, line by line.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "tilewright/base/diagnostic.h"
#include "tilewright/cli/chat_session.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/line_editor.h"
#include "tilewright/cli/model_run.h"

namespace tilewright::cli {
namespace {

runtime::ConversationOptions options_of(const Context& c,
                                        const models::transformer::ModelText& text) {
  runtime::ConversationOptions o;
  o.system_prompt = c.args.text("--system");
  if (c.args.has("--no-think")) o.thinking = false;
  if (c.args.has("--think")) o.thinking = true;
  o.max_tokens = token_limit(c).value_or(o.max_tokens);
  o.speculate = speculated_tokens(c);
  o.sampling = sampling_of(c, text.defaults.sampling);
  return o;
}

// Somebody types: mistakes are told and can be mended, so they are no failure in the end.
int talk_at_a_terminal(const Context& c, ChatSession& session) {
  c.err << "/help lists the commands, Ctrl-C stops an answer, Ctrl-D ends the conversation\n"
        << std::flush;
  LineEditor editor("> ", history_file());
  for (std::string line; !session.over() && editor.read(line);) {
    if (line.empty()) continue;
    editor.remember(line);
    session.take(line);
  }
  return kFine;
}

int talk_through_a_pipe(std::istream& in, ChatSession& session) {
  int code = kFine;
  for (std::string line; !session.over() && std::getline(in, line);)
    if (!line.empty() && !session.take(line)) code = kMistake;
  return code;
}

int run_chat(const Context& c) {
  const std::string path = c.model_path();
  if (c.args.has("--think") && c.args.has("--no-think"))
    user_error("command-line", "--think and --no-think together", "",
               "--think and --no-think exclude each other; without them the chat template decides",
               "keep one of them");
  const auto model = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  (void)chat_template(text, path);
  // Mistakes are told before loading.
  runtime::ConversationOptions options = options_of(c, text);
  require_room_for_system_prompt(text, options.system_prompt,
                                 runtime::context_of(model.config, engine_options(c)));
  const auto engine = load_engine(c, model, engine_options(c));
  ChatSession session(c, text, *engine, std::move(options));
  if (c.args.has("--prompt")) return session.answer(c.args.text("--prompt")) ? kFine : kMistake;
  if (c.terminal.progress && !c.terminal.input && ::isatty(STDIN_FILENO))
    return talk_at_a_terminal(c, session);
  return talk_through_a_pipe(c.terminal.input ? *c.terminal.input : std::cin, session);
}

constexpr Flag kMessage{"-p", "--prompt", "TEXT", "answers this message only", false, true};
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
      .flags = {kModel,         kMessage,  kSystem,    kThink,     kNoThink,   kAnswer,  kContext,
                kEngineThreads, kSums,     kCacheType, kTemp,      kTopK,      kTopP,    kMinP,
                kRepeat,        kPresence, kFrequency, kTokenSeed, kSpeculate, kTimings, kHelp},
      .examples = {"chat -m qwen3-0.6b", "chat -m qwen3-0.6b --no-think --system 'Answer briefly.'",
                   "chat -m qwen3-0.6b -p 'What is a tile?'",
                   "chat -m out/models/minimind2-small < questions.txt"},
      .note =
          "Each input line is one message, or a command: /help, /system TEXT, /save FILE,\n"
          "/clear, /exit. Ctrl-C stops an answer. A message that does not fit into the\n"
          "context is rejected; the conversation stays unchanged. At a terminal, lines can\n"
          "be edited and come back with the arrow keys; they are kept in\n"
          "~/.local/state/tilewright/chat_history, or below $XDG_STATE_HOME.",
      .run = run_chat,
  };
  return kCommand;
}

}  // namespace tilewright::cli
