#include "tilewright/session/externals.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/ir/program.h"

namespace tilewright::session {
namespace {

std::vector<std::string> names_of(const ir::Program& program) {
  std::vector<std::string> names;
  for (const ir::External& e : program.externals) names.push_back(e.name);
  return names;
}

}  // namespace

void require_bodies(const ir::Program& program) {
  if (program.externals.empty()) return;
  user_error("external",
             fmt::format("{} calls {}: {}", program.name,
                         counted(static_cast<int64_t>(program.externals.size()), "external kernel"),
                         join(names_of(program), ", ")),
             fmt::format("declared at {}", program.externals[0].place.text()),
             "an external kernel has no body in this file, so it cannot be executed",
             "check the program, or predict its time with sim --extern NAME=MICROSECONDS");
}

void require_called(const ExternalTimes& times, const ir::Program& program) {
  const std::vector<std::string> names = names_of(program);
  for (const auto& [name, time] : times) {
    if (std::ranges::find(names, name) != names.end()) continue;
    user_error("external",
               fmt::format("{} calls no external kernel {}{}", program.name, name,
                           did_you_mean(name, names)),
               fmt::format("in --extern {}={}", name, time),
               "--extern gives the time of an external kernel that the program calls",
               names.empty() ? "omit --extern; the program calls no external kernel"
                             : fmt::format("the names are: {}", join(names, ", ")));
  }
}

Diagnostics untimed_externals(const ExternalTimes& times, const ir::Program& program) {
  Diagnostics out;
  for (const ir::External& e : program.externals) {
    if (times.contains(e.name)) continue;
    out.add({Severity::Note, "external-time",
             fmt::format("external kernel {} is predicted to take no time", e.name),
             fmt::format("declared at {}", e.place.text()),
             "the time of an external kernel comes from --extern",
             fmt::format("give the time of one block: --extern {}=MICROSECONDS", e.name), "",
             e.place});
  }
  return out;
}

}  // namespace tilewright::session
