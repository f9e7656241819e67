// Code lenses: above every scope its predicted time, its tasks and the unit that is busiest; above
// a program the time of all and what binds it.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/ir/plan.h"
#include "tilewright/lsp/features.h"

namespace tilewright::lsp {
namespace {

constexpr double kBusy = 0.6;       // below, no unit decides: instructions wait for each other
constexpr double kSlowdown = 1.25;  // above, the bandwidth that all cores share decides

struct ScopeSum {
  int64_t tasks = 0;
  double busy_us = 0;
  BusiestUnit unit;
  double unit_us = 0;  // core time of the kernel whose unit is named
};

std::string scope_title(const ScopeSum& s, double all_busy_us) {
  const double mean = s.tasks > 0 ? s.busy_us / static_cast<double>(s.tasks) : 0;
  std::string out =
      fmt::format("{:.2f} us x {}, {:.0f} % of core time", mean, counted(s.tasks, "task"),
                  100 * s.busy_us / std::max(all_busy_us, 1e-9));
  if (s.unit.name.empty()) return out;
  if (s.unit.slowdown >= kSlowdown)
    return out +
           fmt::format(", bound by HBM (alone, a task is {:.1f} times as fast)", s.unit.slowdown);
  return out + (s.unit.share >= kBusy
                    ? fmt::format(", bound by {} ({:.0f} % busy)", s.unit.name, 100 * s.unit.share)
                    : fmt::format(", waits: {} is busy {:.0f} %", s.unit.name, 100 * s.unit.share));
}

std::map<uint32_t, ScopeSum> scope_sums(const ProgramTimes& times, const ir::Plan& plan,
                                        const std::string& path) {
  std::map<uint32_t, ScopeSum> out;  // by line
  for (const report::Stage& stage : times.profile.stages) {
    const ir::Kernel& k = plan.kernel(stage.kernel);
    if (k.place.file != path || !k.place.known()) continue;
    ScopeSum& sum = out[k.place.line];
    sum.tasks += stage.tasks;
    sum.busy_us += stage.busy_us;
    const auto unit = times.busiest.find(stage.kernel.value);
    if (unit == times.busiest.end() || stage.busy_us < sum.unit_us) continue;
    sum.unit = unit->second;
    sum.unit_us = stage.busy_us;
  }
  return out;
}

// The line of the class or function; 0 when it is not found.
uint32_t line_of_program(const frontend::Body& body, const std::string& name) {
  for (const frontend::Stmt* s : body) {
    const bool defines =
        s->kind == frontend::StmtKind::Class || s->kind == frontend::StmtKind::Function;
    if (defines && s->name == name) return s->at.line;
    for (const frontend::Body* inner : {&s->body, &s->other})
      if (const uint32_t line = line_of_program(*inner, name)) return line;
  }
  return 0;
}

}  // namespace

Value code_lenses(const View& view, const Value&) {
  Value out = Value::array();
  if (!view.prediction) return out;
  const Analysis& a = *view.prediction->analysis;
  const Lines& lines = view.document->lines;
  const LineMap map(a.document->lines, lines);
  const auto add = [&](uint32_t line, const std::string& title) {
    const int64_t now = line == 0 ? -1 : map.forward(int64_t{line} - 1);
    if (now < 0) return;
    out.push_back({{"range", lines.to_json(lines.whole_line(now), view.client.encoding)},
                   {"command", {{"title", title}, {"command", ""}}}});
  };
  for (std::size_t i = 0; i < a.programs.size(); ++i) {
    const auto& times = view.prediction->programs[i];
    if (!times) continue;
    const report::Figures& all = times->profile.all;
    std::string title = fmt::format("predicted {:.1f} us on {}, {}", all.total_us,
                                    view.settings->platform, counted(all.tasks, "task"));
    if (!times->binds.empty()) title += ". " + times->binds;
    add(line_of_program(a.files[0]->body(), a.programs[i].name), title);
    for (const auto& [line, sum] :
         scope_sums(*times, *a.programs[i].session->plan(), view.document->path))
      add(line, scope_title(sum, all.busy_us));
  }
  return out;
}

}  // namespace tilewright::lsp
