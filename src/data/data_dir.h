// A run's data in a directory: in/NAME.bin, out/NAME.bin, expected/NAME.bin (dense row-major
// elements, little-endian) and manifest.json. Written by --save-data, read by --replay.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tilewright/base/array.h"

namespace tilewright::data {

struct TensorEntry {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  std::vector<std::string> files;  // "in", "out", "expected": where it has a file
};

struct Manifest {
  std::string program, shape, platform;
  uint64_t seed = 0;
  std::map<std::string, int64_t> keys;  // every key
  std::map<std::string, int64_t> set;   // those the user set
  std::map<std::string, double> scalars;
  std::vector<TensorEntry> tensors;
};

// The directory appears whole when `commit` is called: it is written beside its place and renamed.
// A non-empty directory that no run wrote is refused when constructed.
class DataWriter {
 public:
  explicit DataWriter(const std::string& directory);
  DataWriter(const DataWriter&) = delete;
  DataWriter& operator=(const DataWriter&) = delete;
  ~DataWriter();

  // `part` is "in", "out" or "expected".
  void write(const std::string& part, const std::string& name, const HostArray& array);
  // `manifest.tensors` is filled in from the writes.
  void commit(Manifest manifest);

 private:
  std::filesystem::path directory_, temporary_;
  std::vector<TensorEntry> tensors_;
  bool committed_ = false;
};

class DataReader {
 public:
  // UserError when there is no manifest of ours, or it does not make sense.
  explicit DataReader(const std::string& directory);

  const Manifest& manifest() const { return manifest_; }
  bool has(const std::string& part, const std::string& name) const;
  // UserError when the recording has no such file or another type or shape.
  HostArray read(const std::string& part, const std::string& name, DType dtype,
                 const Shape& shape) const;

 private:
  const TensorEntry* find(const std::string& name) const;

  std::filesystem::path directory_;
  Manifest manifest_;
};

}  // namespace tilewright::data
