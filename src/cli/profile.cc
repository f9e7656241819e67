// `profile`: a prediction, or a run on this CPU, as a page to look at, and in a few lines what it
// says.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/page_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/sim_request.h"
#include "tilewright/harness/json.h"
#include "tilewright/harness/measure.h"
#include "tilewright/harness/pages.h"

namespace tilewright::cli {
namespace {

std::string what_ifs_text(const report::Object& binding, double total_us) {
  std::string out;
  for (const std::string& line : wrapped(binding.at("sentence").get<std::string>(), kWidth))
    out += line + "\n";
  Table table({"left out", "predicted us", "saved"});
  for (const auto& w : binding.at("what_ifs")) {
    const double us = w.at("total_us");
    table.row({w.at("name"), fmt::format("{:.2f}", us),
               fmt::format("{:.1f}%", 100 * (1 - us / total_us))});
  }
  return out + table.text("  ", kWidth);
}

std::string summary(const report::Object& data, const report::Profile& profile) {
  const report::Figures& all = profile.all;
  if (data.at("measured").get<bool>())
    return fmt::format("measured {:.2f} us, {} tasks\n", all.total_us, all.tasks);
  return fmt::format("predicted {:.2f} us, {} tasks, {:.1f}% of the roofline\n", all.total_us,
                     all.tasks, 100 * all.roofline_fraction()) +
         what_ifs_text(data.at("binding"), all.total_us);
}

}  // namespace

int profile_command(const Context& c) {
  JsonOutput json(c);
  const catalog::ProgramDef& def = c.program();
  PageOutput page(c, page_name(def.name, "profile"));
  harness::SimRequest request = time_request(c);
  request.keep_slices = true;
  const bool simulated = request.platform.simulated;
  Progress progress(c.err, c.terminal.progress);
  progress.begin(simulated ? "simulate" : "run");
  const harness::SimResult r =
      simulated
          ? harness::predict(def, request, [&](double fraction) { progress.update(fraction); })
          : harness::measure(def, request);
  if (!r.passed()) {
    progress.end();
    print_diagnostics(c, c.err, r.prepared->diagnostics);
    json.write(harness::to_json(r));
    return kMistake;
  }
  const report::Object data = harness::profile_data(r, request);
  page.write(report::profile_page(data));
  progress.end();
  c.words() << fmt::format("{}: shape {} on {} ({})\n", c.paint(Colour::Bold, def.name),
                           r.prepared->shape, r.prepared->platform, request.platform.platform.title)
            << summary(data, *r.profile) << fmt::format("page: {}\n", page.path());
  json.write(harness::to_json(r, data.at("binding"), page.path()));
  return kFine;
}

}  // namespace tilewright::cli
