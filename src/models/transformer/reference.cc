#include "tilewright/models/transformer/reference.h"

#include <algorithm>
#include <cmath>

#include "tilewright/base/check.h"

namespace tilewright::models::transformer {
namespace {

double dot(const double* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void add_to(Vector& x, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

}  // namespace

Reference::Matrix Reference::matrix_of(const checkpoint::TensorView& t) {
  Matrix m{t.rows(), t.cols(), std::vector<float>(static_cast<std::size_t>(t.rows() * t.cols()))};
  for (int64_t r = 0; r < m.rows; ++r)
    read_row(t, r, {m.v.data() + r * m.cols, static_cast<std::size_t>(m.cols)});
  return m;
}

Vector Reference::vector_of(const checkpoint::TensorView& t) {
  if (t.name.empty()) return {};
  std::vector<float> row(static_cast<std::size_t>(t.cols()));
  read_row(t, 0, row);
  return {row.begin(), row.end()};
}

Reference::Reference(const checkpoint::Checkpoint& checkpoint)
    : config_(checkpoint.config),
      embedding_(matrix_of(checkpoint.weights.embedding)),
      lm_head_(config_.tied ? Matrix() : matrix_of(checkpoint.weights.lm_head)),
      final_norm_(vector_of(checkpoint.weights.final_norm)) {
  for (const checkpoint::LayerWeights& w : checkpoint.weights.layers)
    layers_.push_back({vector_of(w.input_norm), vector_of(w.post_norm), vector_of(w.q_norm),
                       vector_of(w.k_norm), matrix_of(w.q), matrix_of(w.k), matrix_of(w.v),
                       matrix_of(w.o), matrix_of(w.gate), matrix_of(w.up), matrix_of(w.down)});
}

Vector Reference::times(const Matrix& w, const Vector& x) {
  Vector y(static_cast<std::size_t>(w.rows));
  for (int64_t r = 0; r < w.rows; ++r) {
    const float* row = w.v.data() + r * w.cols;
    double sum = 0;
    for (int64_t c = 0; c < w.cols; ++c)
      sum += static_cast<double>(row[c]) * x[static_cast<std::size_t>(c)];
    y[static_cast<std::size_t>(r)] = sum;
  }
  return y;
}

// x / sqrt(mean(x^2) + eps) * weight
Vector Reference::normed(std::span<const double> x, const Vector& weight) const {
  const double mean =
      dot(x.data(), x.data(), static_cast<int64_t>(x.size())) / static_cast<double>(x.size());
  const double scale = 1 / std::sqrt(mean + config_.rms_norm_eps);
  Vector y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * scale * weight[i];
  return y;
}

void Reference::normalise_heads(Vector& rows, const Vector& weight) const {
  const auto d = static_cast<std::size_t>(config_.head_dim);
  for (std::size_t at = 0; at < rows.size(); at += d)
    std::ranges::copy(normed({rows.data() + at, d}, weight),
                      rows.begin() + static_cast<std::ptrdiff_t>(at));
}

// Pairs (i, i + D/2) turn by position * theta^(-2i/D).
void Reference::rotate_heads(Vector& rows, int64_t position) const {
  const int64_t d = config_.head_dim, half = d / 2;
  for (double* head = rows.data(); head != rows.data() + rows.size(); head += d)
    for (int64_t i = 0; i < half; ++i) {
      const double frequency =
          std::pow(config_.rope_theta, -2.0 * static_cast<double>(i) / static_cast<double>(d));
      const double angle = static_cast<double>(position) * frequency;
      const double a = head[i], b = head[i + half];
      head[i] = a * std::cos(angle) - b * std::sin(angle);
      head[i + half] = b * std::cos(angle) + a * std::sin(angle);
    }
}

Vector Reference::attention(const Layer& layer, Sequence& sequence, std::size_t index,
                            const Vector& x) const {
  const int64_t d = config_.head_dim, group = config_.heads / config_.kv_heads;
  std::vector<Vector>& keys = sequence.keys[index];
  std::vector<Vector>& values = sequence.values[index];
  const auto position = static_cast<int64_t>(keys.size());
  Vector q = times(layer.q, x), k = times(layer.k, x);
  if (config_.qk_norm()) {
    normalise_heads(q, layer.q_norm);
    normalise_heads(k, layer.k_norm);
  }
  rotate_heads(q, position);
  rotate_heads(k, position);
  keys.push_back(std::move(k));
  values.push_back(times(layer.v, x));

  Vector out(q.size(), 0.0);
  Vector weights(keys.size());
  for (int64_t h = 0; h < config_.heads; ++h) {
    const int64_t kv = h / group * d;
    for (std::size_t t = 0; t < keys.size(); ++t)
      weights[t] =
          dot(q.data() + h * d, keys[t].data() + kv, d) / std::sqrt(static_cast<double>(d));
    const double largest = *std::ranges::max_element(weights);
    double total = 0;
    for (double& w : weights) total += w = std::exp(w - largest);
    for (std::size_t t = 0; t < keys.size(); ++t)
      for (int64_t i = 0; i < d; ++i)
        out[static_cast<std::size_t>(h * d + i)] +=
            weights[t] / total * values[t][static_cast<std::size_t>(kv + i)];
  }
  return times(layer.o, out);
}

Vector Reference::mlp(const Layer& layer, const Vector& x) const {
  Vector gate = times(layer.gate, x);
  const Vector up = times(layer.up, x);
  for (std::size_t i = 0; i < gate.size(); ++i)
    gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
  return times(layer.down, gate);
}

Vector Reference::step(Sequence& sequence, int32_t token) const {
  check(token >= 0 && token < config_.vocab, "a token outside the vocabulary");
  sequence.keys.resize(layers_.size());
  sequence.values.resize(layers_.size());
  const auto h = static_cast<std::size_t>(config_.hidden);
  const float* row = embedding_.v.data() + static_cast<std::size_t>(token) * h;
  Vector x(row, row + h);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    add_to(x, attention(layers_[i], sequence, i, normed(x, layers_[i].input_norm)));
    add_to(x, mlp(layers_[i], normed(x, layers_[i].post_norm)));
  }
  return times(config_.tied ? embedding_ : lm_head_, normed(x, final_norm_));
}

std::vector<Vector> Reference::run(Sequence& sequence, std::span<const int32_t> tokens) const {
  std::vector<Vector> logits;
  for (const int32_t token : tokens) logits.push_back(step(sequence, token));
  return logits;
}

}  // namespace tilewright::models::transformer
