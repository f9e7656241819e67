// Lowered kernels with one thing wrong, each accounted for: the executor reports it or its outputs
// are wrong, or it is shown that the change makes no difference.
#pragma once

#include <string>
#include <vector>

#include "support.h"

namespace exact_test {

struct Tally {
  int mutants = 0;
  int noticed = 0;     // a finding, or wrong bits
  int equivalent = 0;  // shown to make no difference
  std::vector<std::string> unexplained;

  std::string text() const;
};

// Each wait is not kept once. Equivalent: whenever there was something to wait for, the other waits
// order it too.
Tally without_each_wait(const Subject& subject);

// Each storage is moved up and down by one unit of alignment, and to the address of every other
// storage of its memory. Equivalent: it stays in its memory, and whatever shares bytes with it now
// is not alive at the same time, or is replaced by it in one instruction.
Tally with_each_storage_moved(const Subject& subject);

// Each storage and ring with several copies has one less, while waits count as before. Equivalent:
// whatever waits for fewer copies would wait for, the other waits order too.
Tally with_each_copy_missing(const Subject& subject);

}  // namespace exact_test
