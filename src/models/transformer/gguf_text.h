// The text side of a Hugging Face directory as key-values of a GGUF file.
#pragma once

#include <cstdint>
#include <string>

#include "tilewright/checkpoint/gguf_writer.h"

namespace tilewright::models::transformer {

// Tokenizer, where to stop, chat template. Ids from the tokenizer's last to `vocab` get a
// placeholder, since readers count the rows of the embedding by tokens. Throws UserError when the
// keys of a GGUF file cannot express the tokenizer: what they say is read again and compared.
void set_text_keys(checkpoint::GgufKeys& keys, const std::string& directory, int64_t vocab);

}  // namespace tilewright::models::transformer
