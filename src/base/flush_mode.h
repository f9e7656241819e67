// The processor's own modes for subnormal numbers: while a FlushMode lives, every float operation
// of this thread takes subnormal operands for zero and makes zero of subnormal results. On x86 this
// is the rule of BF16 products to the bit (base/bf16_product.h).
#pragma once

#include <cstdint>

namespace tilewright {

#if defined(__x86_64__)
class FlushMode {
 public:
  FlushMode() {
    uint32_t flushing = 0;
    // Memory is clobbered, so that no operation between two memory accesses leaves the mode.
    asm volatile("stmxcsr %0" : "=m"(before_)::"memory");
    flushing = before_ | kFlushToZero | kDenormalsAreZero;
    asm volatile("ldmxcsr %0" ::"m"(flushing) : "memory");
  }
  ~FlushMode() { asm volatile("ldmxcsr %0" ::"m"(before_) : "memory"); }
  FlushMode(const FlushMode&) = delete;
  FlushMode& operator=(const FlushMode&) = delete;

 private:
  static constexpr uint32_t kFlushToZero = 1u << 15, kDenormalsAreZero = 1u << 6;
  uint32_t before_;
};
#elif defined(__aarch64__)
// Not quite the rule: this processor looks whether a result is subnormal before it rounds it.
class FlushMode {
 public:
  FlushMode() {
    asm volatile("mrs %0, fpcr" : "=r"(before_)::"memory");
    asm volatile("msr fpcr, %0" ::"r"(before_ | kFlushToZero) : "memory");
    forget_flushes();
  }
  ~FlushMode() { asm volatile("msr fpcr, %0" ::"r"(before_) : "memory"); }
  FlushMode(const FlushMode&) = delete;
  FlushMode& operator=(const FlushMode&) = delete;

  // Whether a result was made zero since the mode began, or since the last call.
  bool has_flushed() {
    uint64_t status = 0;
    asm volatile("mrs %0, fpsr" : "=r"(status)::"memory");
    if ((status & kUnderflow) == 0) return false;
    forget_flushes();
    return true;
  }

 private:
  static constexpr uint64_t kFlushToZero = 1u << 24, kUnderflow = 1u << 3;
  static void forget_flushes() { asm volatile("msr fpsr, %0" ::"r"(uint64_t{0}) : "memory"); }
  uint64_t before_;
};
#endif

}  // namespace tilewright
