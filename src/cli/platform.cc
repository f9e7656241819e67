// `platform`: the machines that can be named with -p, or every number of one with its source.
#include <fmt/format.h>

#include "tilewright/base/blame.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/results/json.h"

namespace tilewright::cli {
namespace {

std::string name_of(const platform::Platform& p) { return p.device ? p.name + "sim" : p.name; }

void print_platforms(const Context& c) {
  std::ostream& out = c.words();
  Table machines({"platform", "what it is", "rules"});
  for (const std::string& name : platform::platform_names()) {
    const platform::Platform& p = platform::builtin_platform(name);
    machines.row({name_of(p), p.title, p.rules});
  }
  out << machines.text("", kWidth) << "\nruntime rules:\n";
  for (const platform::RuntimeRules& r : platform::runtime_rules()) {
    out << fmt::format("  {}\n", r.name);
    for (const std::string& line : wrapped(r.description, kWidth - 4))
      out << fmt::format("    {}\n", line);
  }
  out << fmt::format(
      "\n{} platform NAME shows every number of one; a file of your own starts with\n"
      "{{\"extends\": \"a2a3\", \"name\": \"my_chip\"}} and says what differs\n",
      c.terminal.command());
}

void print_facts(const Context& c, const platform::Platform& p) {
  c.words() << fmt::format("{}: {}, rules {}\n\n", name_of(p), p.title, p.rules);
  Table table({"number", "value", "standing", "source"});
  for (const platform::Fact& f : p.facts)
    table.row({f.path,
               f.text.empty() ? fmt::format("{:g}{}{}", f.value, f.unit.empty() ? "" : " ", f.unit)
                              : f.text,
               std::string(platform::standing_name(f.standing)), f.source});
  c.words() << table.text("", 4 * kWidth);  // sources are sentences; they are worth a long line
}

int run_platform(const Context& c) {
  JsonOutput json(c);
  std::vector<platform::Platform> chosen;
  if (c.args.operand.empty()) {
    for (const std::string& name : platform::platform_names())
      chosen.push_back(platform::builtin_platform(name));
    print_platforms(c);
  } else {
    chosen.push_back(
        blamed_on("", [&] { return platform::select_platform(c.args.operand).platform; }));
    print_facts(c, chosen.front());
  }
  json.write(results::to_json(chosen));
  return kFine;
}

}  // namespace

const Command& platform_command() {
  static const Command kCommand{
      .name = "platform",
      .operand = "[NAME]",
      .summary = "lists the platforms, or every number of one with its source",
      .flags = {kJson, kHelp},
      .examples = {"platform", "platform a2a3sim", "platform my_chip.json --json -"},
      .run = run_platform,
  };
  return kCommand;
}

}  // namespace tilewright::cli
