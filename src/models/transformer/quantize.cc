#include "tilewright/models/transformer/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "tilewright/base/all_cores.h"
#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/encode.h"
#include "tilewright/base/encoding.h"
#include "tilewright/base/files.h"
#include "tilewright/base/temporary_path.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/checkpoint/family.h"
#include "tilewright/checkpoint/gguf_writer.h"
#include "tilewright/models/transformer/gguf_text.h"
#include "tilewright/models/transformer/rope_angles.h"

namespace tilewright::models::transformer {
namespace {

namespace fs = std::filesystem;
using checkpoint::Checkpoint;
using checkpoint::GgufKeys;
using checkpoint::GgufWriter;
using checkpoint::Naming;
using checkpoint::TensorView;

constexpr int64_t kPiece = 1 << 16;  // elements that a thread takes at a time
constexpr int64_t kBatch = 1 << 22;  // elements that are written at a time: 16 MiB of FP32

struct Source {
  TensorView from;
  checkpoint::TensorToWrite to;
  std::string origin;       // the model, for messages
  int64_t interleaved = 0;  // head dimension, where the file wants rows in another order
};

// The tensors as they are to be named and ordered, with the types of the source. `divisors` are kept
// for those that are no tensor of the source.
std::vector<Source> sources_of(const Checkpoint& m, std::vector<float>& divisors) {
  std::vector<Source> out;
  if (m.container == Naming::Gguf) {
    for (TensorView& t : checkpoint::read_gguf(m.files[0].bytes(), m.path).tensors)
      out.push_back({t, {t.name, t.type, t.shape}, m.path});
    return out;
  }
  const auto add = [&](const TensorView& t, std::string name) {
    out.push_back({t, {std::move(name), t.type, t.shape}, m.path});
  };
  const bool interleaves = checkpoint::family_row(m.config.family).gguf_interleaves;
  const auto add_end = [&](const checkpoint::EndTensor& t) {
    add(m.weights.*t.member, tensor_name(t, Naming::Gguf));
  };
  add_end(checkpoint::embedding_tensor());
  for (int64_t i = 0; i < m.config.layers; ++i)
    for (const checkpoint::LayerTensor& t : checkpoint::layer_tensors()) {
      if (!t.is_in(m.config)) continue;
      add(m.weights.layers[static_cast<std::size_t>(i)].*t.member, tensor_name(t, i, Naming::Gguf));
      out.back().to.shape = stored_shape(t, m.config, Naming::Gguf);
      const bool rotated = t.role == "wq" || t.role == "wk";
      if (rotated && interleaves) out.back().interleaved = m.config.head_dim;
    }
  add_end(checkpoint::final_norm_tensor());
  if (!m.config.tied) add_end(checkpoint::lm_head_tensor());
  if (m.config.rope.type == checkpoint::RopeScaling::Type::Llama3) {
    divisors = rope_divisors(m.config);
    const std::string name(checkpoint::kRopeDivisors);
    add({name, DType::F32, {static_cast<int64_t>(divisors.size())}, std::as_bytes(std::span(divisors))},
        name);
  }
  return out;
}

// What a GGUF file has no key for.
void require_expressible(const Checkpoint& m) {
  if (m.container == Naming::Gguf || !m.config.has_experts() || m.config.renormalises) return;
  user_error("config", "norm_topk_prob is false, which a GGUF file cannot state",
             fmt::format("at {}", (fs::path(m.path) / "config.json").string()),
             "readers of GGUF files make the weights of the chosen experts add up to one",
             "run the model from its directory");
}

GgufKeys keys_of(const Checkpoint& m, const QuantizeType& to, uint64_t& alignment) {
  GgufKeys keys;
  if (m.container == Naming::Gguf) {
    const checkpoint::GgufFile file = checkpoint::read_gguf(m.files[0].bytes(), m.path);
    for (const auto& [key, value] : file.values) keys.copy(key, value);
    if (const auto* v = file.find("general.alignment"))
      alignment = static_cast<uint64_t>(v->integer().value_or(32));
  } else {
    set_model_keys(keys, m.config);
    const fs::path path = fs::path(m.path).lexically_normal();
    keys.string("general.name",
                (path.has_filename() ? path : path.parent_path()).filename().string());
    set_text_keys(keys, m.path, m.config.vocab);
  }
  keys.u32("general.quantization_version", 2);  // of the layouts that base/encoding.h reads
  keys.u32("general.file_type", to.file_type);
  return keys;
}

[[noreturn]] void refuse_value(const Source& s, DType type, int64_t row, std::size_t col, float v) {
  const bool number = std::isfinite(v);
  user_error("tensor-value",
             fmt::format("tensor {} holds {} at [{}, {}], which {} cannot hold", s.from.name, v,
                         row, col, checkpoint::stored_type_name(type)),
             fmt::format("at {}, tensor {}", s.origin, s.from.name),
             number ? "scales and F16 values are at most 65504" : "weights are finite numbers",
             number ? "use --type BF16 or F32"
                    : "download the model again; its weights are damaged");
}

// One row of the source as the file has it. Returns squared error and size.
struct Squares {
  double error = 0, size = 0;
  void add(const Squares& o) {
    error += o.error;
    size += o.size;
  }
};

class Rows {
 public:
  Rows(const Source& s)
      : source_(s),
        type_(s.to.type),
        bytes_(static_cast<std::size_t>(bytes_of(type_, s.from.cols()))) {}

