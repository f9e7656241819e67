#include "tilewright/runtime/hidden_state.h"

#include <cmath>

namespace tilewright::runtime {

FinalNorm::FinalNorm(const checkpoint::Checkpoint& model)
    : weights_(static_cast<std::size_t>(model.config.hidden)), eps_(model.config.rms_norm_eps) {
  checkpoint::read_row(model.weights.final_norm, 0, weights_);
}

void FinalNorm::add(std::span<const float> hidden, std::vector<double>& sum) const {
  sum.resize(weights_.size());
  double squares = 0;
  for (const double x : hidden) squares += x * x;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(hidden.size()) + eps_);
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] += static_cast<double>(hidden[i]) * scale * static_cast<double>(weights_[i]);
}

std::vector<float> unit_vector(std::span<const double> sum) {
  double squares = 0;
  for (const double x : sum) squares += x * x;
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  std::vector<float> out;
  for (const double x : sum) out.push_back(static_cast<float>(x * scale));
  return out;
}

}  // namespace tilewright::runtime
