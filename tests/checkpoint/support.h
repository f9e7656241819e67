// Small model files made on the spot, right or wrong in one place.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "../temporary_directory.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/checkpoint/config.h"
#include "tilewright/checkpoint/gguf.h"

namespace checkpoint_test {

using namespace tilewright;
using namespace tilewright::checkpoint;
namespace fs = std::filesystem;

// What a call throws, as text; "" when it does not.
inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const UserError& e) {
    return e.diagnostic().text();
  }
}

inline std::span<const std::byte> as_bytes(const std::string& s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

// A file of this header and so many bytes of data, which count up.
inline std::string safetensors(const std::string& header, std::size_t data_bytes) {
  const uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), 8);
  file += header;
  for (std::size_t i = 0; i < data_bytes; ++i) file += static_cast<char>(i);
  return file;
}

class GgufBuilder;
// The keys that make a GGUF file a model of this configuration.
void add_model_keys(GgufBuilder& b, const ModelConfig& c);

class GgufBuilder {
 public:
  template <class T>
  static void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static void put_string(std::string& out, std::string_view s) {
    put<uint64_t>(out, s.size());
    out += s;
  }

  void u32(std::string_view key, uint32_t v) { scalar(key, GgufType::U32, v); }
  void f32(std::string_view key, float v) { scalar(key, GgufType::F32, v); }
  void string(std::string_view key, std::string_view v);
  void strings(std::string_view key, const std::vector<std::string>& v);
  void i32s(std::string_view key, const std::vector<int32_t>& v) { numbers(key, GgufType::I32, v); }
  void f32s(std::string_view key, const std::vector<float>& v) { numbers(key, GgufType::F32, v); }
  // `dims` innermost first, as the format has them; the offset follows from the tensors before.
  void tensor(std::string_view name, const std::vector<uint64_t>& dims, uint32_t type,
              const std::string& data);
  std::string file() const;

  uint32_t version = 3;
  uint64_t claimed_values = 0, claimed_tensors = 0;  // added to the true counts
  uint64_t offset_shift = 0;                         // added to the offset of the last tensor

 private:
  struct Tensor {
    std::string name, data;
    std::vector<uint64_t> dims;
    uint32_t type;
  };
  template <class T>
  void scalar(std::string_view key, GgufType type, T v) {
    put_string(values_, key);
    put(values_, static_cast<uint32_t>(type));
    put(values_, v);
    ++value_count_;
  }

  template <class T>
  void numbers(std::string_view key, GgufType type, const std::vector<T>& v) {
    put_string(values_, key);
    put(values_, static_cast<uint32_t>(GgufType::Array));
    put(values_, static_cast<uint32_t>(type));
    put<uint64_t>(values_, v.size());
    for (const T& n : v) put(values_, n);
    ++value_count_;
  }

  std::string values_;
  uint64_t value_count_ = 0;
  std::vector<Tensor> tensors_;
};

// A one-layer model with every tensor, and its configuration.
ModelConfig small_config(Family family, bool tied);
std::string small_safetensors(const ModelConfig& config);
std::string small_gguf(const ModelConfig& config);

struct Directory : TemporaryDirectory {
  void write(const std::string& name, const std::string& contents) const {
    std::ofstream(path / name, std::ios::binary) << contents;
  }
};

}  // namespace checkpoint_test
