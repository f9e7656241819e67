#include "tilewright/results/measured_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/base/text.h"
#include "tilewright/ir/plan.h"
#include "tilewright/session/misses.h"

namespace tilewright::results {
namespace {

using report::Figures;
using session::DeviceRun;

constexpr std::size_t kColumns = 80;
constexpr std::size_t kMostListed = 8;  // of kernels that are missed, and of edges

std::string us(double v) { return fmt::format("{:.2f}", v); }

std::string off(double measured, double predicted) {
  return measured > 0 ? fmt::format("{:+.1f}%", 100 * (predicted / measured - 1)) : "-";
}

const report::Profile& predicted(const DeviceRun& r) { return *r.predicted->profile; }

// Two times per kernel, each measured, predicted, and how far the prediction is off.
struct Column {
  const char* name;
  double Figures::*value;
};

std::string pair_table(const DeviceRun& r, Column a, Column b) {
  Table table({"kernel", "count", a.name, "predicted", "off", b.name, "predicted", "off"});
  const auto row = [&](const std::string& name, const Figures& m, const Figures& p) {
    table.row({name, std::to_string(m.tasks), us(m.*a.value), us(p.*a.value),
               off(m.*a.value, p.*a.value), us(m.*b.value), us(p.*b.value),
               off(m.*b.value, p.*b.value)});
  };
  const auto& stages = predicted(r).stages;
  for (std::size_t i = 0; i < stages.size(); ++i)
    row(stages[i].name, r.measured.stages[i], stages[i]);
  row("TOTAL", r.measured.all, predicted(r).all);
  return table.text("  ", kColumns);
}

std::string kernels(const DeviceRun& r) {
  if (!r.predicted) return report::kernels_text(r.measured, r.has_latency());
  if (!r.has_latency())
    return pair_table(r, {"exec us", &Figures::exec_us}, {"core time us", &Figures::busy_us});
  return pair_table(r, {"exec us", &Figures::exec_us}, {"latency us", &Figures::latency_us}) +
         pair_table(r, {"head us", &Figures::head_us}, {"tail us", &Figures::tail_us});
}

std::string total(const DeviceRun& r) {
  const Figures& m = r.measured.all;
  const char* from = r.has_latency() ? "first dispatch to last finish" : "first start to last end";
  if (!r.predicted)
    return fmt::format("Total Test Time: {:.2f} us, {}\nTotal tasks: {}\n", m.total_us, from,
                       m.tasks);
  const report::Profile& p = predicted(r);
  std::string out = fmt::format("Total Test Time: {:.2f} us, predicted {:.2f} us ({})\n",
                                m.total_us, p.all.total_us, off(m.total_us, p.all.total_us));
  if (p.likely_us)
    out += fmt::format("80 % interval of the prediction {}: the measurement is {}\n",
                       report::interval_text(*p.likely_us),
                       p.likely_us->contains(m.total_us) ? "inside" : "outside");
  return out + fmt::format("Total tasks: {}\n", m.tasks);
}

std::string missed(const DeviceRun& r) {
  const auto list = session::misses(r.measured, predicted(r), r.has_latency());
  const int percent = static_cast<int>(100 * predicted(r).kernel_spread + 0.5);
  if (list.empty())
    return fmt::format("every kernel is predicted within the {} % of its 80 % interval\n", percent);
  Table table({"prediction", "time", "measured", "predicted", "off", "core us"});
  for (std::size_t i = 0; i < std::min(kMostListed, list.size()); ++i) {
    const session::Miss& m = list[i];
    table.row({fmt::format("{}: too {}", m.kernel, m.off() > 0 ? "long" : "short"), m.time,
               us(m.measured_us), us(m.predicted_us), off(m.measured_us, m.predicted_us),
               fmt::format("{:+.1f}", m.core_us)});
  }
  std::string out =
      fmt::format("80 % of kernels are predicted within {} %; these are not\n", percent) +
      table.text("  ", kColumns);
  if (list.size() > kMostListed) out += fmt::format("  and {} more\n", list.size() - kMostListed);
  return out;
}

std::string paths(const DeviceRun& r) {
  if (!r.predicted) return report::path_text(r.measured, r.plan(), r.graph());
  const report::CriticalPath &m = r.measured.path, &p = predicted(r).path;
  Table table({"critical path", "measured", "predicted"});
  table.row({"tasks", std::to_string(m.steps.size()), std::to_string(p.steps.size())});
  table.row({"execution us", us(m.exec_us), us(p.exec_us)});
  table.row({"dispatch and completion us", us(m.dispatch_us), us(p.dispatch_us)});
  table.row({"until its first task is submitted us", us(m.submission_us), us(p.submission_us)});
  std::map<std::size_t, std::array<double, 4>> by_kernel;  // tasks and execution of each side
  const auto add = [&](const report::CriticalPath& path, std::size_t side) {
    for (const report::PathStep& s : path.steps) {
      auto& k = by_kernel[r.graph().tasks[s.task.index()].kernel.index()];
      k[side] += 1;
      k[2 + side] += s.exec_us;
    }
  };
  add(m, 0);
  add(p, 1);
  Table kernels({"on the path", "tasks", "predicted", "exec us", "predicted"});
  for (const auto& [k, v] : by_kernel)
    kernels.row({r.plan().kernels[k].name, fmt::format("{}", v[0]), fmt::format("{}", v[1]),
                 us(v[2]), us(v[3])});
  return table.text("", kColumns) + kernels.text("  ", kColumns);
}

std::string threads(const DeviceRun& r) {
  const auto text = [&](const report::Profile& p) {
    std::string out =
        fmt::format("orchestrator busy {:.1f} us; schedulers busy", p.orchestrator_us);
    for (double s : p.scheduler_us)
      out += fmt::format(" {:.1f}%", p.all.total_us > 0 ? 100 * s / p.all.total_us : 0);
    return out + "\n";
  };
  std::string out = r.profile.level >= 3 ? text(r.measured) : "";
  if (!out.empty() && r.predicted) out += "predicted: " + text(predicted(r));
  return out;
}

std::string edge_list(const DeviceRun& r, const char* head,
                      const std::vector<session::EdgeComparison::Pair>& pairs) {
  if (pairs.empty()) return "";
  std::string out = fmt::format("  {}: {}\n", head, pairs.size());
  for (std::size_t i = 0; i < std::min(kMostListed, pairs.size()); ++i)
    out += fmt::format("    {} -> {}\n", r.submission_name(pairs[i].first),
                       r.submission_name(pairs[i].second));
  if (pairs.size() > kMostListed)
    out += fmt::format("    and {} more\n", pairs.size() - kMostListed);
  return out;
}

std::string edges(const DeviceRun& r) {
  if (!r.edges) return "";
  if (!r.predicted) return fmt::format("edges between tasks: {}\n", r.edges->both);
  return fmt::format("edges between tasks, as measured and as predicted: {} of both\n",
                     r.edges->both) +
         edge_list(r, "only measured", r.edges->only_measured) +
         edge_list(r, "only predicted", r.edges->only_predicted);
}

}  // namespace

std::string recording_text(const device::Profile& p) {
  const auto cubes = std::ranges::count(p.cores, ir::CoreKind::Cube);
  std::string out = fmt::format("level {}, {} cube and {} vector cores", p.level, cubes,
                                std::ssize(p.cores) - cubes);
  if (p.clock_hz <= 0) return out;
  const bool fast = p.clock_hz >= 1e9;
  return out + fmt::format(", clock {:g} {}", p.clock_hz / (fast ? 1e9 : 1e6), fast ? "GHz" : "MHz");
}

std::string measured_text(const DeviceRun& r) {
  std::string out = kernels(r) + total(r) + "\n";
  if (r.predicted) out += missed(r) + "\n";
  out += paths(r) + threads(r);
  if (const std::string e = edges(r); !e.empty()) out += "\n" + e;
  for (const std::string& limit : r.profile.limits) out += fmt::format("note: {}\n", limit);
  return out;
}

}  // namespace tilewright::results