  std::size_t bytes() const { return bytes_; }

  Squares convert(int64_t row, std::byte* out) const {
    const int64_t from = checkpoint::source_row(row, source_.interleaved);
    thread_local std::vector<float> x, y;
    x.resize(static_cast<std::size_t>(source_.from.cols()));
    y.resize(x.size());
    read_row(source_.from, from, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i])) refuse_value(source_, type_, from, i, x[i]);
    Squares s;
    for (const float v : x) s.size += static_cast<double>(v) * v;
    if (type_ == source_.from.type) {
      std::memcpy(out, source_.from.row_bytes(from).data(), bytes_);
      return s;
    }
    if (is_encoded(type_)) {
      if (const auto bad = encode_values(type_, x, out))
        refuse_value(source_, type_, from, *bad, x[*bad]);
      decode_values(type_, out, y);
    } else {
      store(x, y, from, out);
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      s.error += std::pow(static_cast<double>(x[i]) - y[i], 2);
    return s;
  }

 private:
  void store(const std::vector<float>& x, std::vector<float>& y, int64_t row,
             std::byte* out) const {
    const auto width = static_cast<std::size_t>(block_bytes(type_));
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = round_to(type_, x[i]);
      if (!std::isfinite(y[i])) refuse_value(source_, type_, row, i, x[i]);
      const uint16_t half = type_ == DType::F16 ? f16_from_f32(x[i]) : bf16_from_f32(x[i]);
      std::memcpy(out + i * width, type_ == DType::F32 ? static_cast<const void*>(&x[i]) : &half,
                  width);
    }
  }

  const Source& source_;
  DType type_;
  std::size_t bytes_;
};

// In batches of rows; pieces of a batch are converted on all threads and added up in order.
Squares write_tensor(GgufWriter& writer, const Source& s, int threads,
                     const std::function<void(int64_t)>& done) {
  const Rows rows(s);
  const int64_t all = s.from.rows(), cols = s.from.cols();
  const int64_t per_piece = std::max<int64_t>(1, kPiece / cols);
  const int64_t per_batch = std::max(per_piece, kBatch / cols / per_piece * per_piece);
  std::vector<std::byte> batch;
  Squares total;
  for (int64_t first = 0; first < all; first += per_batch) {
    const int64_t count = std::min(per_batch, all - first);
    batch.resize(static_cast<std::size_t>(count) * rows.bytes());
    std::vector<Squares> sums(static_cast<std::size_t>((count + per_piece - 1) / per_piece));
    for_each_index(
        sums.size(),
        [&](std::size_t piece) {
          const int64_t begin = static_cast<int64_t>(piece) * per_piece;
          for (int64_t r = begin; r < std::min(begin + per_piece, count); ++r)
            sums[piece].add(
                rows.convert(first + r, batch.data() + static_cast<std::size_t>(r) * rows.bytes()));
        },
        threads > 0 ? static_cast<std::size_t>(threads) : std::thread::hardware_concurrency());
    for (const Squares& q : sums) total.add(q);
    writer.write(batch);
    done(count * cols);
  }
  checkpoint::release_pages(s.from);
  return total;
}

