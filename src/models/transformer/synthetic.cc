#include "tilewright/models/transformer/synthetic.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/rng.h"
#include "tilewright/checkpoint/weights.h"
#include "tilewright/checkpoint/writer.h"
#include "tilewright/models/transformer/model_directory.h"
#include "tilewright/models/transformer/synthetic_text.h"

namespace tilewright::models::transformer {
namespace {

namespace fs = std::filesystem;
using checkpoint::ExpectedTensor;
using checkpoint::ModelConfig;

// How a tensor's values are drawn: uniform with this mean and standard deviation.
struct Spread {
  double mean = 0, deviation = 0;
  bool rows_differ = false;  // each row has a size of its own
};

// Sums over n inputs of size one have the size deviation * sqrt(n).
Spread spread_of(const ModelConfig& c, const std::string& name) {
  const auto over = [](double size, int64_t n) {
    return Spread{0, size / std::sqrt(static_cast<double>(n))};
  };
  const auto is = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (is("q_norm") || is("k_norm")) return {1.4, 0.2};  // scores of 2: attention picks few places
  if (is("norm")) return {1, 0.1};
  if (is("_proj.bias")) return {0, 0.5};
  if (is("mlp.gate.weight")) return over(2, c.hidden);  // some experts are much likelier
  if (is("q_proj") || is("k_proj")) return over(c.qk_norm() ? 1 : 1.4, c.hidden);
  if (is("v_proj") || is("gate_proj") || is("up_proj")) return over(1, c.hidden);
  if (is("o_proj")) return over(0.7, c.q_width());
  if (is("down_proj")) return over(1.2, c.intermediate);
  Spread rows = over(2, c.hidden);  // embedding and LM head
  rows.rows_differ = true;
  return rows;
}

// Draws are uniform, which is fast and as good as normal once they are summed up.
class Drawer {
 public:
  Drawer(uint64_t seed, const std::string& name) : rng_(seed_for(seed, name.c_str())) {}
  float next(double mean, double deviation) {
    constexpr double kUniformDeviation = 0.28867513459481287;  // of [0, 1): 1 / sqrt(12)
    if (half_) {
      half_ = false;
    } else {
      bits_ = rng_.next();
      half_ = true;
    }
    const auto word = static_cast<uint32_t>(bits_);
    bits_ >>= 32;
    const double centred = (static_cast<double>(word) + 0.5) * 0x1p-32 - 0.5;
    return static_cast<float>(mean + centred * (deviation / kUniformDeviation));
  }
  // Few rows are much larger than the others, so that one logit stands out.
  double row_size() { return std::exp(0.8 * rng_.normal()); }

 private:
  Rng rng_;
  uint64_t bits_ = 0;
  bool half_ = false;
};

void append(std::vector<std::byte>& out, DType type, float v) {
  const auto put = [&](auto bits) {
    const std::size_t at = out.size();
    out.resize(at + sizeof bits);
    std::memcpy(out.data() + at, &bits, sizeof bits);
  };
  if (type == DType::F32) {
    put(v);
  } else {
    put(type == DType::BF16 ? bf16_from_f32(v) : f16_from_f32(v));
  }
}

void write_text(const fs::path& directory, const char* name, const std::string& text) {
  const fs::path path = directory / name;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    user_error("model-file", fmt::format("cannot write {}", path.string()), "",
               "a model is written completely or not at all",
               "check the directory and its free disk space");
}

void write_weights(const SyntheticModel& model, const std::string& path,
                   const std::function<void(double)>& progress) {
  const auto tensors = checkpoint::expected_tensors(model.config, checkpoint::Naming::HuggingFace);
  std::vector<checkpoint::TensorToWrite> described;
  double total = 0, done = 0;
  for (const ExpectedTensor& t : tensors) {
    described.push_back({t.name, model.type, t.shape});
    total += static_cast<double>(element_count(t.shape));
  }
  checkpoint::SafetensorsWriter writer(path, described);
  std::vector<std::byte> row;
  for (const ExpectedTensor& t : tensors) {
    const Spread spread = spread_of(model.config, t.name);
    Drawer drawer(model.seed, t.name);
    const int64_t cols = t.shape.back(), rows = t.shape.size() > 1 ? t.shape[0] : 1;
    for (int64_t r = 0; r < rows; ++r) {
      const double deviation = spread.deviation * (spread.rows_differ ? drawer.row_size() : 1);
      row.clear();
      for (int64_t i = 0; i < cols; ++i)
        append(row, model.type, drawer.next(spread.mean, deviation));
      writer.write(row);
    }
    done += static_cast<double>(rows * cols);
    if (progress) progress(done / total);
  }
  writer.close();
}

}  // namespace

void write_synthetic(const SyntheticModel& model, const std::string& directory,
                     const std::function<void(double)>& progress) {
  const SyntheticText text = synthetic_text(model.config.vocab);
  ModelDirectory made(directory);
  write_weights(model, (made.path() / "model.safetensors").string(), progress);
  write_text(made.path(), "tokenizer.json", text.tokenizer);
  write_text(made.path(), "tokenizer_config.json", text.tokenizer_config);
  write_text(made.path(), "generation_config.json", text.generation_config);
  const std::string dtype = model.type == DType::F32   ? "float32"
                            : model.type == DType::F16 ? "float16"
                                                       : "bfloat16";
  write_text(made.path(), "config.json", config_to_json(model.config, dtype, text.stop_ids));
  made.commit();
}

}  // namespace tilewright::models::transformer
