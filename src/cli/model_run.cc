#include "tilewright/cli/model_run.h"

#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/sums.h"

namespace tilewright::cli {
std::string given_text(const Context& c) {
  const std::string_view command = c.args.command->name;
  if (c.args.has("--prompt") == c.args.has("--file"))
    user_error("command-line", fmt::format("{} needs one text", command), "",
               "the input text comes from -p TEXT or -f FILE",
               fmt::format("write for example {} {} -m DIR -p Hello", c.terminal.command(), command));
  if (c.args.has("--prompt")) return c.args.text("--prompt");
  const std::string path = c.args.text("--file");
  FileText file = try_read_text(path == "-" ? "/dev/stdin" : path);
  if (!file.problem.empty())
    user_error("model-file", fmt::format("cannot read {}: {}", path, file.problem),
               fmt::format("in --file {}", path),
               "the input file must be readable", "check the path and its permissions");
  return std::move(file.text);
}

tokens::SamplingOptions sampling_of(const Context& c, const tokens::SamplingOptions& suggested) {
  tokens::SamplingOptions o = suggested;
  const auto real = [&](const char* flag, double& to) { to = c.args.real(flag).value_or(to); };
  real("--temp", o.temperature);
  real("--top-p", o.top_p);
  real("--min-p", o.min_p);
  real("--repeat-penalty", o.repetition_penalty);
  real("--presence-penalty", o.presence_penalty);
  real("--frequency-penalty", o.frequency_penalty);
  if (const auto k = c.args.number("--top-k")) o.top_k = static_cast<int64_t>(*k);
  if (const auto seed = c.args.number("--seed")) o.seed = *seed;
  tokens::check_sampling(o);
  return o;
}

namespace {

DType cache_type_named(const std::string& name) {
  for (const auto& [word, type] :
       {std::pair("f32", DType::F32), std::pair("f16", DType::F16), std::pair("bf16", DType::BF16)})
    if (name == word) return type;
  user_error("command-line", fmt::format("unknown type {} of a KV cache", quote(name)), "",
             "keys and values are held in f32, f16 or bf16", "omit --cache-type for the default");
}

}  // namespace
std::optional<int64_t> token_limit(const Context& c) {
  if (c.args.text("--n-predict") == "-1") return runtime::kUntilFull;
  const auto count = c.args.number("--n-predict");
  return count ? std::optional(static_cast<int64_t>(*count)) : std::nullopt;
}

int64_t speculated_tokens(const Context& c) {
  constexpr uint64_t kMost = 64;
  const uint64_t count = c.args.number("--speculate").value_or(0);
  if (count > kMost)
    refuse_value(fmt::format("--speculate {}", count), fmt::format("give at most {}", kMost));
  return static_cast<int64_t>(count);
}

const tokens::ChatTemplate& chat_template(const models::transformer::ModelText& text,
                                          const std::string& path) {
  if (!text.chat)
    user_error("chat-template", fmt::format("{} has no chat template", path), "",
               "a conversation needs the format that the model was trained on",
               "use generate without --system, which needs no chat template");
  return *text.chat;
}

runtime::EngineOptions engine_options(const Context& c) {
  runtime::EngineOptions o;
  o.instructions = chosen_instructions(c, cpu::InstructionSet::fastest());
  o.threads = c.args.threads();
  if (const auto context = c.args.number("--ctx-size")) {
    o.context = static_cast<int64_t>(*context);
    if (o.context == 0) refuse_value("a context of 0 tokens", "write for example -c 4096");
  }
  if (c.args.has("--cache-type")) o.cache = cache_type_named(c.args.text("--cache-type"));
  return o;
}

std::unique_ptr<runtime::Engine> load_engine(const Context& c, const checkpoint::Checkpoint& model,
                                             runtime::EngineOptions options) {
  Progress progress(c.err, c.terminal.progress);
  progress.begin("loading " + model.path);
  options.progress = [&](double share) { progress.update(share); };
  return std::make_unique<runtime::Engine>(model, options);
}

std::string_view stop_reason(runtime::Ended ended) {
  switch (ended) {
    case runtime::Ended::AtStop: return "stopped at the end token";
    case runtime::Ended::AtLength: return "stopped at the token limit";
    case runtime::Ended::AtContext: return "stopped at the end of the context";
    case runtime::Ended::Interrupted: return "stopped by Ctrl-C";
    case runtime::Ended::Failed: return "stopped by an error";
  }
  bug("why a text ended");
}

std::string no_text_note(const runtime::Answer& answer) {
  const auto made = static_cast<int64_t>(answer.tokens.size());
  if (made == 0) return "";
  return made == 1 ? "the only token has no text in this tokenizer\n"
                   : fmt::format("{0} of {0} tokens have no text in this tokenizer\n", made);
}

}  // namespace tilewright::cli
