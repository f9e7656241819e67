#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "tilewright/base/text.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"
#include "tilewright/report/page_parts.h"

namespace tilewright::report {

using namespace ir;

namespace {

// Instructions drawn of one task; a kernel with more is cut there, and the page says so.
constexpr std::size_t kMostSlices = 20'000;

std::string tile_text(const Program& p, VarId v) {
  return fmt::format("{} {}", shape_text(p[v].shape), dtype_short_name(p[v].dtype));
}

// The profile on which a kernel spent most of its time.
const KernelProfile* typical(const Executed& e, KernelId kernel, int64_t& tasks, int64_t& exec) {
  std::vector<int64_t> time(e.record.profiles.size(), 0), count(time.size(), 0);
  for (const TaskRecord& t : e.record.tasks) {
    if (e.record.profiles[t.profile].kernel != kernel) continue;
    time[t.profile] += t.end - t.start;
    ++count[t.profile];
  }
  const auto most = std::ranges::max_element(time);
  if (most == time.end() || *most == 0) return nullptr;
  const auto i = static_cast<std::size_t>(most - time.begin());
  tasks = count[i];
  exec = *most / count[i];
  return &e.record.profiles[i];
}

// The instructions on every pipe of one task that has the full HBM rate to itself.
Object pipes_data(const Executed& e, KernelId kernel) {
  int64_t tasks = 0, exec = 0;
  const KernelProfile* p = typical(e, kernel, tasks, exec);
  if (!p) return {};
  const std::size_t count = std::min(p->slices.size(), kMostSlices);
  std::vector<int64_t> unit(count), begin(count), time(count), what(count);
  std::unordered_map<const Op*, int64_t> ids;
  Object ops = Object::array();
  for (std::size_t i = 0; i < count; ++i) {
    const Slice& s = p->slices[i];
    unit[i] = static_cast<int64_t>(s.side) * kPipes + static_cast<int64_t>(s.pipe);
    begin[i] = s.begin;
    time[i] = s.end - s.begin;
    const auto [it, added] = ids.try_emplace(s.op, static_cast<int64_t>(ids.size()));
    what[i] = it->second;
    if (!added) continue;
    if (!s.op) {
      ops.push_back({{"name", "read of one element"}, {"place", ""}});
      continue;
    }
    ops.push_back({{"name", op_name(s.op->kind)},
                   {"tile", fmt::format("{} {}", e.plan.program[s.op->dst].name,
                                        tile_text(e.plan.program, s.op->dst))},
                   {"place", place_text(s.op->place)}});
  }
  return {{"tasks", tasks},
          {"exec_ps", exec},
          {"duration_ps", p->duration},
          {"slices", p->slices.size()},
          {"ops", ops},
          {"unit", column(unit)},
          {"begin", column(begin)},
          {"time", column(time)},
          {"op", column(what)}};
}

// The moment at which most bytes of a memory are alive: moments are those of TileBuffer::first.
int peak_of(const Kernel& k, MemorySpace space) {
  int64_t most = -1;
  int when = 0;
  for (const TileBuffer& b : k.memory) {
    if (b.space != space) continue;
    int64_t sum = 0;
    for (const TileBuffer& o : k.memory)
      if (o.space == space && o.first <= b.first && b.first <= o.last) sum += o.total();
    if (sum > most) {
      most = sum;
      when = b.first;
    }
  }
  return when;
}

Object tile_data(const Program& p, const TileBuffer& b) {
  return {{"name", p[b.var].name},
          {"tile", tile_text(p, b.var)},
          {"address", b.address},
          {"bytes", b.bytes},
          {"copies", b.copies},
          {"first", b.first},
          {"last", b.last},
          {"scratch", b.scratch},
          {"place", place_text(p[b.var].place)}};
}

Object memories_data(const Executed& e, const Kernel& k) {
  Object list = Object::array();
  for (const MemoryUse& u : k.use) {
    const platform::Memory* m = e.platform.memory(u.space);
    Object tiles = Object::array();
    for (const TileBuffer& b : k.memory)
      if (b.space == u.space) tiles.push_back(tile_data(e.plan.program, b));
    list.push_back({{"name", memory_space_name(u.space)},
                    {"physical", m && m->physical ? Object(*m->physical) : Object()},
                    {"safe", m && m->safe ? Object(*m->safe) : Object()},
                    {"peak", u.peak},
                    {"allocated", u.allocated},
                    {"peak_at", peak_of(k, u.space)},
                    {"tiles", tiles}});
  }
  return list;
}

// The statement at each position of the kernel. A position has two half steps: reads, then writes.
Object positions_data(const Kernel& k) {
  Object list = Object::array();
  for_each_op(k.body, [&](const Op& op) {
    list.push_back({{"op", op_name(op.kind)}, {"place", place_text(op.place)}});
  });
  return list;
}

}  // namespace

Object kernels_data(const Executed& e) {
  Object list = Object::array();
  for (std::size_t i = 0; i < e.plan.kernels.size(); ++i) {
    const Kernel& k = e.plan.kernels[i];
    list.push_back({{"pipes", pipes_data(e, KernelId(i))},
                    {"memories", memories_data(e, k)},
                    {"positions", positions_data(k)}});
  }
  return list;
}

}  // namespace tilewright::report
