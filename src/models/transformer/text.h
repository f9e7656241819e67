// The text side of a model, wherever its files keep it: tokenizer, chat template, where to stop.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tilewright/checkpoint/gguf.h"
#include "tilewright/tokens/chat.h"
#include "tilewright/tokens/generation.h"
#include "tilewright/tokens/tokenizer.h"

namespace tilewright::models::transformer {

struct ModelText {
  std::unique_ptr<const tokens::Tokenizer> tokenizer;
  std::optional<tokens::ChatTemplate> chat;
  tokens::GenerationDefaults defaults;
};

// `path` as for checkpoint::open_checkpoint; a directory needs no weights. Throws UserError.
ModelText load_text(const std::string& path);

// The tokenizer among the key-values of a GGUF file: merges as they stand there, or from scores.
tokens::TokenizerSpec tokenizer_of_gguf(const checkpoint::GgufFile& file,
                                        const std::string& origin);

}  // namespace tilewright::models::transformer
