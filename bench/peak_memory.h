// The most memory this process has held.
#pragma once

#include <sys/resource.h>

namespace tilewright::bench {

inline double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace tilewright::bench
