#include "tilewright/checkpoint/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::checkpoint {
namespace {

namespace fs = std::filesystem;

void check_space(const std::string& path, uint64_t needed) {
  std::error_code unknown;  // a file system that does not tell is tried
  const fs::space_info space = fs::space(fs::absolute(path).parent_path(), unknown);
  if (unknown || space.available >= needed) return;
  user_error("disk-space",
             fmt::format("{} needs {}, but the disk has {} free", path,
                         human_bytes(static_cast<int64_t>(needed)),
                         human_bytes(static_cast<int64_t>(space.available))),
             "", "a model is written completely or not at all", "choose another directory");
}

}  // namespace

OutputFile::OutputFile(const std::string& path, uint64_t bytes) : path_(path), left_(bytes) {
  check_space(path, bytes);
  file_.reset(std::fopen(path.c_str(), "wb"));
  if (!file_) fail();
}

void OutputFile::write(std::span<const std::byte> bytes) {
  check(bytes.size() <= left_, "more data than the header describes");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
  left_ -= bytes.size();
}

void OutputFile::close() {
  check(left_ == 0, "less data than the header describes");
  if (std::fclose(file_.release()) != 0) fail();
}

void OutputFile::fail() const {
  user_error("model-file", fmt::format("cannot write {}: {}", path_, std::strerror(errno)), "",
             "a model is written completely or not at all",
             "check the directory and its free disk space");
}

}  // namespace tilewright::checkpoint
