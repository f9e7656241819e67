// Models of a directory as GGUF files.
#pragma once

#include "support.h"

namespace transformer_test {

// Matrices stored as F32, F16 or Q8_0; without a tokenizer.
void write_gguf(const Checkpoint& model, StoredType type, const fs::path& path);

}  // namespace transformer_test
