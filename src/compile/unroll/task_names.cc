#include "tilewright/compile/unroll/task_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::compile {

using namespace ir;

// A name that was not set stands for no task; so does an entry of a new array.
std::size_t TaskNames::entries(VarId v) const {
  const Shape& shape = p_[v].shape;
  return shape.empty() ? 1 : static_cast<std::size_t>(shape[0]);
}

std::optional<Problem> TaskNames::range_of(const TaskRef& ref, const ScalarEnv& env,
                                           Range& range) const {
  range = {0, entries(ref.var)};
  if (!ref.index) return std::nullopt;
  const auto i = evaluate(*ref.index, env);
  if (!i)
    return Problem{.code = "undefined-scalar",
                   .what = fmt::format("an index of {} is used before it is set", p_[ref.var].written_name()),
                   .law = "a scalar must be set on every path before it is used",
                   .help = "set the scalar before the branch or loop that may not run"};
  if (*i < 0 || *i >= static_cast<int64_t>(range.end))
    return Problem{.code = "bounds",
                   .what = fmt::format("entry {} of {}, an array of {} task ids", *i,
                                       p_[ref.var].written_name(), range.end),
                   .law = "an index must be in range",
                   .help = "enlarge the array, or check the index"};
  range = {static_cast<std::size_t>(*i), static_cast<std::size_t>(*i) + 1};
  return std::nullopt;
}

std::optional<Problem> TaskNames::collect(const std::vector<TaskRef>& refs, const ScalarEnv& env,
                                          std::vector<uint32_t>& out) const {
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  for (const TaskRef& ref : refs) {
    Range range;
    if (auto problem = range_of(ref, env, range)) return problem;
    const auto it = known_.find(ref.var);
    if (it == known_.end()) continue;
    for (std::size_t i = range.first; i < range.end; ++i)
      out.insert(out.end(), it->second[i].begin(), it->second[i].end());
  }
  std::sort(out.begin() + begin, out.end());
  out.erase(std::unique(out.begin() + begin, out.end()), out.end());
  return std::nullopt;
}

std::optional<Problem> TaskNames::set(const TaskSet& set, const ScalarEnv& env) {
  if (copies_array(set, p_)) {
    const auto from = known_.find(set.tasks[0].var);
    known_[set.target.var] = from == known_.end() ? std::vector<Submissions>() : from->second;
    known_[set.target.var].resize(entries(set.target.var));
    return std::nullopt;
  }
  Submissions tasks;
  if (auto problem = collect(set.tasks, env, tasks)) return problem;
  Range range;
  if (auto problem = range_of(set.target, env, range)) return problem;
  auto& known = known_[set.target.var];
  known.resize(entries(set.target.var));
  for (std::size_t i = range.first; i < range.end; ++i) known[i] = tasks;
  return std::nullopt;
}

void TaskNames::name(const TaskOrder& order, uint32_t submission) {
  auto& known = known_[order.task];
  known.resize(1);
  if (!order.joins) known[0].clear();
  known[0].push_back(submission);
}

}  // namespace tilewright::compile
