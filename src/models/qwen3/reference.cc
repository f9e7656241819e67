#include "tilewright/models/qwen3/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <thread>

namespace tilewright::models::qwen3::reference {
namespace {

using catalog::Arrays;

struct Matrix {
  int64_t rows = 0, cols = 0;
  std::vector<double> v;

  Matrix(int64_t r, int64_t c) : rows(r), cols(c), v(static_cast<std::size_t>(r * c), 0.0) {}
  double* row(int64_t r) { return v.data() + r * cols; }
  const double* row(int64_t r) const { return v.data() + r * cols; }
};

// Inlined, so that loops over weights are vectorised.
double widen(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

double bf16(double x) { return f32_from_bf16(bf16_from_f32(static_cast<float>(x))); }

void round_all(Matrix& m) {
  for (double& x : m.v) x = bf16(x);
}

Matrix matrix_of(const HostArray& a, int64_t rows, int64_t cols) {
  Matrix m(rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) m.v[static_cast<std::size_t>(i)] = a.at(i);
  return m;
}

void store(const Matrix& m, HostArray& a) {
  for (int64_t i = 0; i < m.rows * m.cols; ++i) a.set(i, m.v[static_cast<std::size_t>(i)]);
}

// Calls work(begin, end) on shares of [0, count), in multiples of `grain`, on every core.
void in_shares(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& work) {
  const int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  const int64_t grains = (count + grain - 1) / grain;
  const int64_t share = (grains + cores - 1) / cores * grain;
  std::vector<std::thread> threads;
  for (int64_t begin = share; begin < count; begin += share)
    threads.emplace_back(work, begin, std::min(count, begin + share));
  work(0, std::min(count, share));
  for (std::thread& t : threads) t.join();
}

double widen(int8_t code) { return code; }

// x [B, K] times w [K, N] in BF16 or INT8. A strip of columns at a time, so that sums stay in cache
// and every weight is read once; x by columns, since its rows lie a power of two apart.
template <class Stored>
Matrix times(const Matrix& x, const HostArray& w) {
  constexpr int64_t kStrip = 256;
  const int64_t n_total = w.shape()[1];
  const Stored* weights = w.as<Stored>().data();
  Matrix by_column(x.cols, x.rows);
  for (int64_t b = 0; b < x.rows; ++b)
    for (int64_t k = 0; k < x.cols; ++k) by_column.row(k)[b] = x.row(b)[k];
  Matrix y(x.rows, n_total);
  in_shares(n_total, kStrip, [&](int64_t begin, int64_t end) {
    double wide[kStrip];
    Matrix sums(x.rows, kStrip);
    for (int64_t n0 = begin; n0 < end; n0 += kStrip) {
      const int64_t n = std::min(kStrip, end - n0);
      std::ranges::fill(sums.v, 0.0);
      for (int64_t k = 0; k < x.cols; ++k) {
        const Stored* from = weights + k * n_total + n0;
        for (int64_t j = 0; j < n; ++j) wide[j] = widen(from[j]);
        for (int64_t b = 0; b < x.rows; ++b) {
          const double a = by_column.row(k)[b];
          double* sum = sums.row(b);
          for (int64_t j = 0; j < n; ++j) sum[j] += a * wide[j];
        }
      }
      for (int64_t b = 0; b < x.rows; ++b) std::copy_n(sums.row(b), n, y.row(b) + n0);
    }
  });
  return y;
}

// The INT8 codes of a row and the scale that makes numbers of them; 1e-4 is the least magnitude
// that a row is taken to have.
double quantise_row(double* x, int64_t n) {
  double largest = 1e-4;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  for (int64_t i = 0; i < n; ++i) x[i] = std::nearbyint(x[i] * 127.0 / largest);
  return largest / 127.0;
}

bool is_coded(const Arrays& io, const std::string& weight) {
  return io.contains(weight + "_scale");
}

// Rows that are multiplied with weights: row b stands for factors[b] * x[b].
struct Left {
  Matrix x;
  std::vector<double> factors;

  explicit Left(Matrix rows) : x(std::move(rows)), factors(static_cast<std::size_t>(x.rows), 1.0) {}
};

// Left rows times the weight `name`. If the weight has scales, it is codes, and so are the rows.
Matrix product(Left left, const Arrays& io, const std::string& name) {
  const HostArray& w = io[name];
  if (!is_coded(io, name)) return times<uint16_t>(left.x, w);
  for (int64_t b = 0; b < left.x.rows; ++b)
    left.factors[static_cast<std::size_t>(b)] *= quantise_row(left.x.row(b), left.x.cols);
  Matrix y = times<int8_t>(left.x, w);
  const std::vector<double> column_scales = catalog::doubles(io[name + "_scale"]);
  for (int64_t b = 0; b < y.rows; ++b)
    for (int64_t n = 0; n < y.cols; ++n)
      y.row(b)[n] *= column_scales[static_cast<std::size_t>(n)] * left.factors[static_cast<std::size_t>(b)];
  return y;
}

double inverse_rms(const double* x, int64_t n, double eps) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
  return 1.0 / std::sqrt(sum / static_cast<double>(n) + eps);
}

// Each row of n elements divided by its root mean square and multiplied by gamma.
void rms_norm(double* x, int64_t n, const HostArray& gamma, double eps) {
  const double inverse = inverse_rms(x, n, eps);
  for (int64_t i = 0; i < n; ++i) x[i] *= inverse * gamma.at(i);
}

Matrix normed_rows(Matrix x, const HostArray& gamma, double eps) {
  for (int64_t b = 0; b < x.rows; ++b) rms_norm(x.row(b), x.cols, gamma, eps);
  round_all(x);
  return x;
}

// The same rows for products with `weight`: the codes of a row are those of x * gamma, and 1 / rms
// is part of its scale.
Left normed_left(Matrix x, const HostArray& gamma, double eps, const Arrays& io,
                 const std::string& weight) {
  if (!is_coded(io, weight)) return Left(normed_rows(std::move(x), gamma, eps));
  Left left(std::move(x));
  for (int64_t b = 0; b < left.x.rows; ++b) {
    double* row = left.x.row(b);
    left.factors[static_cast<std::size_t>(b)] = inverse_rms(row, left.x.cols, eps);
    for (int64_t i = 0; i < left.x.cols; ++i) row[i] *= gamma.at(i);
  }
  return left;
}

struct Qkv {
  Matrix q, k, v;
};

Qkv project(const DecodeCase& run, const Arrays& io) {
  const Matrix x = matrix_of(io["hidden_states"], run.batch, run.model.hidden);
  const Left n = normed_left(x, io["input_rms_weight"], run.model.rms_norm_eps, io, "wq");
  return {product(n, io, "wq"), product(n, io, "wk"), product(n, io, "wv")};
}

// Rotates one head by the table rows of a position: pairs (i, i + D/2).
void rotate(double* u, int64_t d, const HostArray& cos, const HostArray& sin, int64_t position) {
  const int64_t half = d / 2;
  const int64_t at = position * d;
  for (int64_t i = 0; i < half; ++i) {
    const double low = u[i];
    const double high = u[i + half];
    u[i] = low * cos.at(at + i) - high * sin.at(at + i);
    u[i + half] = high * cos.at(at + half + i) + low * sin.at(at + half + i);
  }
}

void prepare_heads(Matrix& m, int64_t heads, const char* gamma, const DecodeCase& run,
                   const Arrays& io) {
  const int64_t d = run.model.head_dim;
  for (int64_t b = 0; b < m.rows; ++b) {
    const auto position = static_cast<int64_t>(io["seq_lens"].at(b)) - 1;
    for (int64_t h = 0; h < heads; ++h) {
      double* u = m.row(b) + h * d;
      if (run.qk_norm) rms_norm(u, d, io[gamma], run.model.rms_norm_eps);
      rotate(u, d, io["rope_cos"], io["rope_sin"], position);
    }
  }
}

void write_cache(const Matrix& rows, HostArray& cache, const DecodeCase& run, const Arrays& io) {
  const int64_t d = run.model.head_dim;
  for (int64_t b = 0; b < run.batch; ++b) {
    const auto position = static_cast<int64_t>(io["seq_lens"].at(b)) - 1;
    for (int64_t h = 0; h < run.model.kv_heads; ++h) {
      const int64_t row = (b * run.model.kv_heads + h) * run.max_seq + position;
      for (int64_t i = 0; i < d; ++i) cache.set(row * d + i, rows.row(b)[h * d + i]);
    }
  }
}

// softmax(q K^T / sqrt(D)) V of one head over `length` cache rows from `first`.
void attend(const double* q, double* out, const HostArray& k_cache, const HostArray& v_cache,
            int64_t first, int64_t length, int64_t d) {
  const uint16_t* k = k_cache.as<uint16_t>().data() + first * d;
  const uint16_t* v = v_cache.as<uint16_t>().data() + first * d;
  std::vector<double> w(static_cast<std::size_t>(length));
  double largest = -INFINITY;
  for (int64_t t = 0; t < length; ++t) {
    double s = 0;
    for (int64_t i = 0; i < d; ++i) s += q[i] * widen(k[t * d + i]);
    w[static_cast<std::size_t>(t)] = s / std::sqrt(static_cast<double>(d));
    largest = std::max(largest, w[static_cast<std::size_t>(t)]);
  }
  double total = 0;
  for (double& x : w) total += x = std::exp(x - largest);
  std::fill_n(out, d, 0.0);
  for (int64_t t = 0; t < length; ++t) {
    const double weight = w[static_cast<std::size_t>(t)] / total;
    for (int64_t i = 0; i < d; ++i) out[i] += weight * widen(v[t * d + i]);
  }
}

// Updates the caches and gives attn_out, rounded to BF16.
Matrix attention(const DecodeCase& run, Qkv qkv, Arrays& io) {
  const ModelConfig& s = run.model;
  prepare_heads(qkv.q, s.heads, "q_norm_weight", run, io);
  prepare_heads(qkv.k, s.kv_heads, "k_norm_weight", run, io);
  round_all(qkv.q);
  write_cache(qkv.k, io["k_cache"], run, io);
  write_cache(qkv.v, io["v_cache"], run, io);
  Matrix out(run.batch, s.q_width());
  const HostArray& lengths = io["seq_lens"];
  const HostArray& k_cache = io["k_cache"];
  const HostArray& v_cache = io["v_cache"];
  in_shares(run.batch * s.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / s.heads;
      const int64_t head = i % s.heads;
      const int64_t kv_head = head / (s.heads / s.kv_heads);
      attend(qkv.q.row(b) + head * s.head_dim, out.row(b) + head * s.head_dim, k_cache, v_cache,
             (b * s.kv_heads + kv_head) * run.max_seq, static_cast<int64_t>(lengths.at(b)),
             s.head_dim);
    }
  });
  round_all(out);
  return out;
}

