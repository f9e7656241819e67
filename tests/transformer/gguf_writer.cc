#include "gguf_writer.h"

#include <cmath>
#include <fstream>

#include "../checkpoint/support.h"
#include "tilewright/base/encoding.h"
#include "tilewright/base/rng.h"
#include "tilewright/checkpoint/family.h"

namespace transformer_test {
namespace {

using checkpoint::TensorView;
using checkpoint_test::GgufBuilder;

// Blocks of 32 with a scale, as the format has them: numbers of 8 bits, or of 4 bits above -8, of
// which the first sixteen are the lower halves of bytes.
std::string quantised(const std::vector<float>& row, DType type) {
  const long most = type == DType::Q8_0 ? 127 : 7;
  std::string out;
  for (std::size_t at = 0; at < row.size(); at += 32) {
    float largest = 0;
    for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::fabs(row[at + i]));
    const uint16_t scale = f16_from_f32(largest / static_cast<float>(most));
    GgufBuilder::put(out, scale);
    const auto number = [&](std::size_t i) {
      const float q = largest > 0 ? row[at + i] / f32_from_f16(scale) : 0;
      return std::clamp(std::lround(q), -most, most);
    };
    if (type == DType::Q8_0)
      for (std::size_t i = 0; i < 32; ++i) out += static_cast<char>(number(i));
    else
      for (std::size_t i = 0; i < 16; ++i)
        out += static_cast<char>((number(i) + 8) | (number(i + 16) + 8) << 4);
  }
  return out;
}

// A row of its own: codes of the other types are not made from numbers here.
std::string random_blocks(std::size_t n, DType type, int64_t row) {
  Rng rng(static_cast<uint64_t>(row) + n);
  std::string out(static_cast<std::size_t>(bytes_of(type, static_cast<int64_t>(n))), '\0');
  for (char& byte : out) byte = static_cast<char>(rng.next() >> 20);
  const auto size = static_cast<std::size_t>(block_bytes(type));
  for (std::size_t at = 0; at < out.size(); at += size)
    set_block_scale(type, reinterpret_cast<std::byte*>(out.data()) + at,
                    1.5f / std::sqrt(static_cast<float>(n)));
  return out;
}

// Rows in the order that llama files keep q and k in: 0, D/2, 1, D/2 + 1, ...
std::string data_of(const TensorView& t, DType type, int64_t interleave) {
  std::string out;
  std::vector<float> row(static_cast<std::size_t>(t.cols()));
  for (int64_t r = 0; r < t.rows(); ++r) {
    int64_t from = r;
    if (interleave > 0) {
      const int64_t in_head = r % interleave;
      from = r - in_head + in_head / 2 + in_head % 2 * (interleave / 2);
    }
    read_row(t, from, row);
    if (is_encoded(type)) {
      out += type == DType::Q8_0 || type == DType::Q4_0 ? quantised(row, type)
                                                        : random_blocks(row.size(), type, r);
      continue;
    }
    for (const float v : row)
      if (type == DType::F16)
        GgufBuilder::put(out, f16_from_f32(v));
      else if (type == DType::BF16)
        GgufBuilder::put(out, bf16_from_f32(v));
      else
        GgufBuilder::put(out, v);
  }
  return out;
}

}  // namespace

void write_gguf(const Checkpoint& m, DType type, const fs::path& path) {
  write_gguf(
      m, [type](const std::string&) { return type; }, path);
}

void write_gguf(const Checkpoint& m, const TypeOf& type_of, const fs::path& path) {
  const ModelConfig& c = m.config;
  GgufBuilder b;
  checkpoint_test::add_model_keys(b, c);
  std::vector<const TensorView*> in_order;
  m.for_each_weight([&](const TensorView& t) { in_order.push_back(&t); });
  std::size_t next = 0;  // the same order as the names
  for (const auto& e : checkpoint::expected_tensors(c, checkpoint::Naming::Gguf)) {
    const TensorView& t = *in_order[next++];
    const bool rotated = e.name.ends_with("attn_q.weight") || e.name.ends_with("attn_k.weight");
    const int64_t interleave = rotated && checkpoint::family_row(c.family).gguf_interleaves ? c.head_dim : 0;
    const bool exact = e.shape.size() == 1 || e.name.ends_with("ffn_gate_inp.weight");
    const DType stored = exact ? DType::F32 : type_of(e.name);
    b.tensor(e.name, {e.shape.rbegin(), e.shape.rend()}, checkpoint::gguf_type_number(stored),
             data_of(t, stored, interleave));
  }
  std::ofstream(path, std::ios::binary) << b.file();
}

}  // namespace transformer_test
