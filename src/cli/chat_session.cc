#include "tilewright/cli/chat_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/base/json_text.h"
#include "tilewright/cli/model_run.h"

namespace tilewright::cli {
namespace {

constexpr const char* kWayOut = "use /clear to start over, or a larger -c";

struct ChatCommand {
  std::string_view name, argument, help;
};
constexpr ChatCommand kCommands[] = {
    {"/help", "", "lists these commands"},
    {"/system", "TEXT",
     "starts a new conversation with this system prompt; without TEXT with none"},
    {"/save", "FILE", "writes the conversation as JSON, in the form of an API request"},
    {"/clear", "", "starts a new conversation"},
    {"/exit", "", "ends, as Ctrl-D does"},
};

std::string commands_text() {
  std::string text;
  for (const ChatCommand& command : kCommands)
    text += fmt::format("  {:<14} {}\n", fmt::format("{} {}", command.name, command.argument),
                        command.help);
  return text;
}

std::string command_names_text() {
  std::string text;
  for (const ChatCommand& command : kCommands)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", command.name);
  return text;
}

// Whether a line is meant as a command: a slash and a word. A path is a message.
bool is_command(std::string_view word) {
  return word.size() > 1 && word.front() == '/' &&
         std::ranges::all_of(word.substr(1), [](unsigned char c) { return std::isalpha(c); });
}

}  // namespace

ChatSession::ChatSession(const Context& c, const models::transformer::ModelText& text,
                         runtime::Engine& engine, runtime::ConversationOptions options)
    : c_(c), text_(text), engine_(engine), conversation_(text, engine, std::move(options)) {}

bool ChatSession::take(const std::string& line) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = std::string_view(line).substr(0, end);
  if (!is_command(word)) return answer(line);
  const std::size_t begin = std::min(line.find_first_not_of(" \t", end), line.size());
  std::string argument = line.substr(begin);
  while (!argument.empty() && (argument.back() == ' ' || argument.back() == '\t'))
    argument.pop_back();
  try {
    return obey(word, argument);
  } catch (const UserError& e) {
    Diagnostics told;
    told.add(e.diagnostic());
    print_diagnostics(c_, c_.err, told);
    return false;
  }
}

bool ChatSession::obey(std::string_view name, const std::string& argument) {
  const auto* command = std::ranges::find(kCommands, name, &ChatCommand::name);
  if (command == std::end(kCommands))
    user_error("chat-command", fmt::format("unknown command {}", name), "",
               fmt::format("the commands are {}", command_names_text()),
               "write a space before a message that begins with a slash");
  if (command->argument.empty() && !argument.empty())
    user_error("chat-command", fmt::format("{} takes no text", name), "",
               fmt::format("the commands are {}", command_names_text()),
               "write a space before a message that begins with a slash");
  if (name == "/help") c_.err << commands_text();
  if (name == "/system") set_system_prompt(argument);
  if (name == "/save") save(argument);
  if (name == "/clear") conversation_.clear();
  if (name == "/exit") over_ = true;
  return true;
}

void ChatSession::set_system_prompt(const std::string& prompt) {
  require_room_for_system_prompt(text_, prompt, engine_.context());
  conversation_.clear(prompt);
}

void ChatSession::save(const std::string& file) {
  if (file.empty())
    user_error("chat-command", "/save without a file", "", "a conversation is saved to a file",
               "write for example /save chat.json");
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  for (const tokens::Message& m : conversation_.messages())
    messages.push_back({{"role", m.role}, {"content", m.content}});
  AtomicFile(file).commit(json_text({{"messages", messages}}));
}

void ChatSession::tell_no_room(int64_t tokens) {
  Diagnostics told;
  told.add({Severity::Error, "context",
            fmt::format("the conversation needs {} tokens with this message, but the context "
                        "holds {}",
                        tokens, engine_.context()),
            "in this message, which is not answered",
            "the whole conversation must fit into the context", kWayOut, ""});
  print_diagnostics(c_, c_.err, told);
}

bool ChatSession::answer(const std::string& message) {
  bool silent = true;
  const auto show = [&](const std::string& piece) {
    silent = silent && piece.empty();
    c_.out << piece;
    require_written(c_.out);
  };
  const Interrupt interrupt;
  const auto turn = conversation_.say(message, show, &interrupt.flag());
  if (!turn.answer) {
    tell_no_room(turn.tokens);
    return false;
  }
  c_.out << "\n" << std::flush;
  const runtime::Answer& a = *turn.answer;
  if (silent) c_.err << no_text_note(a);
  if (c_.args.has("--timings"))
    c_.err << fmt::format("{} new prompt tokens, {:.1f} t/s; {} generated, {:.1f} t/s; {}; {}\n",
                          a.prompt_tokens - a.cached_tokens, a.prompt_rate(), a.tokens.size(),
                          a.rate(), stop_reason(a.ended), engine_.instructions().sums_text());
  if (a.ended == runtime::Ended::AtContext)
    c_.err << fmt::format("the context of {} tokens is full, the answer ends here; {}\n",
                          engine_.context(), kWayOut);
  return true;
}

void require_room_for_system_prompt(const models::transformer::ModelText& text,
                                    const std::string& prompt, int64_t context) {
  const auto tokens =
      static_cast<int64_t>(text.tokenizer->encode(prompt, {.surround = false}).size());
  if (tokens < context) return;
  user_error("context",
             fmt::format("the system prompt has {} tokens, but the context holds {}", tokens,
                         context),
             "", "the whole conversation, including the system prompt, must fit into the context",
             "shorten the system prompt, or use a larger -c");
}

}  // namespace tilewright::cli
