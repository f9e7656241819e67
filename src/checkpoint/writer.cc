#include "tilewright/checkpoint/writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/layout.h"

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

SafetensorsWriter::SafetensorsWriter(const std::string& path,
                                     const std::vector<TensorToWrite>& tensors)
    : path_(path) {
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}";
  for (const TensorToWrite& t : tensors) {
    const auto bytes = tensor_byte_count(t.type, t.shape);
    check(bytes && block_elements(t.type) == 1, "a tensor that safetensors cannot hold");
    std::string extents;
    for (const int64_t d : t.shape) extents += fmt::format("{}{}", extents.empty() ? "" : ",", d);
    header += fmt::format(",\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          t.name, stored_type_name(t.type), extents, left_, left_ + *bytes);
    left_ += *bytes;
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');  // the data then lies aligned
  check_space(path, header.size() + left_);
  file_.reset(std::fopen(path.c_str(), "wb"));
  const uint64_t length = header.size();
  if (!file_ || std::fwrite(&length, sizeof length, 1, file_.get()) != 1 ||
      std::fwrite(header.data(), 1, header.size(), file_.get()) != header.size())
    fail();
}

void SafetensorsWriter::write(std::span<const std::byte> bytes) {
  check(bytes.size() <= left_, "more data than the header describes");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
  left_ -= bytes.size();
}

void SafetensorsWriter::close() {
  check(left_ == 0, "less data than the header describes");
  if (std::fclose(file_.release()) != 0) fail();
}

void SafetensorsWriter::fail() const {
  user_error("model-file", fmt::format("cannot write {}: {}", path_, std::strerror(errno)), "",
             "a model is written completely or not at all",
             "check the directory and its free disk space");
}

}  // namespace tilewright::checkpoint
