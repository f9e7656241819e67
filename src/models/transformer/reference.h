// A whole model in double precision, from its equations, one token at a time: what the runtime is
// compared with. Nothing is rounded, nothing is shared with the tile programs, and a prompt is the
// same as so many steps of decoding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tilewright/checkpoint/checkpoint.h"

namespace tilewright::models::transformer {

using Vector = std::vector<double>;

class Reference {
 public:
  // Reads every weight once; the checkpoint is not needed afterwards.
  explicit Reference(const checkpoint::Checkpoint& checkpoint);

  // What a sequence leaves behind: rows of K (rotated) and V, by layer and position.
  struct Sequence {
    std::vector<std::vector<Vector>> keys, values;
    int64_t length() const { return keys.empty() ? 0 : static_cast<int64_t>(keys[0].size()); }
  };

  // Appends a token; its logits.
  Vector step(Sequence& sequence, int32_t token) const;
  // Appends tokens; the logits of each.
  std::vector<Vector> run(Sequence& sequence, std::span<const int32_t> tokens) const;

  const checkpoint::ModelConfig& config() const { return config_; }

 private:
  struct Matrix {  // [out, in], as checkpoints have it
    int64_t rows = 0, cols = 0;
    std::vector<float> v;  // exact for every stored type
  };
  struct Layer {
    Vector input_norm, post_norm, q_norm, k_norm, q_bias, k_bias, v_bias;
    Matrix q, k, v, o, router, gate, up, down;  // of experts, one below the other
  };

  static Matrix matrix_of(const checkpoint::TensorView& t);
  static Vector vector_of(const checkpoint::TensorView& t);
  // Rows [first, first + count) of the matrix; all of them.
  static Vector times(const Matrix& w, const Vector& x, int64_t first, int64_t count);
  static Vector times(const Matrix& w, const Vector& x) { return times(w, x, 0, w.rows); }
  Vector normed(std::span<const double> x, const Vector& weight) const;
  void normalise_heads(Vector& rows, const Vector& weight) const;
  void rotate_heads(Vector& rows, int64_t position) const;
  Vector attention(const Layer& layer, Sequence& sequence, std::size_t index,
                   const Vector& x) const;
  double frequency(int64_t pair) const;  // of RoPE
  // The dense MLP, or that of one expert.
  Vector mlp(const Layer& layer, const Vector& x, int64_t expert = 0) const;
  Vector experts(const Layer& layer, const Vector& x) const;

  checkpoint::ModelConfig config_;
  Matrix embedding_, lm_head_;
  std::vector<Layer> layers_;
  Vector final_norm_;
};

}  // namespace tilewright::models::transformer
