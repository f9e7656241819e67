// What a run has found, each thing once, in words.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <tuple>

#include "tilewright/golden/exact.h"
#include "tilewright/golden/exact/location.h"

namespace tilewright::golden::exact {

// Thrown after a finding that leaves nothing to go on with.
struct Stop {};

class Findings {
 public:
  Findings(const ir::Plan& plan, std::vector<Finding>& out) : plan_(plan), out_(out) {}

  void in_kernel(ir::KernelId kernel) { kernel_ = kernel; }
  // `what` is asked for only if the finding is new.
  void add(Finding::Kind kind, int first, int second, const std::function<std::string()>& what);

  // "tile (s3 copy 1, Vec[1024:2048])", with the numbers that listings use
  std::string text(int storage, int copy) const;
  const ir::LoweredKernel& code() const { return plan_.kernel(kernel_).lowered; }

 private:
  std::string text(int instruction) const;

  const ir::Plan& plan_;
  std::vector<Finding>& out_;
  ir::KernelId kernel_;
  std::set<std::tuple<Finding::Kind, ir::KernelId, int, int>> seen_;
};

}  // namespace tilewright::golden::exact
