// Avoidable GM traffic: values that pass through GM although one task produces what one task
// consumes, data that two stages both load, and sums that are kept in GM.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/findings.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

int64_t bytes_of_access(const Subject& s, const Access& a) {
  return bytes_of(s.graph.buffers[a.buffer.index()].dtype, a.rect.elements());
}

// Which kernels hand data to which, through which variable, and how often one task to one task.
struct Handover {
  int64_t bytes = 0;
  int64_t edges = 0;
  std::set<uint32_t> producers, consumers;
};
using Handovers = std::map<std::pair<std::size_t, std::size_t>, std::map<std::size_t, Handover>>;

// The traffic of an external kernel is unknown, and no advice applies to it.
bool is_external(const Subject& s, const Task& t) {
  return s.plan.kernel(t.kernel).external.valid();
}

Handovers handovers(const Subject& s) {
  Handovers out;
  for (std::size_t t = 0; t < s.graph.tasks.size(); ++t) {
    const Task& to = s.graph.tasks[t];
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const Edge& e : s.graph.preds(TaskId(t))) {
      if (e.kind != EdgeKind::ReadAfterWrite) continue;
      const Task& from = s.graph.tasks[e.from.index()];
      if (is_external(s, from) || is_external(s, to)) continue;
      Handover& h = out[{from.kernel.index(), to.kernel.index()}]
                       [s.graph.buffers[e.buffer.index()].var.index()];
      ++h.edges;
      h.producers.insert(static_cast<uint32_t>(e.from.index()));
      h.consumers.insert(static_cast<uint32_t>(t));
      if (!seen.insert({e.buffer.index(), from.kernel.index()}).second) continue;
      for (const Access& a : s.graph.accesses_of(to))
        if (!a.write && a.buffer == e.buffer) h.bytes += bytes_of_access(s, a);
    }
  }
  return out;
}

bool fills_only(const Kernel& k) {
  bool fill = false, other = false;
  for_each_op(k.body, [&](const Op& op) {
    fill = fill || op.kind == OpKind::Full;
    other = other || (op_family(op.kind) != OpFamily::Memory);
  });
  return fill && !other && std::ranges::none_of(k.args, [](const KernelArg& a) {
           return a.direction != Direction::Out;
         });
}

}  // namespace

void find_round_trips(const Subject& s, Findings& out) {
  for (const auto& [pair, by_var] : handovers(s)) {
    const auto [from, to] = pair;
    if (from == to) continue;
    const Kernel& producer = s.plan.kernels[from];
    const Kernel& consumer = s.plan.kernels[to];
    // All values that pass between the two stages, if every producing task has exactly one
    // consuming task.
    std::set<uint32_t> producers, consumers;
    std::vector<std::string> names;
    int64_t bytes = 0;
    bool one_to_one = true;
    for (const auto& [var, h] : by_var) {
      one_to_one = one_to_one && h.edges == static_cast<int64_t>(h.consumers.size()) &&
                   h.producers.size() == h.consumers.size();
      producers.insert(h.producers.begin(), h.producers.end());
      consumers.insert(h.consumers.begin(), h.consumers.end());
      names.push_back(s.plan.program.vars[var].written_name());
      bytes += h.bytes;
    }
    const auto made = static_cast<int64_t>(producers.size());
    const auto used = static_cast<int64_t>(consumers.size());
    if (fills_only(producer)) {
      out.push_back(estimate(s, "fill-task",
                             fmt::format("{} that only fill {} for {}", counted(made, "task"),
                                         join(names, ", "), consumer.name),
                             Where{producer.place, producer.name},
                             "fill these elements in the task that writes the rest",
                             stage_cost_us(s, made)));
      continue;
    }
    if (!one_to_one) continue;
    const bool epilogue = producer.core == CoreKind::Cube && consumer.core == CoreKind::Vector;
    out.push_back(
        estimate(s, epilogue ? "epilogue" : "round-trip",
                 fmt::format("{} of {} go from {} to {} through GM, task by task",
                             human_bytes(bytes), join(names, ", "), producer.name, consumer.name),
                 Where{consumer.place, consumer.name},
                 epilogue ? fmt::format("merge it into {}: a mixed scope passes the tile on chip",
                                        producer.name)
                          : std::string("keep the tiles on chip: one scope for both"),
                 move_us(s, 2 * bytes) + stage_cost_us(s, used)));
  }
}

