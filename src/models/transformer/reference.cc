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
  if (t.name.empty()) return {};
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
                       vector_of(w.k_norm), vector_of(w.q_bias), vector_of(w.k_bias),
                       vector_of(w.v_bias), matrix_of(w.q), matrix_of(w.k), matrix_of(w.v),
                       matrix_of(w.o), matrix_of(w.router), matrix_of(w.gate), matrix_of(w.up),
                       matrix_of(w.down)});
}

Vector Reference::times(const Matrix& w, const Vector& x, int64_t first, int64_t count) {
  Vector y(static_cast<std::size_t>(count));
  for (int64_t r = 0; r < count; ++r) {
    const float* row = w.v.data() + (first + r) * w.cols;
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

// theta^(-2i/D), scaled as the configuration says.
double Reference::frequency(int64_t i) const {
  using Type = checkpoint::RopeScaling::Type;
  const checkpoint::RopeScaling& r = config_.rope;
  const auto d = static_cast<double>(config_.head_dim);
  const double f = std::pow(config_.rope_theta, -2.0 * static_cast<double>(i) / d);
  constexpr double kTurn = 2 * 3.14159265358979323846;
  if (r.type == Type::Linear) return f / r.factor;
  if (r.type == Type::Divisors) return f / r.divisors[static_cast<std::size_t>(i)];
  if (r.type == Type::Llama3) {
    const double wavelength = kTurn / f;
    if (wavelength < r.original_positions / r.high_frequency) return f;
    if (wavelength > r.original_positions / r.low_frequency) return f / r.factor;
    const double s = (r.original_positions / wavelength - r.low_frequency) /
                     (r.high_frequency - r.low_frequency);
    return (1 - s) * f / r.factor + s * f;
  }
  if (r.type == Type::Yarn) {
    const auto dimension = [&](double beta) {
      return d * std::log(r.original_positions / (beta * kTurn)) /
             (2 * std::log(config_.rope_theta));
    };
    const double low = std::fmax(0, std::floor(dimension(r.beta_fast)));
    const double high = std::fmin(d - 1, std::ceil(dimension(r.beta_slow)));
    const double ramp = (static_cast<double>(i) - low) / std::fmax(0.001, high - low);
    const double share = std::fmin(1, std::fmax(0, ramp));
    return f * (1 - share) + f / r.factor * share;
  }
  return f;
}

// Pairs (i, i + D/2) turn by position * frequency; YaRN makes them longer.
void Reference::rotate_heads(Vector& rows, int64_t position) const {
  const int64_t d = config_.head_dim, half = d / 2;
  double length = 1;
  if (config_.rope.type == checkpoint::RopeScaling::Type::Yarn)
    length = config_.rope.attention_factor ? *config_.rope.attention_factor
                                           : 1 + 0.1 * std::log(config_.rope.factor);
  for (double* head = rows.data(); head != rows.data() + rows.size(); head += d)
    for (int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * frequency(i);
      const double a = length * head[i], b = length * head[i + half];
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
  Vector q = times(layer.q, x), k = times(layer.k, x), v = times(layer.v, x);
  if (!layer.q_bias.empty()) {
    add_to(q, layer.q_bias);
    add_to(k, layer.k_bias);
    add_to(v, layer.v_bias);
  }
  if (config_.qk_norm()) {
    normalise_heads(q, layer.q_norm);
    normalise_heads(k, layer.k_norm);
  }
  rotate_heads(q, position);
  rotate_heads(k, position);
  keys.push_back(std::move(k));
  values.push_back(std::move(v));

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

Vector Reference::mlp(const Layer& layer, const Vector& x, int64_t expert) const {
  const int64_t inner = config_.intermediate, outer = config_.hidden;
  Vector gate = times(layer.gate, x, expert * inner, inner);
  const Vector up = times(layer.up, x, expert * inner, inner);
  for (std::size_t i = 0; i < gate.size(); ++i)
    gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
  return times(layer.down, gate, expert * outer, outer);
}

// The experts of largest probability, each with its share.
Vector Reference::experts(const Layer& layer, const Vector& x) const {
  Vector p = times(layer.router, x);
  const double largest = *std::ranges::max_element(p);
  double total = 0;
  for (double& v : p) total += v = std::exp(v - largest);
  for (double& v : p) v /= total;
  std::vector<int64_t> order(p.size());
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<int64_t>(e);
  std::ranges::stable_sort(order, std::greater{},
                           [&](int64_t e) { return p[static_cast<std::size_t>(e)]; });
  order.resize(static_cast<std::size_t>(config_.experts_per_token));
  double chosen = 0;
  for (const int64_t e : order) chosen += p[static_cast<std::size_t>(e)];
  Vector out(static_cast<std::size_t>(config_.hidden), 0.0);
  for (const int64_t e : order) {
    const double share = p[static_cast<std::size_t>(e)] / (config_.renormalises ? chosen : 1);
    const Vector y = mlp(layer, x, e);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += share * y[i];
  }
  return out;
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
    const Vector n = normed(x, layers_[i].post_norm);
    add_to(x, config_.has_experts() ? experts(layers_[i], n) : mlp(layers_[i], n));
  }
  return times(config_.tied ? embedding_ : lm_head_, normed(x, final_norm_));
}

std::vector<Vector> Reference::run(Sequence& sequence, std::span<const int32_t> tokens) const {
  std::vector<Vector> logits;
  for (const int32_t token : tokens) logits.push_back(step(sequence, token));
  return logits;
}

}  // namespace tilewright::models::transformer
