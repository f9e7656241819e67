// `profile`: a prediction as a page to look at, and in a few lines what it says.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/page_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/sim_request.h"
#include "tilewright/harness/json.h"
#include "tilewright/harness/pages.h"

namespace tilewright::cli {
namespace {

std::string summary(const report::Object& data, const report::Profile& profile) {
  std::string out = fmt::format("predicted {:.2f} us, {} tasks, {:.1f}% of the roofline\n",
                                profile.all.total_us, profile.all.tasks,
                                100 * profile.all.roofline_fraction());
  const auto& binding = data.at("binding");
  for (const std::string& line : wrapped(binding.at("sentence").get<std::string>(), kWidth))
    out += line + "\n";
  Table table({"left out", "predicted us", "saved"});
  for (const auto& w : binding.at("what_ifs")) {
    const double us = w.at("total_us");
    table.row({w.at("name"), fmt::format("{:.2f}", us),
               fmt::format("{:.1f}%", 100 * (1 - us / profile.all.total_us))});
  }
  return out + table.text("  ", kWidth);
}

}  // namespace

int profile_command(const Context& c) {
  JsonOutput json(c);
  const catalog::ProgramDef& def = c.program();
  PageOutput page(c, page_name(def.name, "profile"));
  harness::SimRequest request = sim_request(c);
  request.keep_slices = true;
  Progress progress(c.err, c.terminal.progress);
  progress.begin("simulate");
  const harness::SimResult r =
      harness::predict(def, request, [&](double fraction) { progress.update(fraction); });
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
