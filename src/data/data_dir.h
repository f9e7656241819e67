// The values of a program's parameters in a directory, one .npy file each: in/NAME.npy before the
// run, out/NAME.npy after it, expected/NAME.npy as computed by the formula. --save-data writes
// these files and a manifest.json. --replay and --expect read them; they also read directories of
// NAME.npy files from other sources.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "tilewright/base/atomic_directory.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/catalog/catalog.h"
#include "tilewright/ir/program.h"

namespace tilewright::data {

// Which run saved the data.
struct Manifest {
  std::string program, shape, platform;
  uint64_t seed = 0;
  std::map<std::string, int64_t> keys;  // every key
  std::map<std::string, int64_t> set;   // those the user set
};

// Writes a directory atomically: the files go to a temporary directory beside it, which `commit`
// renames. The constructor refuses a non-empty directory that is not an earlier recording.
class DataWriter {
 public:
  explicit DataWriter(const std::string& directory);
  DataWriter(const DataWriter&) = delete;
  DataWriter& operator=(const DataWriter&) = delete;

  // `part` is "in", "out" or "expected".
  void write(const std::string& part, const std::string& name, const HostArray& array);
  void write_scalar(const std::string& name, DType dtype, double value);
  void commit(const Manifest& manifest);

 private:
  std::filesystem::path file_of(const std::string& part, const std::string& name) const;

  AtomicDirectory directory_;
};

class DataReader {
 public:
  // UserError when the directory does not exist or its manifest is invalid.
  explicit DataReader(const std::string& directory);

  const std::string& directory() const { return directory_; }
  // Present when --save-data wrote the directory.
  const std::optional<Manifest>& manifest() const { return manifest_; }
  bool has(const std::string& part) const;
  // PART/NAME.npy; without a manifest also NAME.npy.
  std::optional<std::filesystem::path> find(const std::string& part, const std::string& name) const;
  // The .npy files that `find` looks at, or the first of them: "x.npy, in/y.npy".
  std::string listing(const std::string& part) const;

 private:
  std::string directory_;
  std::optional<Manifest> manifest_;
};

// Adds the file's values to `arrays`. If they do not fit the parameter, adds the reason to
// `diagnostics` instead.
void read_parameter(const std::filesystem::path& file, const ir::Var& parameter,
                    catalog::Arrays& arrays, Diagnostics& diagnostics);

}  // namespace tilewright::data
