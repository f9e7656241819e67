// A digest of all that decides the bits of an answer: equal fingerprints promise equal bytes for
// equal requests with equal seeds.
#pragma once

#include <string>
#include <string_view>

#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/cpu/run/pool.h"

namespace tilewright::serve {

// "fp_" and 16 digits. `settings` is what else decides: the order of sums, sizes that cut sums, the
// version. Reads every weight once. It finds accidents, not forgeries.
std::string fingerprint_of(const checkpoint::Checkpoint& model, std::string_view settings,
                           cpu::Pool& pool);

}  // namespace tilewright::serve
