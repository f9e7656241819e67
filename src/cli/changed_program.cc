#include "tilewright/cli/changed_program.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"

namespace tilewright::cli {

bool print_outputs(const Context& c, std::ostream& out,
                   const std::vector<improve::OutputMatch>& outputs) {
  bool same = true;
  for (const improve::OutputMatch& o : outputs) {
    same = same && o.comparison.passed();
    out << fmt::format("{}: {} ({}/{} elements as before)\n", o.name,
                       o.comparison.passed() ? c.paint(Colour::Green, "PASS")
                                             : c.paint(Colour::Red, "FAIL"),
                       o.comparison.matched, o.comparison.total);
  }
  return same;
}

void print_caveats_of_result(const Context& c, std::ostream& out, const Diagnostics& caveats) {
  Diagnostics told;
  for (Diagnostic d : caveats.list()) {
    if (d.code == "race-predicted") d.where = "in the changed program";
    told.add(std::move(d));
  }
  print_diagnostics(c, out, told);
}

void print_diff(const Context& c, std::ostream& out, const std::string& diff) {
  for (const std::string& line : split(diff, '\n')) {
    if (line.empty()) continue;
    const bool name = line.starts_with("---") || line.starts_with("+++");
    out << (name                       ? c.paint(Colour::Bold, line)
            : line.starts_with('+')    ? c.paint(Colour::Green, line)
            : line.starts_with('-')    ? c.paint(Colour::Red, line)
                                       : line)
        << '\n';
  }
}

}  // namespace tilewright::cli
