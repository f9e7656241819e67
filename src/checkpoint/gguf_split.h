// GGUF models in several files, NAME-00001-of-00003.gguf and so on. The first file has the
// key-values of the model; the others only say which part they are.
#pragma once

#include <string>
#include <vector>

#include "tilewright/checkpoint/gguf.h"
#include "tilewright/checkpoint/mapped_file.h"

namespace tilewright::checkpoint {

// Adds the tensors of the other files to those of `first`, which was read from `path`; the files
// stay mapped in `files`. Nothing to do for a model in one file. Throws UserError.
void read_other_parts(const std::string& path, GgufFile& first, std::vector<MappedFile>& files);

}  // namespace tilewright::checkpoint
