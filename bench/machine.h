// The limits of this machine, as the benchmarks of this directory use them.
#pragma once

#include "tilewright/runtime/machine.h"

namespace tilewright::bench {

using runtime::cpu_seconds;
using runtime::Machine;
using runtime::now_seconds;
using runtime::peak_rss_mib;
using runtime::reach;
using runtime::Samples;

// The threads that the figures in docs/performance.md are for.
inline constexpr int kBenchThreads = 2;

}  // namespace tilewright::bench
