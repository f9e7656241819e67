#include "tilewright/runtime/choose.h"

#include <exception>

#include "tilewright/base/check.h"

namespace tilewright::runtime {

std::vector<int32_t> choose_all(cpu::Pool& pool, std::span<tokens::Sampler* const> samplers,
                                std::span<const std::span<const float>> logits) {
  check(samplers.size() == logits.size(), "a sampler for every row of logits");
  std::vector<int32_t> chosen(logits.size());
  if (logits.size() == 1) {
    chosen[0] = samplers[0]->choose(logits[0]);
    return chosen;
  }
  std::vector<std::exception_ptr> errors(logits.size());
  pool.run([&](int thread) {
    for (auto i = static_cast<std::size_t>(thread); i < logits.size();
         i += static_cast<std::size_t>(pool.threads())) {
      try {
        chosen[i] = samplers[i]->choose(logits[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return chosen;
}

}  // namespace tilewright::runtime
