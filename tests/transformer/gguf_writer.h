// Models of a directory as GGUF files.
#pragma once

#include <functional>

#include "support.h"

namespace transformer_test {

// The element type of a matrix by its name in the file.
using TypeOf = std::function<DType(const std::string& name)>;

// Without a tokenizer. Of encoded types, only Q8_0 and Q4_0 hold the numbers of the model; others
// hold random ones.
void write_gguf(const Checkpoint& model, DType type, const fs::path& path);
void write_gguf(const Checkpoint& model, const TypeOf& type_of, const fs::path& path);

}  // namespace transformer_test
