#include "tilewright/models/transformer/model_directory.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"

namespace tilewright::models::transformer {
namespace fs = std::filesystem;
namespace {

constexpr const char* kConfig = "config.json";

std::vector<fs::path> missing_parents(const fs::path& path) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (fs::path p = path.parent_path(); !p.empty() && !fs::exists(p, ignored); p = p.parent_path())
    missing.insert(missing.begin(), p);
  return missing;
}

[[noreturn]] void refuse_directory(const fs::path& directory, const std::string& reason) {
  user_error("model-file", fmt::format("cannot make {}: {}", directory.string(), reason), "",
             "a model is written into a directory of its own", "choose another directory");
}

}  // namespace

ModelDirectory::ModelDirectory(const std::string& name) {
  std::error_code error;
  directory_ = fs::absolute(name, error).lexically_normal();
  if (directory_.filename().empty()) directory_ = directory_.parent_path();  // "model/"
  if (fs::exists(directory_ / kConfig, error))
    user_error("model-file", fmt::format("{} already holds a model", name), "",
               "a model is never overwritten", "choose another directory, or remove it first");
  existed_ = fs::exists(directory_, error);
  if (existed_ && !fs::is_directory(directory_, error)) refuse_directory(name, "it is a file");
  made_ = missing_parents(directory_);
  fs::create_directories(directory_.parent_path(), error);
  if (!error) {
    // Inside a directory that exists: nobody may be allowed to write beside it.
    temporary_.emplace(temporary_beside(existed_ ? directory_ / "model" : directory_));
    fs::create_directory(temporary_->path(), error);
  }
  if (!error) return;
  remove_parents();
  refuse_directory(name, error.message());
}

ModelDirectory::~ModelDirectory() {
  temporary_.reset();
  if (!committed_) remove_parents();
}

void ModelDirectory::commit() {
  std::error_code error;
  if (existed_) {
    move_files();
  } else {
    fs::rename(path(), directory_, error);
    if (error) refuse_directory(directory_, error.message());
    temporary_->keep();
  }
  committed_ = true;
}

// config.json comes last: a directory that has it is complete.
void ModelDirectory::move_files() {
  const auto move = [&](const fs::path& file) {
    std::error_code error;
    fs::rename(file, directory_ / file.filename(), error);
    if (error) refuse_directory(directory_, error.message());
  };
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path()))
    if (entry.path().filename() != kConfig) files.push_back(entry.path());
  for (const fs::path& file : files) move(file);
  move(path() / kConfig);
}

void ModelDirectory::remove_parents() {
  std::error_code ignored;  // a directory that somebody has used since then stays
  for (auto it = made_.rbegin(); it != made_.rend(); ++it) fs::remove(*it, ignored);
}

}  // namespace tilewright::models::transformer
