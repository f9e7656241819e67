#include "tilewright/data/data_dir.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/files.h"
#include "tilewright/base/text.h"
#include "tilewright/data/manifest.h"
#include "tilewright/data/npy.h"

namespace tilewright::data {
namespace fs = std::filesystem;
namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kSuffix = ".npy";

bool is_recording(const fs::path& directory) {
  try {
    parse_manifest(read_text(directory / kManifest), (directory / kManifest).string());
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

DataWriter::DataWriter(const std::string& directory)
    : directory_(directory,
                 {.code = "save-data",
                  .cannot = "cannot save to",
                  .law = "--save-data overwrites only data that an earlier run saved",
                  .foreign = "it is not empty and holds no data saved by a run"},
                 is_recording) {}

fs::path DataWriter::file_of(const std::string& part, const std::string& name) const {
  std::error_code ignored;  // a failure shows when the file is written
  fs::create_directory(directory_.path() / part, ignored);
  return directory_.path() / part / (name + kSuffix);
}

void DataWriter::write(const std::string& part, const std::string& name, const HostArray& array) {
  write_npy(file_of(part, name), array);
}

void DataWriter::write_scalar(const std::string& name, DType dtype, double value) {
  write_npy_scalar(file_of("in", name), dtype, value);
}

void DataWriter::commit(const Manifest& manifest) {
  const std::string text = manifest_text(manifest);
  write_bytes(directory_.path() / kManifest, {std::as_bytes(std::span(text))});
  directory_.commit();
}

DataReader::DataReader(const std::string& directory) : directory_(directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error))
    user_error("data", fmt::format("there is no directory {}", quote(directory)), "",
               "values are read from a directory of .npy files", "check the path");
  const fs::path path = fs::path(directory) / kManifest;
  if (fs::exists(path, error)) manifest_ = parse_manifest(read_text(path), path.string());
}

bool DataReader::has(const std::string& part) const {
  std::error_code error;
  return fs::is_directory(directory_ / fs::path(part), error);
}

std::optional<fs::path> DataReader::find(const std::string& part, const std::string& name) const {
  std::error_code error;
  const fs::path file = name + kSuffix;
  if (const fs::path path = directory_ / (part / file); fs::exists(path, error)) return path;
  if (const fs::path path = directory_ / file; !manifest_ && fs::exists(path, error)) return path;
  return std::nullopt;
}

std::string DataReader::listing(const std::string& part) const {
  std::vector<std::string> names;
  for (const fs::path& place : {fs::path(directory_), directory_ / fs::path(part)}) {
    std::error_code error;
    for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == kSuffix)
        names.push_back(it->path().lexically_relative(directory_).string());
  }
  if (names.empty()) return "no .npy file";
  std::ranges::sort(names);
  constexpr std::size_t kMost = 12;
  const std::size_t more = names.size() - std::min(names.size(), kMost);
  names.resize(names.size() - more);
  return join(names, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

void read_parameter(const fs::path& file, const ir::Var& parameter, catalog::Arrays& arrays,
                    Diagnostics& diagnostics) {
  try {
    arrays.add(parameter.name, read_npy(file, parameter.dtype, parameter.shape));
  } catch (const ProgramError& e) {
    diagnostics.add(e.diagnostic());
  }
}

}  // namespace tilewright::data