Matrix plus(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] += b.v[i];
  return a;
}

void mlp(const DecodeCase& run, const Matrix& attn, Arrays& io) {
  const ModelConfig& s = run.model;
  const Matrix x = matrix_of(io["hidden_states"], run.batch, s.hidden);
  const Matrix h1 = plus(product(Left(attn), io, "wo"), x);
  const Left n = normed_left(h1, io["post_rms_weight"], s.rms_norm_eps, io, "w_gate");
  Matrix y = product(n, io, "w_gate");
  const Matrix up = product(n, io, "w_up");
  for (std::size_t i = 0; i < y.v.size(); ++i)
    y.v[i] = y.v[i] / (1.0 + std::exp(-y.v[i])) * up.v[i];
  round_all(y);
  store(plus(product(Left(y), io, "w_down"), h1), io["out"]);
}

// Rows [first, first + rows) of a weight [out, in], times x.
std::vector<double> rows_times(const HostArray& w, int64_t first, int64_t rows, const double* x) {
  const int64_t cols = w.shape()[1];
  const uint16_t* from = w.as<uint16_t>().data() + first * cols;
  std::vector<double> y(static_cast<std::size_t>(rows), 0.0);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < cols; ++k)
      y[static_cast<std::size_t>(r)] += widen(from[r * cols + k]) * x[k];
  return y;
}

