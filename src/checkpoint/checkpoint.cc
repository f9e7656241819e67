#include "tilewright/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/family.h"
#include "tilewright/checkpoint/gguf.h"
#include "tilewright/checkpoint/gguf_split.h"
#include "tilewright/checkpoint/safetensors.h"
#include "tilewright/checkpoint/shard_index.h"

namespace tilewright::checkpoint {
namespace {

namespace fs = std::filesystem;

// The tensors of one file, or of all the files an index names.
std::vector<TensorView> read_shards(const std::string& directory, std::vector<MappedFile>& files) {
  const fs::path single = fs::path(directory) / "model.safetensors";
  const fs::path index = fs::path(directory) / "model.safetensors.index.json";
  if (fs::exists(single) || !fs::exists(index)) {
    files.emplace_back(single.string());
    return read_safetensors(files.back().bytes(), files.back().path());
  }
  const ShardIndex shards = read_shard_index(MappedFile(index.string()).text(), index.string());
  std::vector<TensorView> tensors;
  for (const std::string& name : shards.files) {
    files.emplace_back((fs::path(directory) / name).string());
    auto part = read_safetensors(files.back().bytes(), files.back().path());
    for (TensorView& t : part) {
      check_is_indexed(shards, t.name, name, index.string());
      tensors.push_back(std::move(t));
    }
  }
  check_index_is_complete(shards, tensors, index.string());
  return tensors;
}

// Why a directory without config.json is none of a model: what it holds instead.
[[noreturn]] void refuse_directory(const std::string& path) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> models;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (fs::exists(it->path() / "config.json", ignored) || it->path().extension() == ".gguf")
      models.push_back(it->path().filename().string());
  }
  std::ranges::sort(models);
  const std::string one = models.empty() ? "" : (fs::path(path) / models.front()).string();
  const std::size_t more = models.size() - std::min(models.size(), kShown);
  models.resize(models.size() - more);
  const bool tokenizer = fs::exists(fs::path(path) / "tokenizer.json", error);
  user_error("model-file",
             tokenizer        ? fmt::format("{} has a tokenizer, but no model", path)
             : models.empty() ? fmt::format("{} has no config.json", path)
                              : fmt::format("{} holds models, and is none: {}{}", path,
                                            join(models, ", "),
                                            more ? fmt::format(" and {} more", more) : ""),
             "", "a model is a directory with config.json and .safetensors files, or a .gguf file",
             tokenizer || models.empty() ? "check the path; tools/fetch_models downloads small models"
                                         : fmt::format("name one of them: -m {}", shell_word(one)));
}

Checkpoint open_directory(const std::string& path) {
  std::error_code ignored;
  const auto status = fs::status(fs::path(path) / "config.json", ignored);
  if (status.type() == fs::file_type::not_found) refuse_directory(path);
  Checkpoint c;
  c.path = path;
  const MappedFile config((fs::path(path) / "config.json").string());
  c.config = config_from_json(config.text(), config.path());
  c.config.name = path;
  auto tensors = read_shards(path, c.files);
  c.weights = bind_weights(c.config, Naming::HuggingFace, std::move(tensors), path);
  return c;
}

Checkpoint open_gguf(const std::string& path) {
  Checkpoint c;
  c.path = path;
  c.container = Naming::Gguf;
  c.files.emplace_back(path);
  GgufFile file = read_gguf(c.files[0].bytes(), path);
  read_other_parts(path, file, c.files);
  c.config = config_from_gguf(file, path);
  c.config.name = path;
  c.weights = bind_weights(c.config, Naming::Gguf, std::move(file.tensors), path);
  return c;
}

}  // namespace

void Checkpoint::for_each_weight(const std::function<void(const TensorView&)>& visit) const {
  visit(weights.embedding);
  for (const LayerWeights& l : weights.layers)
    for (const LayerTensor& t : layer_tensors())
      if (t.is_in(config)) visit(l.*t.member);
  visit(weights.final_norm);
  if (!config.tied) visit(weights.lm_head);
}

int64_t Checkpoint::parameter_count() const {
  int64_t n = 0;
  for_each_weight([&](const TensorView& t) { n += t.rows() * t.cols(); });
  return n;
}

int64_t Checkpoint::weight_bytes() const {
  int64_t n = 0;
  for_each_weight([&](const TensorView& t) { n += t.byte_size(); });
  return n;
}

Checkpoint open_checkpoint(const std::string& path) {
  std::error_code ignored;  // a path that cannot be looked at is not there
  if (fs::is_directory(path, ignored)) return open_directory(path);
  if (fs::is_regular_file(path, ignored) && path.ends_with(".gguf")) return open_gguf(path);
  user_error("model-file", fmt::format("{} is not a model", path), "",
             "a model is a directory with config.json and .safetensors files, or a .gguf file",
             "check the path; tools/fetch_models downloads small models");
}

}  // namespace tilewright::checkpoint
