#include "tilewright/device/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/device/nameless.h"

namespace tilewright::device {
namespace {

// A submission of the program that has tasks.
struct Submitted {
  std::size_t first = 0, count = 0;  // tasks
};

std::vector<Submitted> submissions_of(const ir::TaskGraph& graph) {
  std::vector<Submitted> out;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    if (t == 0 || graph.tasks[t].submission != graph.tasks[t - 1].submission) out.push_back({t, 0});
    ++out.back().count;
  }
  return out;
}

class Matching {
 public:
  Matching(const Profile& p, const DeviceTasks& tasks, const ir::Plan& plan,
           const ir::TaskGraph& graph)
      : profile_(p), tasks_(tasks), plan_(plan), graph_(graph), expected_(submissions_of(graph)) {}

  void check() {
    require_order();
    const std::size_t both = std::min(expected_.size(), tasks_.list.size());
    for (std::size_t i = 0; i < both; ++i) compare(i);
    if (expected_.size() != tasks_.list.size()) differ_in_number();
  }

 private:
  void require_order() const {
    if (tasks_.ordered) return;
    user_error(
        "device-profile", "the order in which tasks were submitted is not recorded",
        fmt::format("in {}", profile_.file),
        "tasks of several rings have numbers of their own, and are matched with a program by "
        "the order of their submission",
        "profile with --enable-dep-gen, or at level 4; without a program the profile can be "
        "looked at as it is");
  }

  const ir::Kernel& kernel_of(std::size_t i) const {
    return plan_.kernel(graph_.tasks[expected_[i].first].kernel);
  }

  [[noreturn]] void mismatch(std::size_t i, const std::string& what) const {
    program_error("device-mismatch", what,
                  fmt::format("at submission {} of {}, task {}", i + 1, profile_.file,
                              task_text(tasks_.list[i].info.task)),
                  "tasks of a profile are matched with those of the program by the order of their "
                  "submission",
                  "give the program, the keys and the lengths that were profiled");
  }

  void compare(std::size_t i) {
    const DeviceTask& t = tasks_.list[i];
    const ir::Kernel& kernel = kernel_of(i);
    const std::string name = kernel_name(profile_, t);
    const auto ran = std::ssize(t.blocks), wanted = static_cast<std::ptrdiff_t>(expected_[i].count);
    if (t.blocks.empty()) mismatch(i, fmt::format("no core recorded {}: records were lost", name));
    if (core_kind(t) != kernel.core)
      mismatch(i, fmt::format("{} ran on {} cores where the program has {} for {} cores", name,
                              ir::core_kind_name(core_kind(t)), kernel.name,
                              ir::core_kind_name(kernel.core)));
    if (ran != wanted)
      mismatch(i, fmt::format("{} ran {} where the program has {} of {}", name,
                              counted(ran, "block"), wanted, kernel.name));
    const auto [it, added] = kernel_of_.try_emplace(t.info.functions, &kernel);
    const bool known = t.info.has_kernel();
    if (known && it->second != &kernel)
      mismatch(i, fmt::format("{}, which was {} before, is where the program has {}", name,
                              it->second->name, kernel.name));
  }

  void differ_in_number() const {
    program_error("device-mismatch",
                  fmt::format("the profile has {} where the program has {}",
                              counted(std::ssize(tasks_.list), "submission"), expected_.size()),
                  fmt::format("in {}", profile_.file),
                  "tasks of a profile are matched with those of the program by the order of their "
                  "submission",
                  "give the program, the keys and the lengths that were profiled");
  }

  const Profile& profile_;
  const DeviceTasks& tasks_;
  const ir::Plan& plan_;
  const ir::TaskGraph& graph_;
  std::vector<Submitted> expected_;
  std::map<std::array<int, 3>, const ir::Kernel*> kernel_of_;
};

}  // namespace

ir::RunRecord match(const Profile& profile, const DeviceTasks& tasks, const ir::Plan& plan,
                    const ir::TaskGraph& graph) {
  Matching(profile, tasks, plan, graph).check();
  return record_of(profile, tasks);
}

}  // namespace tilewright::device