// The most probable experts of a row, the first of them first, and the softmax of all.
struct Choice {
  std::vector<int64_t> experts;
  std::vector<double> probabilities;
};
Choice chosen_experts(const ModelConfig& s, const double* x, const HostArray& router) {
  Choice c;
  c.probabilities = rows_times(router, 0, s.experts, x);
  const double largest = *std::ranges::max_element(c.probabilities);
  double total = 0;
  for (double& p : c.probabilities) total += p = std::exp(p - largest);
  for (double& p : c.probabilities) p /= total;
  for (int64_t e = 0; e < s.experts; ++e) c.experts.push_back(e);
  std::ranges::stable_sort(c.experts, std::greater<>(), [&](int64_t e) {
    return c.probabilities[static_cast<std::size_t>(e)];
  });
  c.experts.resize(static_cast<std::size_t>(s.experts_per_token));
  return c;
}

// What one expert makes of a row.
std::vector<double> expert_mlp(const ModelConfig& s, const Arrays& io, int64_t e, const double* x) {
  std::vector<double> y = rows_times(io["w_gate"], e * s.intermediate, s.intermediate, x);
  const auto up = rows_times(io["w_up"], e * s.intermediate, s.intermediate, x);
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = bf16(y[i] / (1.0 + std::exp(-y[i])) * up[i]);
  return rows_times(io["w_down"], e * s.hidden, s.hidden, y.data());
}

}  // namespace

