#include "tilewright/lsp/prediction.h"

#include <fmt/format.h>

#include "tilewright/base/stop.h"
#include "tilewright/ir/plan.h"
#include "tilewright/session/predict.h"
#include "tilewright/session/what_binds.h"

namespace tilewright::lsp {
namespace {

using UnitTimes = std::array<std::array<int64_t, ir::kPipes>, 2>;

struct KernelTime {
  UnitTimes busy{};
  int64_t ran = 0, alone = 0;
};

double ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::map<uint32_t, BusiestUnit> busiest_units(const ir::RunRecord& record) {
  std::map<uint32_t, KernelTime> sums;
  for (const ir::TaskRecord& t : record.tasks) {
    const ir::KernelProfile& p = record.profiles[t.profile];
    KernelTime& sum = sums[p.kernel.value];
    sum.ran += t.end - t.start;
    sum.alone += p.duration;
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t pipe = 0; pipe < static_cast<std::size_t>(ir::kPipes); ++pipe)
        sum.busy[side][pipe] += p.busy[side][pipe];
  }
  std::map<uint32_t, BusiestUnit> out;
  for (const auto& [kernel, sum] : sums) {
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t pipe = 0; pipe < static_cast<std::size_t>(ir::kPipes); ++pipe) {
        const double share = ratio(sum.busy[side][pipe], sum.alone);
        if (share <= out[kernel].share) continue;
        out[kernel] = {fmt::format("{} {}", ir::core_side_name(static_cast<ir::CoreSide>(side)),
                                   ir::pipe_name(static_cast<ir::Pipe>(pipe))),
                       std::min(share, 1.0)};
      }
    out[kernel].slowdown = std::max(1.0, ratio(sum.ran, sum.alone));
  }
  return out;
}

std::shared_ptr<const ProgramTimes> times_of(session::Session& s) {
  const ir::RunRecord record = session::simulate(s, s.machine(), {.keep_slices = true});
  ProgramTimes out;
  out.profile = report::profile(*s.plan(), *s.graph(), record, s.machine());
  out.busiest = busiest_units(record);
  out.lines = report::line_shares(*s.plan(), record);
  return std::make_shared<const ProgramTimes>(std::move(out));
}

}  // namespace

PredictionPtr predict(const AnalysisPtr& analysis) {
  auto out = std::make_shared<Prediction>();
  out->analysis = analysis;
  for (const CheckedProgram& p : analysis->programs) {
    stop_if_asked();
    out->programs.emplace_back();
    if (!p.ready() || !session::can_predict(p.session->request())) continue;
    try {
      out->programs.back() = times_of(*p.session);
    } catch (
        const std::exception&) {  // a machine without times, a deadlock: there is no prediction
    }
  }
  return out;
}

PredictionPtr explain(const PredictionPtr& prediction) {
  auto out = std::make_shared<Prediction>(*prediction);
  out->explained = true;
  for (std::size_t i = 0; i < out->programs.size(); ++i) {
    if (!out->programs[i]) continue;
    stop_if_asked();
    auto times = std::make_shared<ProgramTimes>(*out->programs[i]);
    try {
      times->binds =
          report::binding_sentence(times->profile.all.total_us,
                                   session::what_ifs(*out->analysis->programs[i].session));
    } catch (const std::exception&) {}
    out->programs[i] = std::move(times);
  }
  return out;
}

}  // namespace tilewright::lsp
