// Small systems of linear equations: for fits.
#pragma once

#include <vector>

namespace tilewright {

using Matrix = std::vector<std::vector<double>>;

// Solves a x = b for a symmetric positive definite a, by elimination.
std::vector<double> solved(Matrix a, std::vector<double> b);

// The diagonal of the inverse of such a matrix.
std::vector<double> inverse_diagonal(const Matrix& a);

}  // namespace tilewright
