#include "tilewright/checkpoint/gguf_writer.h"

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/checkpoint/config.h"
#include "tilewright/checkpoint/family.h"
#include "tilewright/checkpoint/layout.h"

namespace tilewright::checkpoint {
namespace {

constexpr uint32_t kGgufVersion = 3;

template <class T>
void append(std::string& out, T v) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}
void append_string(std::string& out, std::string_view s) {
  append<uint64_t>(out, s.size());
  out += s;
}
uint64_t padding(uint64_t size, uint64_t alignment) {
  return (alignment - size % alignment) % alignment;
}

}  // namespace

void GgufKeys::put_string(std::string& out, std::string_view s) { append_string(out, s); }

std::string GgufKeys::array_of(GgufType element, uint64_t count) {
  std::string bytes;
  put(bytes, static_cast<uint32_t>(GgufType::Array));
  put(bytes, static_cast<uint32_t>(element));
  put(bytes, count);
  return bytes;
}

void GgufKeys::set(std::string_view key, std::string bytes) {
  const auto at = std::ranges::find(entries_, key, &Entry::key);
  if (at == entries_.end()) {
    entries_.push_back({std::string(key), std::move(bytes)});
  } else {
    at->bytes = std::move(bytes);
  }
}

void GgufKeys::string(std::string_view key, std::string_view v) {
  std::string bytes;
  put(bytes, static_cast<uint32_t>(GgufType::String));
  put_string(bytes, v);
  set(key, std::move(bytes));
}

void GgufKeys::strings(std::string_view key, const std::vector<std::string>& v) {
  std::string bytes = array_of(GgufType::String, v.size());
  for (const std::string& s : v) put_string(bytes, s);
  set(key, std::move(bytes));
}

void GgufKeys::i32s(std::string_view key, const std::vector<int32_t>& v) {
  std::string bytes = array_of(GgufType::I32, v.size());
  for (const int32_t n : v) put(bytes, n);
  set(key, std::move(bytes));
}

void GgufKeys::f32s(std::string_view key, const std::vector<float>& v) {
  std::string bytes = array_of(GgufType::F32, v.size());
  for (const float n : v) put(bytes, n);
  set(key, std::move(bytes));
}

void GgufKeys::copy(std::string_view key, const GgufValue& v) {
  if (v.type == GgufType::String) return string(key, v.bytes);
  std::string bytes;
  if (v.type == GgufType::Array) {
    bytes = array_of(v.element, v.count);
  } else {
    put(bytes, static_cast<uint32_t>(v.type));
  }
  bytes += v.bytes;
  set(key, std::move(bytes));
}

std::string GgufKeys::encoded() const {
  std::string out;
  for (const Entry& e : entries_) {
    append_string(out, e.key);
    out += e.bytes;
  }
  return out;
}

namespace {

// Llama3 is a tensor of divisors in these files, and no key.
void set_rope_keys(GgufKeys& keys, const std::string& prefix, const RopeScaling& r) {
  const auto number = [&](const char* name, double v) {
    keys.f32(prefix + name, static_cast<float>(v));
  };
  if (r.type != RopeScaling::Type::Linear && r.type != RopeScaling::Type::Yarn) return;
  keys.string(prefix + "type", rope_scaling_name(r.type));
  number("factor", r.factor);
  if (r.type == RopeScaling::Type::Linear) return;
  keys.u32(prefix + "original_context_length", static_cast<uint32_t>(r.original_positions));
  number("yarn_beta_fast", r.beta_fast);
  number("yarn_beta_slow", r.beta_slow);
  if (r.attention_factor) number("attn_factor", *r.attention_factor / yarn_attention(r.factor));
}

}  // namespace

void set_model_keys(GgufKeys& keys, const ModelConfig& c) {
  const FamilyRow& row = family_row(c.family);
  const std::string family(row.gguf);
  keys.string("general.architecture", family);
  const auto size = [&](const char* name, int64_t v) {
    keys.u32(family + "." + name, static_cast<uint32_t>(v));
  };
  size("context_length", c.max_positions);
  size("embedding_length", c.hidden);
  size("block_count", c.layers);
  size("feed_forward_length", c.intermediate);
  size("attention.head_count", c.heads);
  size("attention.head_count_kv", c.kv_heads);
  size("attention.key_length", c.head_dim);
  size("attention.value_length", c.head_dim);
  size("rope.dimension_count", c.head_dim);
  size("vocab_size", c.vocab);
  if (row.experts) {
    size("expert_count", c.experts);
    size("expert_used_count", c.experts_per_token);
    size("expert_feed_forward_length", c.intermediate);
  }
  keys.f32(family + ".attention.layer_norm_rms_epsilon", static_cast<float>(c.rms_norm_eps));
  keys.f32(family + ".rope.freq_base", static_cast<float>(c.rope_theta));
  set_rope_keys(keys, family + ".rope.scaling.", c.rope);
}

int64_t source_row(int64_t row, int64_t d) {
  if (d == 0) return row;
  const int64_t in_head = row % d;
  return row - in_head + in_head / 2 + in_head % 2 * (d / 2);
}

GgufWriter::GgufWriter(const std::string& path, const GgufKeys& keys,
                       const std::vector<TensorToWrite>& tensors, uint64_t alignment)
    : alignment_(alignment) {
  std::string header = "GGUF";
  append(header, kGgufVersion);
  append<uint64_t>(header, tensors.size());
  append<uint64_t>(header, keys.count());
  header += keys.encoded();
  uint64_t data = 0;
  for (const TensorToWrite& t : tensors) {
    const auto bytes = tensor_byte_count(t.type, t.shape);
    check(bytes.has_value(), "a tensor whose rows are not whole blocks");
    append_string(header, t.name);
    append(header, static_cast<uint32_t>(t.shape.size()));
    for (auto d = t.shape.rbegin(); d != t.shape.rend(); ++d) append<uint64_t>(header, *d);
    append(header, gguf_type_number(t.type));
    append(header, data);
    sizes_.push_back(*bytes);
    data += *bytes + padding(*bytes, alignment_);
  }
  header.resize(header.size() + padding(header.size(), alignment_));
  file_bytes_ = header.size() + data;
  file_.emplace(path, file_bytes_);
  file_->write(header);
}

void GgufWriter::write(std::span<const std::byte> bytes) {
  check(tensor_ < sizes_.size() && in_tensor_ + bytes.size() <= sizes_[tensor_],
        "more data than a tensor has");
  file_->write(bytes);
  in_tensor_ += bytes.size();
  if (in_tensor_ < sizes_[tensor_]) return;
  file_->write(std::string(padding(sizes_[tensor_], alignment_), '\0'));
  ++tensor_;
  in_tensor_ = 0;
}

}  // namespace tilewright::checkpoint
