// The safetensors container: an 8-byte little-endian header length, a JSON header of names, types,
// shapes and offsets, then the data.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tilewright/checkpoint/tensor_view.h"

namespace tilewright::checkpoint {

// The tensors in the order of the header; views into `file`. `origin` is the file's name in
// messages. Throws UserError.
std::vector<TensorView> read_safetensors(std::span<const std::byte> file,
                                         const std::string& origin);

}  // namespace tilewright::checkpoint