double relative(const Squares& s) { return s.size > 0 ? std::sqrt(s.error / s.size) : 0; }

// The destination: not the source, and a file that this process may replace.
fs::path destination(const std::string& path, const Checkpoint& source) {
  if (!path.ends_with(".gguf"))
    user_error("model-file", fmt::format("{} does not end in .gguf", path), "",
               "a GGUF model is recognised by the end of its name", "choose a name with .gguf");
  std::error_code error;
  for (const checkpoint::MappedFile& f : source.files)
    if (fs::equivalent(f.path(), path, error))
      user_error("model-file", fmt::format("{} is the model that is read", path), "",
                 "the source is never overwritten", "choose another file with -o");
  const AtomicFile writable(path);
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    user_error("model-file", fmt::format("{} is not a regular file", path), "",
               "a model is written beside its destination and renamed", "choose another file");
  return fs::weakly_canonical(path, error);
}

}  // namespace

Quantized quantize(const std::string& source, const std::string& path, const QuantizeType& to,
                   int threads, const std::function<void(double)>& progress) {
  const Checkpoint model = checkpoint::open_checkpoint(source);
  const fs::path final_path = destination(path, model);
  Quantized out;
  out.source_bytes = model.weight_bytes();
  require_expressible(model);
  std::vector<float> divisors;
  std::vector<Source> sources = sources_of(model, divisors);
  std::vector<checkpoint::TensorToWrite> tensors;
  int64_t total = 0, done = 0;
  for (Source& s : sources) {
    const DType wanted = s.to.shape.size() < 2
                             ? DType::F32
                             : matrix_type(to, s.to.name, model.config.layers, model.config.tied);
    s.to.type = type_for_rows(wanted, s.from.cols());
    out.fallbacks += s.to.type != wanted;
    total += s.from.rows() * s.from.cols();
    tensors.push_back(s.to);
  }
  uint64_t alignment = 32;
  const GgufKeys keys = keys_of(model, to, alignment);
  TemporaryPath temporary(temporary_beside(final_path));
  GgufWriter writer(temporary.path().string(), keys, tensors, alignment);
  std::map<DType, Squares> squares;
  std::map<DType, QuantizedTensors> types;
  for (const Source& s : sources) {
    squares[s.to.type].add(write_tensor(writer, s, threads, [&](int64_t elements) {
      done += elements;
      if (progress) progress(static_cast<double>(done) / static_cast<double>(total));
    }));
    QuantizedTensors& t = types[s.to.type];
    t.type = s.to.type;
    t.tensors += 1;
    t.bytes += bytes_of(s.to.type, s.from.cols()) * s.from.rows();
  }
  writer.close();
  std::error_code error;
  fs::rename(temporary.path(), final_path, error);
  if (error)
    user_error("model-file", fmt::format("cannot write {}: {}", path, error.message()), "",
               "a model is written completely or not at all", "check the directory");
  temporary.keep();
  Squares all;
  for (auto& [type, t] : types) {
    t.error = relative(squares[type]);
    all.add(squares[type]);
    out.types.push_back(t);
  }
  std::ranges::stable_sort(out.types, std::greater{}, &QuantizedTensors::bytes);
  out.error = relative(all);
  out.file_bytes = static_cast<int64_t>(writer.file_bytes());
  return out;
}

}  // namespace tilewright::models::transformer
