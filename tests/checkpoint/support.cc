#include "support.h"

#include <fmt/format.h>

#include "tilewright/checkpoint/family.h"
#include "tilewright/checkpoint/weights.h"

namespace checkpoint_test {
namespace {

constexpr uint64_t kAlignment = 32;

void pad(std::string& out) { out.resize((out.size() + kAlignment - 1) / kAlignment * kAlignment); }

std::string floats(int64_t count) {
  std::string out;
  for (int64_t i = 0; i < count; ++i) GgufBuilder::put(out, static_cast<float>(i));
  return out;
}

int64_t count_of(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  return n;
}

}  // namespace

void GgufBuilder::string(std::string_view key, std::string_view v) {
  put_string(values_, key);
  put(values_, static_cast<uint32_t>(GgufType::String));
  put_string(values_, v);
  ++value_count_;
}

void GgufBuilder::strings(std::string_view key, const std::vector<std::string>& v) {
  put_string(values_, key);
  put(values_, static_cast<uint32_t>(GgufType::Array));
  put(values_, static_cast<uint32_t>(GgufType::String));
  put<uint64_t>(values_, v.size());
  for (const std::string& s : v) put_string(values_, s);
  ++value_count_;
}

void GgufBuilder::tensor(std::string_view name, const std::vector<uint64_t>& dims, uint32_t type,
                         const std::string& data) {
  tensors_.push_back({std::string(name), data, dims, type});
}

std::string GgufBuilder::file() const {
  std::string out = "GGUF";
  put(out, version);
  put(out, tensors_.size() + claimed_tensors);
  put(out, value_count_ + claimed_values);
  out += values_;
  std::string data;
  for (const Tensor& t : tensors_) {
    put_string(out, t.name);
    put(out, static_cast<uint32_t>(t.dims.size()));
    for (const uint64_t d : t.dims) put(out, d);
    put(out, t.type);
    pad(data);
    put(out, data.size() + (&t == &tensors_.back() ? offset_shift : 0));
    data += t.data;
  }
  pad(out);
  return out + data;
}

ModelConfig small_config(Family family, bool tied) {
  ModelConfig c;
  c.family = family;
  c.hidden = 8;
  c.layers = 1;
  c.heads = 2;
  c.kv_heads = 1;
  c.head_dim = 4;
  c.intermediate = 12;
  c.vocab = 10;
  c.max_positions = 64;
  c.rms_norm_eps = 1e-6;
  c.rope_theta = 1e4;
  c.tied = tied;
  if (family_row(family).experts) {
    c.experts = 3;
    c.experts_per_token = 2;
  }
  return c;
}

std::string small_safetensors(const ModelConfig& config) {
  std::string header = "{";
  std::size_t at = 0;
  for (const ExpectedTensor& t : expected_tensors(config, Naming::HuggingFace)) {
    const std::size_t end = at + static_cast<std::size_t>(count_of(t.shape)) * 4;
    std::string dims = std::to_string(t.shape[0]);
    if (t.shape.size() > 1) dims += "," + std::to_string(t.shape[1]);
    header += fmt::format("{}\"{}\":{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          at ? "," : "", t.name, dims, at, end);
    at = end;
  }
  return safetensors(header + "}", at);
}

void add_model_keys(GgufBuilder& b, const ModelConfig& c) {
  const std::string arch(family_row(c.family).gguf);
  b.string("general.architecture", arch);
  const auto key = [&](const char* name) { return arch + "." + name; };
  const auto number = [&](const char* name, int64_t v) {
    b.u32(key(name), static_cast<uint32_t>(v));
  };
  number("embedding_length", c.hidden);
  number("block_count", c.layers);
  number("attention.head_count", c.heads);
  number("attention.head_count_kv", c.kv_heads);
  number("attention.key_length", c.head_dim);
  number("feed_forward_length", c.intermediate);
  number("context_length", c.max_positions);
  if (c.has_experts()) {
    number("expert_count", c.experts);
    number("expert_used_count", c.experts_per_token);
    number("expert_feed_forward_length", c.intermediate);
  }
  b.f32(key("attention.layer_norm_rms_epsilon"), static_cast<float>(c.rms_norm_eps));
  b.f32(key("rope.freq_base"), static_cast<float>(c.rope_theta));
}

std::string small_gguf(const ModelConfig& c) {
  GgufBuilder b;
  add_model_keys(b, c);
  b.strings("tokenizer.ggml.tokens", {"a", "b"});
  for (const ExpectedTensor& t : expected_tensors(c, Naming::Gguf)) {
    std::vector<uint64_t> dims(t.shape.rbegin(), t.shape.rend());
    b.tensor(t.name, dims, 0, floats(count_of(t.shape)));
  }
  return b.file();
}

}  // namespace checkpoint_test
