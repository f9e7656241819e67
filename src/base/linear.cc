#include "tilewright/base/linear.h"

#include <cstddef>

namespace tilewright {

std::vector<double> solved(Matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < n; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

std::vector<double> inverse_diagonal(const Matrix& a) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<double> unit(a.size());
    unit[i] = 1;
    out.push_back(solved(a, unit)[i]);
  }
  return out;
}

}  // namespace tilewright
