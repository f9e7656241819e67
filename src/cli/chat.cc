// `chat`: a conversation in the model's own format. What the model has read stays in the cache: a
// turn reads only what is new.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "tilewright/base/diagnostic.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/runtime/generator.h"
#include "tilewright/tokens/stream.h"

namespace tilewright::cli {
namespace {

using tokens::Message;
using Ids = std::vector<int32_t>;

// Tokens that both begin with.
std::size_t common_prefix(const Ids& a, const Ids& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

class Chat {
 public:
  Chat(const Context& c, const models::transformer::ModelText& text, runtime::Engine& engine)
      : c_(c), text_(text), engine_(engine), slot_(engine.open_slot()) {
    request_.slot = slot_;
    request_.max_tokens =
        static_cast<int64_t>(c.args.number("--n-predict").value_or(uint64_t{1} << 30));
    request_.sampling = sampling_of(c, text.defaults.sampling);
    request_.stop_ids = text.defaults.stop_ids;
    clear();
    if (c.args.has("--no-think")) options_.thinking = false;
    if (c.args.has("--think")) options_.thinking = true;
  }

  // All that was said is forgotten.
  void clear() {
    messages_.clear();
    request_.sampling.drawn = 0;
    if (c_.args.has("--system-prompt"))
      messages_.push_back({"system", c_.args.text("--system-prompt")});
  }

  // False, told, and the conversation left as it was, when it would outgrow the context.
  bool answer(const std::string& said) {
    std::vector<Message> messages = messages_;
    messages.push_back({"user", said});
    const Ids all =
        text_.tokenizer->encode(text_.chat->render(messages, options_), {.surround = false});
    if (static_cast<int64_t>(all.size()) > engine_.context()) {
      tell_no_room(all.size());
      return false;
    }
    // At least the last token is read again: its logits are wanted.
    const std::size_t known = std::min(common_prefix(read_, all), all.size() - 1);
    engine_.truncate(slot_, static_cast<int64_t>(known));
    read_.resize(known);
    request_.held = read_;
    request_.prompt.assign(all.begin() + static_cast<std::ptrdiff_t>(known), all.end());
    tokens::TextStream stream(*text_.tokenizer, false);
    std::string text;
    const auto show = [&](const std::string& piece) {
      text += piece;
      c_.out << piece;
      require_written(c_.out);
    };
    request_.on_token = [&](int32_t id) { show(stream.push(id)); };
    const Interrupt interrupt;  // ends this answer, not the conversation
    const runtime::Answer a = generate(engine_, {request_}, &interrupt.flag()).front();
    request_.sampling.drawn += a.tokens.size();
    show(stream.finish());
    c_.out << "\n";
    messages.push_back({"assistant", text});
    messages_ = std::move(messages);
    read_ = all;
    read_.insert(read_.end(), a.tokens.begin(), a.tokens.end());
    read_.resize(static_cast<std::size_t>(engine_.length(slot_)));
    if (c_.args.has("--timings"))
      c_.err << fmt::format("{} new tokens read, {:.1f} t/s; {} made, {:.1f} t/s; ended at {}\n",
                            a.prompt_tokens, a.prompt_rate(), a.tokens.size(), a.rate(),
                            ended_text(a.ended));
    if (a.ended == runtime::Ended::AtContext)
      c_.err << fmt::format("the context of {} tokens is full, the answer ends here; {}\n",
                            engine_.context(), kWayOut);
    return true;
  }

 private:
  static constexpr const char* kWayOut = "/clear begins anew, and -c gives more room";

  void tell_no_room(std::size_t tokens) const {
    Diagnostics told;
    told.add({Severity::Error, "context",
              fmt::format("the conversation has {} tokens with this message, and the context {}",
                          tokens, engine_.context()),
              "in the message, which is not answered",
              "every answer is made from the whole conversation", kWayOut, ""});
    print_diagnostics(c_, c_.err, told);
  }

  const Context& c_;
  const models::transformer::ModelText& text_;
  runtime::Engine& engine_;
  int slot_;
  runtime::Request request_;
  tokens::ChatOptions options_;
  std::vector<Message> messages_;
  Ids read_;  // what the cache holds
};

void require_room_for_system_prompt(const Context& c, const models::transformer::ModelText& text,
                                    int64_t context) {
  const std::string prompt = c.args.text("--system-prompt", "");
  const auto tokens =
      static_cast<int64_t>(text.tokenizer->encode(prompt, {.surround = false}).size());
  if (tokens < context) return;
  user_error("context",
             fmt::format("the system prompt has {} tokens, and the context {}", tokens, context),
             "", "every answer is made from the whole conversation, which begins with it",
             "shorten it, or give more room with -c");
}

int run_chat(const Context& c) {
  const std::string path = c.model_path();
  if (c.args.has("--think") && c.args.has("--no-think"))
    user_error("command-line", "--think and --no-think together", "",
               "thinking is asked for, forbidden, or left to the model's template",
               "keep one of them");
  const auto model = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  if (!text.chat)
    user_error("chat-template", fmt::format("{} has no chat template", path), "",
               "a conversation is written in the format the model was trained on",
               "use generate, which needs none");
  sampling_of(c, text.defaults.sampling);  // mistakes are told before the model is loaded
  require_room_for_system_prompt(c, text, runtime::context_of(model.config, engine_options(c)));
  const auto engine = load_engine(c, model, engine_options(c));
  Chat chat(c, text, *engine);
  std::istream& in = c.terminal.input ? *c.terminal.input : std::cin;
  const bool asks = c.terminal.progress && !c.terminal.input && ::isatty(STDIN_FILENO);
  if (asks)
    c.err << "/exit or Ctrl-D ends the conversation, /clear begins anew, Ctrl-C ends an answer\n";
  int code = kFine;
  for (std::string line;;) {
    if (asks) c.err << "> " << std::flush;
    if (!std::getline(in, line) || line == "/exit") break;
    if (line.empty()) continue;
    if (line == "/clear") {
      chat.clear();
      continue;
    }
    if (!chat.answer(line)) code = kMistake;
  }
  if (asks) c.err << "\n";
  return asks ? kFine : code;  // who sits before it has read why
}

constexpr Flag kSystem{"", "--system-prompt", "TEXT", "what the model is told first"};
constexpr Flag kThink{"", "--think", "", "asks for thinking, where the template knows it"};
constexpr Flag kNoThink{"", "--no-think", "", "asks for none"};
constexpr Flag kAnswer{"-n", "--n-predict", "N", "tokens of an answer at most"};
constexpr Flag kTimings{"", "--timings", "", "after every answer, tokens and tokens per second"};

}  // namespace

const Command& chat_command() {
  static const Command kCommand{
      .name = "chat",
      .operand = "",
      .summary = "talks with a model in its own format",
      .flags = {kModel, kSystem, kThink, kNoThink, kAnswer, kContext, kEngineThreads, kTemp, kTopK,
                kTopP, kMinP, kRepeat, kPresence, kTokenSeed, kTimings, kHelp},
      .examples = {"chat -m qwen3-0.6b",
                   "chat -m qwen3-0.6b --no-think --system-prompt 'Answer briefly.'",
                   "chat -m out/models/minimind2-small < questions.txt"},
      .note = "A line is a message; /exit or the end of the input ends the conversation, /clear\n"
              "begins a new one, Ctrl-C ends an answer. A message that the context has no room\n"
              "for is not answered; it leaves the conversation as it was.",
      .run = run_chat};
  return kCommand;
}

}  // namespace tilewright::cli
