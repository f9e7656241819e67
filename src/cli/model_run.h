// What the commands that run a model share: flags, loading with a progress line, and the reason why
// a text ended.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/interrupt.h"
#include "tilewright/models/transformer/text.h"
#include "tilewright/runtime/engine.h"
#include "tilewright/runtime/request.h"
#include "tilewright/tokens/sampler.h"

namespace tilewright::cli {

// The text of -p, or of the file given with -f.
std::string given_text(const Context& c);

// The model's own suggestions, changed by the flags.
tokens::SamplingOptions sampling_of(const Context& c, const tokens::SamplingOptions& suggested);

// The tokens of -n: -1 is until a stop or the end of the context. Nothing when it is not given.
std::optional<int64_t> token_limit(const Context& c);
int64_t speculated_tokens(const Context& c);  // of --speculate

// Throws UserError for a model without a chat template.
const tokens::ChatTemplate& chat_template(const models::transformer::ModelText& text,
                                          const std::string& path);

// Threads and context of the flags.
runtime::EngineOptions engine_options(const Context& c);
// Loads with a progress line on stderr.
std::unique_ptr<runtime::Engine> load_engine(const Context& c, const checkpoint::Checkpoint& model,
                                             runtime::EngineOptions options);

// Why a text ended, for people: "stopped at the token limit".
std::string_view stop_reason(runtime::Ended ended);

// For an answer that shows nothing though tokens were made: "40 of 40 tokens have no text in this
// tokenizer". Empty when none was made.
std::string no_text_note(const runtime::Answer& answer);

inline constexpr int kInterrupted = 130;  // as in shells: 128 plus the number of the signal

}  // namespace tilewright::cli
