// `sim`: the predicted time of a program, what binds it, and where it could be.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/sim_request.h"
#include "tilewright/harness/json.h"
#include "tilewright/report/trace.h"

namespace tilewright::cli {
namespace {

void require_machine(const harness::Request& request) {
  if (request.platform.simulated) return;
  user_error("platform", fmt::format("{} is not a simulated device", request.platform_name),
             fmt::format("in --platform {}", request.platform_name),
             "time is predicted for machines that are described, not for this cpu",
             "use a2a3sim, a5sim, or a JSON file of a device");
}

}  // namespace

platform::Platform varied_machine(const Context& c, platform::Platform machine) {
  const auto each = [&](const char* flag, const auto& change) {
    const auto it = c.args.flags.find(flag);
    if (it == c.args.flags.end()) return;
    for (const std::string& word : it->second) machine = change(machine, word);
  };
  each("--override", [](const platform::Platform& p, const std::string& w) {
    return platform::overridden(p, w);
  });
  each("--ideal",
       [](const platform::Platform& p, const std::string& w) { return platform::idealised(p, w); });
  return machine;
}

harness::SimRequest sim_request(const Context& c) {
  harness::SimRequest request;
  static_cast<harness::Request&>(request) = c.request(kDefaultMachine);
  require_machine(request);
  request.platform.platform = varied_machine(c, request.platform.platform);
  request.rules = c.args.text("--rules");
  request.profiling = !c.args.has("--unprofiled");
  return request;
}

int sim_command(const Context& c) {
  if (asks_for_model(c)) return sim_model_command(c);
  for (const char* flag : {"--model", "--batch", "--ctx"})
    if (c.args.has(flag))
      user_error("command-line", fmt::format("{} beside a program", flag), "",
                 "a whole model is predicted without naming a program",
                 "set the keys of a program with --set batch=16 --set ctx=4096");
  JsonOutput json(c);
  std::optional<harness::AtomicFile> trace;
  if (c.args.has("--trace")) trace.emplace(c.args.text("--trace"));
  harness::SimRequest request = sim_request(c);
  request.keep_slices = trace.has_value();
  Progress progress(c.err, c.terminal.progress);
  progress.begin("simulate");
  const harness::SimResult r =
      harness::predict(c.program(), request, [&](double fraction) { progress.update(fraction); });
  progress.end();

  const harness::Prepared& p = *r.prepared;
  std::ostream& out = c.words();
  out << fmt::format("{}: shape {}\npredicted on {} ({}), rules {}\n{}\n", c.paint(Colour::Bold, p.program), p.shape,
                     p.platform, request.platform.platform.title, p.rules, keys_text(p.keys));
  if (r.profile) {
    out << report::text(*r.profile, *p.plan, *p.graph)
        << fmt::format("simulated in {:.3f} s, {} events\n", r.seconds, r.record->events);
  } else {
    print_diagnostics(c, c.err, p.diagnostics);
  }
  if (trace && r.record) trace->commit(report::chrome_trace(*p.plan, *p.graph, *r.record));
  json.write(harness::to_json(r));
  return r.passed() ? kFine : kMistake;
}

}  // namespace tilewright::cli
