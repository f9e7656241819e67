// What cannot be emitted is refused by name, all of it together, before anything is written.
#pragma once

#include <set>
#include <string>

#include "tilewright/base/diagnostic.h"

namespace tilewright::emit {

class Refusals {
 public:
  // `where` names the kernel or the orchestration; the place is added if it is known.
  explicit Refusals(std::string where) : where_(std::move(where)) {}

  void add(const Place& place, const std::string& what, const std::string& law,
           const std::string& help);
  const Diagnostics& list() const { return list_; }

 private:
  std::string where_;
  std::set<std::string> seen_;  // the same refusal at the same place is said once
  Diagnostics list_;
};

}  // namespace tilewright::emit
