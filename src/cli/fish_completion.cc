// The completion script of fish: one `complete` line for every command, flag and list of words.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/completion_words.h"

namespace tilewright::cli {
namespace {

std::string fish_flag(const std::string& start, const Flag& f, const catalog::Catalog& catalog) {
  std::string out = start + " -l " + std::string(f.name.substr(2));
  if (!f.short_name.empty()) out += fmt::format(" -s {}", f.short_name.substr(1));
  if (!f.value.empty()) {
    out += names_a_file(f) ? " -r -F" : " -x";
    if (const auto words = values_of(f, catalog); !words.empty())
      out += fmt::format(" -a '{}'", join(words, " "));
  }
  return fmt::format("{} -d '{}'\n", out, f.help);
}

}  // namespace

std::string fish_script(const std::string& name, const catalog::Catalog& catalog) {
  const std::string first = fmt::format("complete -c {} -n __fish_use_subcommand", name);
  std::string out = fmt::format("# fish completion for {}\n", name);
  out += first + " -l help -s h -d 'shows the commands'\n" + first +
         " -l version -d 'shows the version'\n";
  for (const Command& c : commands()) {
    if (c.hidden) continue;
    out += fmt::format("{} -f -a {} -d '{}'\n", first, c.name, c.summary);
    const std::string start =
        fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", name, c.name);
    const auto words = operands_of(c, catalog);
    const std::string offered = words.empty() ? "" : fmt::format(" -a '{}'", join(words, " "));
    out += fmt::format("{} {}{}\n", start, takes_a_file(c) ? "-F" : "-f", offered);
    for (const Flag& f : c.flags) out += fish_flag(start, f, catalog);
  }
  return out;
}

}  // namespace tilewright::cli
