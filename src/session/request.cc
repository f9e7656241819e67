#include "tilewright/session/request.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::session {

catalog::Machine Request::catalog_machine() const {
  const platform::Platform& p = machine();
  // The numbers before any idealisation: `--ideal hbm` must not change the default keys and with
  // them the program.
  const auto described = [&](const char* path) {
    const platform::Fact* f = p.fact(path);
    return f ? f->value : 0.0;
  };
  const double load = described("timing.gm.l1_bytes_per_cycle") * described("cores.clock_ghz");
  const double hbm = described("timing.memory.hbm_gb_per_s");
  return {p.name, p.device, load > 0 ? hbm / load : 0};
}

Request request_for(const std::string& platform) {
  Request request;
  request.platform = platform::select_platform(platform);
  // A file's platform is known by the name written in it, not by where the file lies.
  request.platform_name = platform.ends_with(".json") ? request.platform.platform.name : platform;
  return request;
}

ChosenRules choose_rules(const Request& request, std::string_view dialect) {
  if (request.rules.empty()) {
    // parse_platform has seen to it that the platform's own rules exist.
    const auto* own = platform::find_runtime_rules(request.machine().rules);
    const auto* of_dialect = dialect.empty() ? nullptr : platform::find_runtime_rules(dialect);
    if (of_dialect && !own->from.empty() && own->from < of_dialect->from)
      return {*of_dialect, "the file's dialect"};
    return {*own, "the platform"};
  }
  const std::string& name = request.rules;
  if (const auto* rules = platform::find_runtime_rules(name)) return {*rules, "--rules"};
  std::vector<std::string> names;
  for (const platform::RuntimeRules& r : platform::runtime_rules()) names.push_back(r.name);
  const bool date = !name.empty() && name[0] >= '0' && name[0] <= '9';  // no name is near a date
  user_error("rules",
             fmt::format("unknown runtime rules {}{}", quote(name),
                         date ? "" : did_you_mean(name, names)),
             fmt::format("in --rules {}", name),
             "runtime rules define which tasks a runtime orders; select them by name or by date",
             fmt::format("the rules are: {}; a date is written as 2026-07-03, from {} on",
                         join(names, ", "), platform::runtime_rules()[1].from));
}

catalog::Config configure(const catalog::ProgramDef& def, const Request& request) {
  catalog::Config config = catalog::configure(def, request.shape, request.catalog_machine());
  for (const auto& [key, value] : request.set) config.set(key, value);
  return config;
}

}  // namespace tilewright::session
