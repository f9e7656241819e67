#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/base/text.h"
#include "tilewright/ir/plan.h"
#include "tilewright/report/profile.h"

namespace tilewright::report {

using namespace ir;

namespace {

constexpr std::size_t kColumns = 80;

std::string number(double v) { return fmt::format("{:.2f}", v); }

std::string share(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}%", 100 * part / whole) : "-";
}

std::string traffic(const Profile& p) {
  Table table(
      {"bytes moved", "GM read", "least", "GM write", "least", "from HBM", "roofline us", "of it"});
  const auto row = [&](const std::string& name, const Figures& f) {
    table.row({name, short_bytes(f.gm_read), short_bytes(f.least_read), short_bytes(f.gm_write),
               short_bytes(f.least_write), short_bytes(f.hbm_read), number(f.roofline_us),
               share(f.roofline_us, f.total_us)});
  };
  for (const Stage& s : p.stages) row(s.name, s);
  row("TOTAL", p.all);
  return table.text("  ", kColumns);
}

std::string transfers(const Figures& f) {
  const auto range = [](std::size_t bin) {
    const int64_t low = int64_t{1} << bin;
    if (bin + 1 == kTransferBins) return fmt::format("{} B or more", low);
    return bin == 0 ? "1 B" : fmt::format("{} to {} B", low, 2 * low - 1);
  };
  Table table({"length of a row", "rows moved"});
  for (std::size_t i = 0; i < kTransferBins; ++i)
    if (f.transfers[i] > 0) table.row({range(i), std::to_string(f.transfers[i])});
  return table.text("  ");
}

std::string likely_text(const Profile& p) {
  return p.likely_us ? fmt::format(", 80 % interval {}", interval_text(*p.likely_us)) : "";
}

std::string kernel_spread_text(const Profile& p) {
  if (!p.likely_us) return "";
  return fmt::format("80 % interval of a single kernel's exec and latency: within {:.0f} %\n",
                     100 * p.kernel_spread);
}

// Both rooflines, since one percentage alone would not say which HBM rate it refers to.
std::string roofline_text(const Profile& p) {
  const auto line = [&](double least_us, double rate, const std::string& what) {
    return fmt::format("  {:>9.2f} us at {:.0f} GB/s, {}: reached {}\n", least_us, rate, what,
                       share(least_us, p.all.total_us));
  };
  if (p.hbm_gb_per_s <= 0) return "";
  return "roofline: the bytes that must move, or the cubes' work if that takes longer\n" +
         line(p.all.roofline_us, p.hbm_gb_per_s,
              fmt::format("the rate that programs reach ({})", p.hbm_standing)) +
         line(p.all.peak_roofline_us, p.hbm_peak_gb_per_s, "the specified peak");
}

std::string memory_text(const Profile& p, const Plan& plan) {
  std::map<MemorySpace, std::pair<int64_t, std::string>> most;
  for (const Stage& s : p.stages)
    for (const MemoryUse& u : plan.kernel(s.kernel).use)
      if (u.allocated >= most[u.space].first) most[u.space] = {u.allocated, s.name};
  Table table({"on-chip memory", "highest address", "in"});
  for (const auto& [space, use] : most)
    table.row({std::string(memory_space_name(space)), human_bytes(use.first), use.second});
  return table.empty() ? "" : "\n" + table.text("  ", kColumns);
}

}  // namespace

std::string kernels_text(const Profile& p, bool has_latency) {
  Table table({"kernel", "core", "count", "exec us", "latency", "head", "tail", "exec%", "share"});
  const auto recorded = [&](std::string cell) { return has_latency ? cell : "-"; };
  const auto row = [&](const std::string& name, std::string_view core, const Figures& f) {
    table.row({name, std::string(core), std::to_string(f.tasks), number(f.exec_us),
               recorded(number(f.latency_us)), recorded(number(f.head_us)),
               recorded(number(f.tail_us)), recorded(share(f.exec_us, f.latency_us)),
               share(f.busy_us, p.all.busy_us)});
  };
  for (const Stage& s : p.stages) row(s.name, core_kind_name(s.core), s);
  row("TOTAL", "", p.all);
  return table.text("  ", kColumns);
}

std::string path_text(const Profile& p, const Plan& plan, const TaskGraph& graph) {
  const CriticalPath& path = p.path;
  const double total = p.all.total_us;
  std::string out = fmt::format(
      "critical path: {}\n"
      "  execution                       {:>10.1f} us  {:>6}\n"
      "  dispatch and completion         {:>10.1f} us  {:>6}\n"
      "  until its first task is submitted {:>8.1f} us  {:>6}\n",
      counted(static_cast<int64_t>(path.steps.size()), "task"), path.exec_us,
      share(path.exec_us, total), path.dispatch_us, share(path.dispatch_us, total),
      path.submission_us, share(path.submission_us, total));
  struct Group {
    int64_t data = 0, core = 0, submission = 0;
    double exec = 0, overhead = 0;
  };
  std::map<std::size_t, Group> groups;
  for (const PathStep& s : path.steps) {
    Group& g = groups[graph.tasks[s.task.index()].kernel.index()];
    g.data += s.waited == WaitedFor::Data;
    g.core += s.waited == WaitedFor::Core;
    g.submission += s.waited == WaitedFor::Submission;
    g.exec += s.exec_us;
    g.overhead += s.overhead_us;
  }
  Table table(
      {"on the path", "waited for data", "for a core", "for submission", "exec us", "dispatch us"});
  for (const auto& [k, g] : groups)
    table.row({plan.kernels[k].name, std::to_string(g.data), std::to_string(g.core),
               std::to_string(g.submission), number(g.exec), number(g.overhead)});
  return out + table.text("  ");
}

std::string text(const Profile& p, const Plan& plan, const TaskGraph& graph) {
  std::string out = kernels_text(p);
  out += fmt::format(
      "Total Test Time: {:.2f} us{}\nTotal tasks: {}\nPer-task average: exec {:.2f} us, latency "
      "{:.2f} us, "
      "exec/latency {}\n{}\n",
      p.all.total_us, likely_text(p), p.all.tasks, p.all.exec_us, p.all.latency_us,
      share(p.all.exec_us, p.all.latency_us), kernel_spread_text(p));
  out += traffic(p);
  out += roofline_text(p) + "\n";
  out += path_text(p, plan, graph);
  out += fmt::format("orchestrator busy {:.1f} us; schedulers busy", p.orchestrator_us);
  for (double s : p.scheduler_us) out += fmt::format(" {}", share(s, p.all.total_us));
  out += "\n\nrows moved between GM and cores\n" + transfers(p.all);
  if (p.all.mac_rows > 0)
    out += fmt::format("cube row utilisation: {} ({} of {} rows hold data)\n",
                       share(static_cast<double>(p.all.mac_rows_used),
                             static_cast<double>(p.all.mac_rows)),
                       p.all.mac_rows_used, p.all.mac_rows);
  return out + memory_text(p, plan);
}

}  // namespace tilewright::report
