#include "tilewright/compile/ranks/rank_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::compile {

using namespace ir;

namespace {

constexpr std::size_t kLongestSum = 4096;  // characters: a sum of hundreds of parts is left out

bool is_known(const std::vector<Expr>& list, const ScalarEnv& env) {
  return std::ranges::all_of(list, [&](const Expr& e) { return evaluate(e, env).has_value(); });
}

}  // namespace

void RankTrace::begin_task(TaskId task, int64_t rank) {
  task_ = task;
  rank_ = rank;
  parts_.clear();
  open_sums_.clear();
}

void RankTrace::end_task() {
  for (auto& [op, order] : open_sums_) sums_.push_back({op, std::move(order)});
  open_sums_.clear();
}

void RankTrace::finish(TaskGraph& graph) {
  graph.rank_events = std::move(events_);
  graph.rank_sums = std::move(sums_);
}

int64_t RankTrace::rows_per_rank(VarId window) const {
  const Shape& shape = p_[window].shape;
  return element_count(shape) / shape.front() / shape.back();
}

// A rectangle that reaches over several ranks is told once for each of them.
void RankTrace::add(RankEvent event, const Rect& rect) {
  const int64_t rows = rows_per_rank(event.window);
  const int64_t first = rect.row / rows;
  const int64_t last = (rect.row_end() - 1) / rows;
  event.task = task_;
  for (int64_t owner = first; owner <= last; ++owner) {
    event.owner = owner;
    event.certain = event.certain && first == last;
    const int64_t begin = std::max(rect.row, owner * rows);
    const int64_t end = std::min(rect.row_end(), (owner + 1) * rows);
    event.rect = {begin - owner * rows, end - begin, rect.col, rect.cols};
    // Windows of a loop over adjacent tiles grow into one event.
    if (!events_.empty() && !event.is_signal()) {
      RankEvent& before = events_.back();
      if (before.kind == event.kind && before.task == task_ && before.window == event.window &&
          before.owner == owner && before.certain == event.certain &&
          merge_into(before.rect, event.rect))
        continue;
    }
    events_.push_back(event);
  }
}

void RankTrace::access(const Op& op, VarId array, const Rect& rect, bool write, bool certain) {
  const bool window = p_[array].window;
  if (!write && op.kind == OpKind::Load)
    parts_[op.dst] = std::to_string(window ? rect.row / rows_per_rank(array) : rank_);
  if (!window || (op.atomic_add && !write)) return;
  RankEvent event;
  event.kind = op.atomic_add ? RankEvent::Kind::Add
               : write       ? RankEvent::Kind::Write
                             : RankEvent::Kind::Read;
  event.window = array;
  event.certain = certain;
  event.place = &op.place;
  add(event, rect);
}

void RankTrace::read(const Read& read, VarId array, const Rect& rect, bool certain) {
  if (!p_[array].window) return;
  RankEvent event;
  event.window = array;
  event.certain = certain;
  event.place = &read.place;
  add(event, rect);
}

void RankTrace::signal(const Signal& signal, VarId array, const ScalarEnv& env, bool certain) {
  const Shape& shape = p_[array].shape;
  RankEvent event;
  event.kind = signal.kind == Signal::Kind::Notify ? RankEvent::Kind::Notify
                                                   : RankEvent::Kind::Wait;
  event.window = array;
  event.signal = &signal;
  event.place = &signal.place;
  const auto value = evaluate(signal.value, env);
  event.value = value.value_or(0);
  event.certain = certain && value && is_known(signal.cell, env);
  if (!event.certain) {  // anywhere
    event.value = 0;
    add(event, {0, element_count(shape) / shape.back(), 0, shape.back()});
    return;
  }
  int64_t element = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    element = element * shape[d] + *evaluate(signal.cell[d], env);
  add(event, {element / shape.back(), 1, element % shape.back(), 1});
}

std::string RankTrace::combined(const Op& op, const std::string& a, const std::string& b) {
  if (a.size() + b.size() > kLongestSum) return "";
  std::string sum = fmt::format("({}+{})", std::min(a, b), std::max(a, b));
  open_sums_[&op] = sum;
  return sum;
}

void RankTrace::operation(const Op& op) {
  if (op.kind == OpKind::Load || op.kind == OpKind::Store) return;
  const auto part = [&](std::size_t i) {
    const auto it = i < op.args.size() ? parts_.find(op.args[i]) : parts_.end();
    return it == parts_.end() ? std::string() : it->second;
  };
  std::string result;
  if (op.kind == OpKind::Add && is_float(p_[op.dst].dtype) && !part(0).empty() && !part(1).empty())
    result = combined(op, part(0), part(1));
  else if (op.kind == OpKind::Add)
    result = part(0).empty() ? part(1) : part(0);
  else if (op.kind == OpKind::Cast || op.kind == OpKind::Copy || op.kind == OpKind::Move ||
           op.kind == OpKind::Reshape || op.kind == OpKind::SetValid)
    result = part(0);
  parts_[op.dst] = std::move(result);
}

}  // namespace tilewright::compile