void moe(const DecodeCase& run, Arrays& io) {
  const ModelConfig& s = run.model;
  const Matrix x = matrix_of(io["hidden_states"], run.batch, s.hidden);
  const Matrix n = normed_rows(x, io["post_rms_weight"], s.rms_norm_eps);
  in_shares(run.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const Choice c = chosen_experts(s, n.row(b), io["w_router"]);
      double total = 0;
      for (const int64_t e : c.experts) total += c.probabilities[static_cast<std::size_t>(e)];
      std::vector<double> sum(x.row(b), x.row(b) + s.hidden);
      for (int64_t j = 0; j < s.experts_per_token; ++j) {
        const int64_t e = c.experts[static_cast<std::size_t>(j)];
        const double share =
            c.probabilities[static_cast<std::size_t>(e)] / (s.renormalises ? total : 1);
        const auto y = expert_mlp(s, io, e, n.row(b));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * y[i];
        io["chosen"].set(b * s.experts_per_token + j, static_cast<double>(e));
        io["expert_weights"].set(b * s.experts_per_token + j, share);
      }
      for (int64_t i = 0; i < s.hidden; ++i)
        io["out"].set(b * s.hidden + i, sum[static_cast<std::size_t>(i)]);
    }
  });
}

void scope1(const DecodeCase& run, Arrays& io) {
  const Qkv qkv = project(run, io);
  store(qkv.q, io["q_proj"]);
  store(qkv.k, io["k_proj"]);
  store(qkv.v, io["v_proj"]);
}

void scope2(const DecodeCase& run, Arrays& io) {
  Qkv qkv{matrix_of(io["q_proj"], run.batch, run.model.q_width()),
          matrix_of(io["k_proj"], run.batch, run.model.kv_width()),
          matrix_of(io["v_proj"], run.batch, run.model.kv_width())};
  store(attention(run, std::move(qkv), io), io["attn_out"]);
}

void scope12(const DecodeCase& run, Arrays& io) {
  store(attention(run, project(run, io), io), io["attn_out"]);
}

void scope3(const DecodeCase& run, Arrays& io) {
  mlp(run, matrix_of(io["attn_out"], run.batch, run.model.q_width()), io);
}

void decode(const DecodeCase& run, Arrays& io) {
  mlp(run, attention(run, project(run, io), io), io);
}

void stack(const DecodeCase& run, Arrays& io) {
  const std::set<std::string> shared{"hidden_states", "seq_lens", "rope_cos", "rope_sin", "out"};
  const auto part = [&](const HostArray& all) {  // shape of one layer's part
    return Shape{all.shape()[0] / run.layers, all.shape()[1]};
  };
  HostArray stream = io["hidden_states"].clone();
  for (int64_t l = 0; l < run.layers; ++l) {
    Arrays layer;
    for (const auto& [name, all] : io.all()) {
      if (shared.contains(name)) {
        layer.add(name, all.clone());
        continue;
      }
      HostArray own(all.dtype(), part(all));
      std::memcpy(own.data(), all.data() + l * own.byte_size(),
                  static_cast<std::size_t>(own.byte_size()));
      layer.add(name, std::move(own));
    }
    layer.add("hidden_states", std::move(stream));
    decode(run, layer);
    for (const char* cache : {"k_cache", "v_cache"})
      std::memcpy(io[cache].data() + l * layer[cache].byte_size(), layer[cache].data(),
                  static_cast<std::size_t>(layer[cache].byte_size()));
    stream = std::move(layer["out"]);
  }
  std::memcpy(io["out"].data(), stream.data(), static_cast<std::size_t>(stream.byte_size()));
}

void lm_head(const DecodeCase& run, Arrays& io) {
  const ModelConfig& s = run.model;
  const Matrix n = normed_rows(matrix_of(io["hidden_states"], run.batch, s.hidden),
                               io["final_rms_weight"], s.rms_norm_eps);
  const uint16_t* w = io["w_lm"].as<uint16_t>().data();
  float* logits = io["logits"].as<float>().data();
  in_shares(s.vocab, 1, [&](int64_t begin, int64_t end) {
    for (int64_t word = begin; word < end; ++word)
      for (int64_t b = 0; b < run.batch; ++b) {
        double sum = 0;
        for (int64_t k = 0; k < s.hidden; ++k) sum += n.row(b)[k] * widen(w[word * s.hidden + k]);
        logits[b * s.vocab + word] = static_cast<float>(sum);
      }
  });
}

void embed(const DecodeCase& run, Arrays& io) {
  const int64_t h = run.model.hidden;
  for (int64_t b = 0; b < run.batch; ++b) {
    const auto id = static_cast<int64_t>(io["token_ids"].at(b));
    for (int64_t i = 0; i < h; ++i)
      io["hidden_states"].set(b * h + i, io["w_embed"].at(id * h + i));
  }
}

}  // namespace tilewright::models::qwen3::reference
