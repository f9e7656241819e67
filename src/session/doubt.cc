#include "tilewright/session/doubt.h"

#include <algorithm>
#include <cmath>

#include "tilewright/session/predict.h"

namespace tilewright::session {
namespace {

constexpr double kOff = 1.3;  // factor by which an assumed number may be wrong

double total_us(const TimedRun& r) { return r.profile->all.total_us; }

// Combines two independent relative errors.
double together(double a, double b) { return std::hypot(a, std::max(0.0, b)); }

}  // namespace

Doubt add_interval(Session& s, report::Profile& profile) {
  const auto with_assumed = [&](double factor) {
    return predicted_us(s, platform::worsened(s.machine(), platform::Standing::Assumed, factor));
  };
  const Doubt doubt{with_assumed(1 / kOff), with_assumed(kOff)};
  const double us = profile.all.total_us, spread = s.machine().spread.program;
  if (us > 0)
    profile.likely_us = report::interval_around(us, together(spread, us / doubt.better_us - 1),
                                                together(spread, doubt.worse_us / us - 1));
  return doubt;
}

void add_doubt(TimedRun& run) {
  if (run.profile && run.session->request().simulated())
    run.doubt = add_interval(*run.session, *run.profile);
}

report::Interval ratio_interval(const TimedRun& a, const TimedRun& b) {
  const double ratio = total_us(a) / total_us(b);
  const double spread = a.session->machine().spread.ratio;
  if (!a.doubt || !b.doubt) return report::interval_around(ratio, spread, spread);
  const double better = a.doubt->better_us / b.doubt->better_us;
  const double worse = a.doubt->worse_us / b.doubt->worse_us;
  return report::interval_around(ratio, together(spread, ratio / std::min(better, worse) - 1),
                                 together(spread, std::max(better, worse) / ratio - 1));
}

}  // namespace tilewright::session
