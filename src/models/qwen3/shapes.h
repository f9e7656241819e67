// The sizes of the Qwen3 layers that the programs are built for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::models::qwen3 {

struct ModelShape {
  std::string name;
  int64_t hidden = 0;
  int64_t heads = 0;  // Q heads
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  int64_t intermediate = 0;
  int64_t vocab = 0;
  bool qk_norm = true;  // per-head RMSNorm of q and k before RoPE
  int64_t layers = 1;
  int64_t max_seq = 4096;  // cache rows per (batch row, KV head) unless a key says otherwise
  double rope_theta = 1e6;
  double eps = 1e-6;

  // Not `hidden`: 8192 beside 5120 in the 32B model.
  int64_t q_width() const { return heads * head_dim; }
  int64_t kv_width() const { return kv_heads * head_dim; }
};

const std::vector<ModelShape>& shapes();
// Throws UserError with the nearest name.
const ModelShape& find_shape(std::string_view name);
// Every name, `first` in front: the default of a program.
std::vector<std::string> shape_names(std::string_view first);

}  // namespace tilewright::models::qwen3
