#include "tilewright/ir/edges.h"

#include <array>

namespace tilewright::ir {
namespace {

constexpr uint32_t kLongestRun = (uint32_t{1} << 30) - 1;

// Whether a run goes on with this edge; of a single edge any distance makes a run.
bool continues(EdgeRun& run, const Edge& e) {
  if (run.buffer != e.buffer || run.kind != e.kind || run.count == kLongestRun) return false;
  if (run.count == 1) run.step = static_cast<int32_t>(e.from.value - run.first);
  return run.from(run.count) == e.from.value;
}

}  // namespace

std::string_view edge_kind_name(EdgeKind k) {
  constexpr std::array<std::string_view, 3> kNames{"read after write", "write after read",
                                                   "write after write"};
  return kNames[static_cast<std::size_t>(k)];
}

std::size_t EdgeList::size() const {
  std::size_t n = 0;
  for (const EdgeRun* run = begin_; run != end_; ++run) n += run->count;
  return n;
}

void Edges::add(const Edge& e) {
  ++size_;
  if (runs_.size() > begin_.back() && continues(runs_.back(), e)) {
    ++runs_.back().count;
    return;
  }
  runs_.push_back(EdgeRun(e));
}

void Edges::add_all_of(TaskId t) {
  const std::size_t end = end_of(t);
  for (std::size_t r = begin_[t.index()]; r < end; ++r) {
    size_ += runs_[r].count;
    runs_.push_back(runs_[r]);
  }
}

}  // namespace tilewright::ir