void find_sums_in_gm(const Subject& s, Findings& out) {
  // Longest chain of tasks in which each reads what the one before wrote, through one variable.
  std::map<std::pair<std::size_t, std::size_t>, int64_t> bytes;  // by kernel and variable
  std::map<std::pair<std::size_t, std::size_t>, uint32_t> longest;
  std::vector<std::map<std::size_t, uint32_t>> length(s.graph.tasks.size());
  for (std::size_t t = 0; t < s.graph.tasks.size(); ++t) {
    const Task& to = s.graph.tasks[t];
    for (const Edge& e : s.graph.preds(TaskId(t))) {
      const Task& from = s.graph.tasks[e.from.index()];
      if (e.kind != EdgeKind::ReadAfterWrite || from.kernel != to.kernel || is_external(s, to))
        continue;
      const std::size_t var = s.graph.buffers[e.buffer.index()].var.index();
      uint32_t& mine = length[t][var];
      const uint32_t before =
          length[e.from.index()].contains(var) ? length[e.from.index()][var] : 0;
      if (before + 1 <= mine) continue;
      mine = before + 1;
      const std::pair key{to.kernel.index(), var};
      longest[key] = std::max(longest[key], mine);
      for (const Access& a : s.graph.accesses_of(to))
        if (a.buffer == e.buffer) bytes[key] += bytes_of_access(s, a);
    }
  }
  constexpr uint32_t kLong = 3;
  for (const auto& [key, links] : longest) {
    if (links < kLong) continue;
    const Kernel& k = s.plan.kernels[key.first];
    const double saved = links * handover_us(s.machine) + move_us(s, bytes[key]);
    out.push_back(estimate(
        s, "gm-reduction",
        fmt::format("{} is summed up in GM: a chain of {} tasks, {} read and written",
                    s.plan.program.vars[key.second].written_name(), links + 1, human_bytes(bytes[key])),
        Where{k.place, k.name},
        "interchange the loops: finish one output block before the next, in the accumulator",
        saved));
  }
}

void find_shared_loads(const Subject& s, Findings& out) {
  // Bytes of every buffer that each kernel reads, and how many tasks it has.
  std::vector<std::map<std::size_t, int64_t>> reads(s.plan.kernels.size());
  std::vector<int64_t> tasks(s.plan.kernels.size(), 0);
  for (const Task& t : s.graph.tasks) {
    ++tasks[t.kernel.index()];
    if (is_external(s, t)) continue;
    for (const Access& a : s.graph.accesses_of(t))
      if (!a.write) reads[t.kernel.index()][a.buffer.index()] += bytes_of_access(s, a);
  }
  std::set<std::pair<std::size_t, std::size_t>> ordered;
  for (std::size_t t = 0; t < s.graph.tasks.size(); ++t)
    for (const Edge& e : s.graph.preds(TaskId(t)))
      ordered.insert(
          {s.graph.tasks[e.from.index()].kernel.index(), s.graph.tasks[t].kernel.index()});
  for (std::size_t a = 0; a < reads.size(); ++a)
    for (std::size_t b = a + 1; b < reads.size(); ++b) {
      const Kernel &first = s.plan.kernels[a], &second = s.plan.kernels[b];
      if (tasks[a] < 2 || tasks[a] != tasks[b] || first.core != second.core ||
          ordered.contains({a, b}))
        continue;
      for (const auto& [buffer, bytes] : reads[a]) {
        const auto other = reads[b].find(buffer);
        if (other == reads[b].end() || other->second != bytes) continue;
        out.push_back(estimate(s, "shared-loads",
                               fmt::format("{} and {} load the same {} of {}", first.name,
                                           second.name, human_bytes(bytes),
                                           s.plan.program[s.graph.buffers[buffer].var].written_name()),
                               Where{second.place, second.name},
                               "one loop for both: load once, multiply by both weights",
                               move_us(s, bytes) + stage_cost_us(s, tasks[b])));
        break;
      }
    }
}

}  // namespace tilewright::improve
