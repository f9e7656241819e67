// model.safetensors.index.json: which file of a directory holds which tensor.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tilewright/checkpoint/tensor_view.h"

namespace tilewright::checkpoint {

struct ShardIndex {
  std::vector<std::string> files;                    // each once, in order of first mention
  std::unordered_map<std::string, std::size_t> map;  // tensor -> place in `files`
};

// Throws UserError. The index's total_size is not checked: writers disagree on what it counts.
ShardIndex read_shard_index(std::string_view text, const std::string& origin);
// A tensor found in `file` must be listed there.
void check_is_indexed(const ShardIndex& index, const std::string& tensor, const std::string& file,
                      const std::string& origin);
// After all files: every listed tensor was found.
void check_index_is_complete(const ShardIndex& index, const std::vector<TensorView>& tensors,
                             const std::string& origin);

}  // namespace tilewright::checkpoint
