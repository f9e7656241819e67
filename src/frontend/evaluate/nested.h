// A shared pointer to something that may hold more of its kind, as lists hold lists. The last owner
// releases one after another, not one inside the other: a file can nest values as deep as it has
// steps, far deeper than the stack is.
#pragma once

#include <memory>
#include <vector>

namespace tilewright::frontend {

inline void release_in_turn(std::shared_ptr<const void> last) {
  thread_local std::vector<std::shared_ptr<const void>> waiting;
  thread_local bool at_work = false;
  waiting.push_back(std::move(last));
  if (at_work) return;  // the one at work comes to it
  at_work = true;
  while (!waiting.empty()) {
    const std::shared_ptr<const void> next = std::move(waiting.back());
    waiting.pop_back();
  }
  at_work = false;
}

template <class T>
class Nested : public std::shared_ptr<T> {
 public:
  Nested() = default;
  Nested(std::shared_ptr<T> p) : std::shared_ptr<T>(std::move(p)) {}  // NOLINT: is one
  Nested(const Nested&) = default;
  Nested(Nested&&) noexcept = default;
  Nested& operator=(Nested other) noexcept {
    this->swap(other);
    return *this;
  }
  ~Nested() {
    if (this->use_count() == 1) release_in_turn(std::move(*this));
  }
};

}  // namespace tilewright::frontend
