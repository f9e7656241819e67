// What the commands that run a model share: flags, and loading with a progress line.
#pragma once

#include <memory>

#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/interrupt.h"
#include "tilewright/models/transformer/text.h"
#include "tilewright/runtime/engine.h"
#include "tilewright/tokens/sampler.h"

namespace tilewright::cli {

// The text of -p, or of the file given with -f.
std::string given_text(const Context& c);

// The model's own suggestions, changed by the flags.
tokens::SamplingOptions sampling_of(const Context& c, const tokens::SamplingOptions& suggested);

// Threads and context of the flags.
runtime::EngineOptions engine_options(const Context& c);
// Loads with a progress line on stderr.
std::unique_ptr<runtime::Engine> load_engine(const Context& c, const checkpoint::Checkpoint& model,
                                             runtime::EngineOptions options);

inline constexpr int kInterrupted = 130;  // as shells have it: 128 and the number of the signal

}  // namespace tilewright::cli
