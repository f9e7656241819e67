// What task variables stand for while a plan is unrolled: sets of submissions.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tilewright/compile/pass_context.h"
#include "tilewright/ir/program.h"

namespace tilewright::compile {

class TaskNames {
 public:
  explicit TaskNames(const ir::Program& program) : p_(program) {}

  // Each gives the problem of an index that is unknown or outside its array.
  std::optional<Problem> set(const ir::TaskSet& set, const ir::ScalarEnv& env);
  // Appends the submissions behind the references, each once.
  std::optional<Problem> collect(const std::vector<ir::TaskRef>& refs, const ir::ScalarEnv& env,
                                 std::vector<uint32_t>& out) const;
  // The variable of `order` stands for this submission, or for it as well.
  void name(const ir::TaskOrder& order, uint32_t submission);

 private:
  using Submissions = std::vector<uint32_t>;
  // The entries that a reference means, as a range of indices.
  struct Range {
    std::size_t first = 0, end = 0;
  };
  std::optional<Problem> range_of(const ir::TaskRef& ref, const ir::ScalarEnv& env,
                                  Range& range) const;
  std::size_t entries(ir::VarId v) const;

  const ir::Program& p_;
  std::unordered_map<ir::VarId, std::vector<Submissions>> known_;  // by variable, by entry
};

}  // namespace tilewright::compile
