// Two references, written apart: the whole model in double precision, and the layers' own, which
// round to BF16 where a layer stores. They must agree as far as that rounding allows.
#include <cmath>

#include "support.h"
#include "tilewright/catalog/catalog.h"
#include "tilewright/models/qwen3/reference.h"

namespace transformer_test {
namespace {

using catalog::Arrays;
using checkpoint::TensorView;
namespace layer_reference = models::qwen3::reference;

constexpr int64_t kPositions = 32;

// As tile programs want it: [in, out], or a row.
HostArray transposed(const TensorView& t) {
  HostArray out(DType::BF16, {t.cols(), t.rows()});
  std::vector<uint16_t> row(static_cast<std::size_t>(t.cols()));
  for (int64_t r = 0; r < t.rows(); ++r) {
    read_row_bf16(t, r, row);
    for (int64_t c = 0; c < t.cols(); ++c)
      out.as<uint16_t>()[static_cast<std::size_t>(c * t.rows() + r)] =
          row[static_cast<std::size_t>(c)];
  }
  return out;
}

HostArray as_stored(const TensorView& t) {
  HostArray out(DType::BF16, {t.rows(), t.cols()});
  for (int64_t r = 0; r < t.rows(); ++r)
    read_row_bf16(t, r,
                  out.as<uint16_t>().subspan(static_cast<std::size_t>(r * t.cols()),
                                             static_cast<std::size_t>(t.cols())));
  return out;
}

HostArray in_f32(const TensorView& t) {
  HostArray out(DType::F32, {1, t.cols()});
  read_row(t, 0, out.as<float>());
  return out;
}

// cos and sin of every position, each half of a row the same.
std::pair<HostArray, HostArray> rope_tables(const ModelConfig& s) {
  HostArray cos(DType::F32, {kPositions, s.head_dim}), sin(DType::F32, {kPositions, s.head_dim});
  for (int64_t p = 0; p < kPositions; ++p)
    for (int64_t i = 0; i < s.head_dim; ++i) {
      const auto pair = static_cast<double>(i % (s.head_dim / 2));
      const double angle = static_cast<double>(p) *
                           std::pow(s.rope_theta, -2 * pair / static_cast<double>(s.head_dim));
      cos.set(p * s.head_dim + i, std::cos(angle));
      sin.set(p * s.head_dim + i, std::sin(angle));
    }
  return {std::move(cos), std::move(sin)};
}

Arrays layer_arrays(const checkpoint::LayerWeights& w, const ModelConfig& s) {
  Arrays io;
  auto [cos, sin] = rope_tables(s);
  const Shape cache{s.kv_heads * kPositions, s.head_dim};
  io.add("hidden_states", HostArray(DType::F32, {1, s.hidden}));
  io.add("out", HostArray(DType::F32, {1, s.hidden}));
  io.add("seq_lens", HostArray(DType::I32, {1}));
  io.add("k_cache", HostArray(DType::BF16, cache));
  io.add("v_cache", HostArray(DType::BF16, cache));
  io.add("rope_cos", std::move(cos));
  io.add("rope_sin", std::move(sin));
  io.add("input_rms_weight", in_f32(w.input_norm));
  io.add("post_rms_weight", in_f32(w.post_norm));
  io.add("q_norm_weight", in_f32(w.q_norm));
  io.add("k_norm_weight", in_f32(w.k_norm));
  io.add("wq", transposed(w.q));
  io.add("wk", transposed(w.k));
  io.add("wv", transposed(w.v));
  io.add("wo", transposed(w.o));
  io.add("w_gate", transposed(w.gate));
  io.add("w_up", transposed(w.up));
  io.add("w_down", transposed(w.down));
  return io;
}

TEST(Layers, AddUpToTheWholeModel) {
  const TemporaryDirectory d;
  const ModelConfig& shape = models::qwen3::find_model("tiny");
  const Checkpoint c = made(d, {shape});
  const Reference whole(c);
  Reference::Sequence sequence;

  const layer_reference::DecodeCase run{shape, shape.qk_norm(), 1, kPositions};
  std::vector<Arrays> layers;
  for (const auto& w : c.weights.layers) layers.push_back(layer_arrays(w, shape));
  Arrays head;
  head.add("hidden_states", HostArray(DType::F32, {1, shape.hidden}));
  head.add("final_rms_weight", in_f32(c.weights.final_norm));
  head.add("w_lm", as_stored(c.weights.lm_head));
  head.add("logits", HostArray(DType::F32, {1, shape.vocab}));

  std::vector<float> embedded(static_cast<std::size_t>(shape.hidden));
  int same = 0;
  for (int64_t p = 0; p < kPositions; ++p) {
    const auto token = static_cast<int32_t>(p * 53 % shape.vocab);
    read_row(c.weights.embedding, token, embedded);
    std::vector<double> x(embedded.begin(), embedded.end());
    for (Arrays& io : layers) {
      for (int64_t i = 0; i < shape.hidden; ++i)
        io["hidden_states"].set(i, x[static_cast<std::size_t>(i)]);
      io["seq_lens"].set(0, static_cast<double>(p + 1));
      layer_reference::decode(run, io);
      for (int64_t i = 0; i < shape.hidden; ++i) x[static_cast<std::size_t>(i)] = io["out"].at(i);
    }
    for (int64_t i = 0; i < shape.hidden; ++i)
      head["hidden_states"].set(i, x[static_cast<std::size_t>(i)]);
    layer_reference::lm_head(run, head);

    const Vector expected = whole.step(sequence, token);
    double error = 0, size = 0;
    Vector found;
    for (int64_t v = 0; v < shape.vocab; ++v) {
      found.push_back(head["logits"].at(v));
      error += std::pow(found.back() - expected[static_cast<std::size_t>(v)], 2);
      size += std::pow(expected[static_cast<std::size_t>(v)], 2);
    }
    EXPECT_LT(std::sqrt(error / size), 2e-2)
        << p;  // BF16 keeps 8 bits, and errors add up over the layers
    same += best(found) == best(expected);
  }
  EXPECT_EQ(same, kPositions);
}

}  // namespace
}  // namespace transformer_test
