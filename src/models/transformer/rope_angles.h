// The angles of RoPE: a pair i of a head turns by position * frequency(i), and cos and sin are
// multiplied by one number.
#pragma once

#include <vector>

#include "tilewright/checkpoint/config.h"

namespace tilewright::models::transformer {

struct RopeAngles {
  std::vector<double> frequencies;  // by pair
  double magnitude = 1;             // of cos and sin
};

RopeAngles rope_angles(const checkpoint::ModelConfig& model);

// What divides the plain frequencies, for files that state it so.
std::vector<float> rope_divisors(const checkpoint::ModelConfig& model);

}  // namespace tilewright::models::transformer
