// The run loop allocates nothing: neither the tasks of a layer nor what hands them to threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

#include "prepared.h"
#include "tilewright/cpu/run/executable.h"
#include "tilewright/data/inputs.h"
#include "tilewright/models/qwen3/catalog.h"

namespace {

std::atomic<int64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* p = std::aligned_alloc(alignment, std::max(whole, alignment));
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace

// The forms for arrays call these. So would that without exceptions, but the sanitizers have their own.
void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace agree_test {
namespace {

using namespace tilewright;

int64_t allocations_of_a_run(Session& p, int threads, std::optional<uint64_t> order_seed) {
  const ir::Bindings& bindings = p.bindings();
  cpu::Pool pool(threads);
  cpu::Executable layer(*p.plan(), *p.graph(), {.threads = threads, .order_seed = order_seed});
  const cpu::PackedWeights weights = layer.bind_weights(bindings);
  layer.run(pool, weights, bindings);  // what is made once is made now
  const int64_t before = allocations;
  layer.run(pool, weights, bindings);
  return allocations - before;
}

TEST(Allocation, IsCounted) {
  const int64_t before = allocations;
  const std::vector<int> numbers(100, 1);
  EXPECT_EQ(allocations - before, 1) << numbers.front();
}

TEST(Allocation, NoneInTheRunLoop) {
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs()) {
    const auto p = prepared(def, "tiny", {});
    for (const int threads : {1, 2}) {
      EXPECT_EQ(allocations_of_a_run(*p, threads, {}), 0) << def.name << ", threads " << threads;
      EXPECT_EQ(allocations_of_a_run(*p, threads, 3), 0) << def.name << ", in a random order";
    }
  }
}

}  // namespace
}  // namespace agree_test
