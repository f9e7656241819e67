#include "tilewright/cpu/run/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <string>

namespace tilewright::cpu {

namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;

// Where a huge page could start, so that a matrix of a few MiB consists of them: a start anywhere
// would leave up to 4 MiB of it in small pages.
std::byte* map_aligned(std::size_t bytes) {
  const std::size_t room = bytes + kHuge;
  void* p = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  auto* all = static_cast<std::byte*>(p);
  const std::size_t before = (kHuge - reinterpret_cast<std::uintptr_t>(all) % kHuge) % kHuge;
  constexpr std::size_t kSmall = 4096;
  const std::size_t used = (bytes + kSmall - 1) / kSmall * kSmall;
  if (before > 0) munmap(all, before);
  if (before + used < room) munmap(all + before + used, room - before - used);
  return all + before;
}

}  // namespace

HugePages::HugePages(int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  data_ = map_aligned(static_cast<std::size_t>(bytes));
#ifdef MADV_HUGEPAGE
  madvise(data_, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // a wish: failing is fine
#endif
}

HugePages::~HugePages() {
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
