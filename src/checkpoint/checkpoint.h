// A model on disk: a Hugging Face directory or a GGUF file, mapped and checked whole before use.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/checkpoint/config.h"
#include "tilewright/checkpoint/mapped_file.h"
#include "tilewright/checkpoint/weights.h"

namespace tilewright::checkpoint {

struct Checkpoint {
  std::string path;
  Naming container = Naming::HuggingFace;
  ModelConfig config;
  Weights weights;                // views into `files`
  std::vector<MappedFile> files;  // those that hold weights

  // Every weight once, also when the LM head is tied.
  void for_each_weight(const std::function<void(const TensorView&)>& visit) const;
  int64_t parameter_count() const;
  int64_t weight_bytes() const;  // as stored
};

// `path` is a directory with config.json, or a file that ends in .gguf. Throws UserError.
Checkpoint open_checkpoint(const std::string& path);

}  // namespace tilewright::checkpoint
