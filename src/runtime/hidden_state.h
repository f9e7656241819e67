// Embeddings of texts from what the layers leave: the mean over all tokens after the final norm,
// scaled to length 1. In double precision and in the order of the tokens, so the same text gives
// the same bits alone or in a batch.
#pragma once

#include <span>
#include <vector>

#include "tilewright/checkpoint/checkpoint.h"

namespace tilewright::runtime {

// The final RMSNorm of a model.
class FinalNorm {
 public:
  explicit FinalNorm(const checkpoint::Checkpoint& model);
  // Adds the normalised row to `sum`, which is empty at first.
  void add(std::span<const float> hidden, std::vector<double>& sum) const;

 private:
  std::vector<float> weights_;
  double eps_;
};

// A sum of rows as a vector of length 1.
std::vector<float> unit_vector(std::span<const double> sum);

}  // namespace tilewright::runtime
