// The tables that tests compare with the plain one.
#pragma once

#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu::simd {

// Those of this machine that add in ascending k, and models of those that it may lack.
inline std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all = vector_kernels();
  for (const Kernels* model : modelled_kernels())
    if (model->ascending) all.push_back(model);
  return all;
}

}  // namespace tilewright::cpu::simd
