#include "tilewright/cpu/pages.h"

#include <sys/mman.h>

#include <fstream>
#include <limits>
#include <new>
#include <string>

namespace tilewright::cpu {

Pages::Pages(int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* p = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  madvise(p, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // a wish: failing is fine
#endif
  data_ = static_cast<std::byte*>(p);
}

Pages::~Pages() {
  if (data_) munmap(data_, static_cast<std::size_t>(bytes_));
}

int64_t available_memory() {
  std::ifstream info("/proc/meminfo");
  std::string word;
  while (info >> word) {
    if (word != "MemAvailable:") continue;
    int64_t kib = 0;
    if (info >> kib) return kib * 1024;
  }
  return std::numeric_limits<int64_t>::max();
}

}  // namespace tilewright::cpu
