// The benchmarks, one function per file. Each prints a table and measures its limits itself.
#pragma once

namespace tilewright::bench {

void bench_unroll();

}  // namespace tilewright::bench
