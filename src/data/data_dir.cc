#include "tilewright/data/data_dir.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/base/files.h"
#include "tilewright/data/manifest.h"

namespace tilewright::data {
namespace fs = std::filesystem;
namespace {

constexpr const char* kManifest = "manifest.json";

[[noreturn]] void refuse(const fs::path& directory, const std::string& reason,
                         const std::string& help) {
  user_error("save-data", fmt::format("cannot save to \"{}\": {}", directory.string(), reason), "",
             "saved data replaces only data that was saved before", help);
}

// Empty directories and earlier recordings may be replaced, nothing else.
void require_replaceable(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) refuse(directory, "it is a file", "name a directory");
  if (fs::is_empty(directory, error) && !error) return;
  if (error) refuse(directory, error.message(), "name another directory");
  try {
    parse_manifest(read_text(directory / kManifest), (directory / kManifest).string());
  } catch (const UserError&) {
    refuse(directory, "it is not empty and holds no data saved by a run",
           "name a new directory, or empty this one yourself");
  }
}

std::string type_text(DType dtype, const Shape& shape) {
  return fmt::format("{} {}", shape_text(shape), dtype_name(dtype));
}

}  // namespace

DataWriter::DataWriter(const std::string& directory) {
  std::error_code error;
  directory_ = fs::weakly_canonical(directory, error);
  if (directory.empty() || error) refuse(directory, "not a usable name", "name a new directory");
  if (directory_.filename().empty()) directory_ = directory_.parent_path();  // "data/"
  require_replaceable(directory_);
  const fs::path temporary = temporary_beside(directory_);
  if (!fs::create_directory(temporary, error))
    refuse(directory, error.message(), "check that its parent exists and can be written");
  temporary_ = temporary;
}

DataWriter::~DataWriter() {
  std::error_code ignored;
  if (!committed_ && !temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void DataWriter::write(const std::string& part, const std::string& name, const HostArray& array) {
  std::error_code error;
  fs::create_directory(temporary_ / part, error);
  write_bytes(temporary_ / part / (name + ".bin"),
              {array.data(), static_cast<std::size_t>(array.byte_size())});
  auto it = std::ranges::find(tensors_, name, &TensorEntry::name);
  if (it == tensors_.end()) it = tensors_.insert(it, {name, array.dtype(), array.shape(), {}});
  it->files.push_back(part);
}

void DataWriter::commit(Manifest manifest) {
  manifest.tensors = tensors_;
  const std::string text = manifest_text(manifest);
  write_bytes(temporary_ / kManifest, std::as_bytes(std::span(text)));
  require_replaceable(directory_);  // the run took a while
  std::error_code error;
  fs::path old;
  if (fs::exists(directory_, error)) {
    old = temporary_beside(directory_);
    fs::rename(directory_, old, error);
  }
  if (!error) fs::rename(temporary_, directory_, error);
  if (error) {
    std::error_code ignored;
    if (!old.empty()) fs::rename(old, directory_, ignored);
    refuse(directory_, error.message(), "check that its parent can be written");
  }
  committed_ = true;
  if (!old.empty()) fs::remove_all(old, error);
}

DataReader::DataReader(const std::string& directory) : directory_(directory) {
  const fs::path path = directory_ / kManifest;
  std::error_code error;
  if (!fs::exists(path, error))
    user_error("replay", fmt::format("no saved data in \"{}\"", directory), "",
               "--replay reads a directory that --save-data wrote, with its manifest.json",
               "check the path");
  manifest_ = parse_manifest(read_text(path), path.string());
}

const TensorEntry* DataReader::find(const std::string& name) const {
  const auto it = std::ranges::find(manifest_.tensors, name, &TensorEntry::name);
  return it == manifest_.tensors.end() ? nullptr : &*it;
}

bool DataReader::has(const std::string& part, const std::string& name) const {
  const TensorEntry* t = find(name);
  return t && std::ranges::find(t->files, part) != t->files.end();
}

HostArray DataReader::read(const std::string& part, const std::string& name, DType dtype,
                           const Shape& shape) const {
  const auto refuse_tensor = [&](const std::string& what) {
    user_error("replay", fmt::format("tensor {}: {}", name, what),
               fmt::format("in {}", directory_.string()),
               "replayed data has the names, shapes and types of the program it is used with",
               "replay with the shape and keys of the recording, or save it again");
  };
  const TensorEntry* t = find(name);
  if (!has(part, name)) refuse_tensor(fmt::format("the recording has no {}/{}.bin", part, name));
  if (t->dtype != dtype || t->shape != shape)
    refuse_tensor(fmt::format("recorded as {}, the program has {}", type_text(t->dtype, t->shape),
                              type_text(dtype, shape)));
  HostArray array(dtype, shape);
  read_bytes(directory_ / part / (name + ".bin"),
             {array.data(), static_cast<std::size_t>(array.byte_size())});
  return array;
}

}  // namespace tilewright::data
