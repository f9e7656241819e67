// `list`: the programs of the catalog, or one of them in detail.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/data/program_file.h"
#include "tilewright/results/json.h"

namespace tilewright::cli {
namespace {

void print_catalog(const Context& c) {
  std::size_t name_width = std::string_view("program").size();
  for (const catalog::ProgramDef& def : c.catalog.all())
    name_width = std::max(name_width, def.name.size());
  const std::size_t room = std::max<std::size_t>(c.columns(), name_width + 22) - name_width - 2;
  Table table({"program", "what it is"});
  for (const catalog::ProgramDef& def : c.catalog.all()) {
    std::string name = def.name;
    for (const std::string& line : wrapped(def.summary, room)) {
      table.row({name, line});
      name.clear();
    }
  }
  c.words() << table.text("", std::string::npos)
            << fmt::format("\n{} list PROGRAM shows its shapes and keys\n", c.terminal.command());
}

void print_program(const Context& c, const catalog::ProgramDef& def,
                   const catalog::Config& config) {
  std::ostream& out = c.words();
  const bool file = config.shape() == data::kFileShape;
  out << fmt::format("{}: {}\n", def.name, def.summary);
  if (!file) out << "\nshapes:\n";
  for (const std::string& line : wrapped(join(def.shapes, " "), kWidth - 2))
    if (!file) out << fmt::format("  {}\n", line);
  if (config.keys().empty()) return;

  std::size_t name_width = 3, value_width = 5;
  for (const catalog::Key& k : config.keys()) {
    name_width = std::max(name_width, k.name.size());
    value_width = std::max(value_width, std::to_string(k.value).size());
  }
  const std::size_t help_width = kWidth - std::min(kWidth / 2, name_width + value_width + 6);
  Table table({"key", "value", "what it is"});
  for (const catalog::Key& k : config.keys()) {
    std::vector<std::string> cells{k.name, std::to_string(k.value), ""};
    for (const std::string& line : wrapped(k.help, help_width)) {
      cells[2] = line;
      table.row(cells);
      cells = {"", "", ""};
    }
  }
  const std::string of =
      file ? def.name : fmt::format("shape {} on {}", config.shape(), config.machine().name);
  out << fmt::format("\nkeys of {}:\n{}", of, table.text("  ", kWidth));
}

int run_list(const Context& c) {
  JsonOutput json(c);
  const session::Request request = c.request();
  catalog::Catalog chosen;
  const bool whole_file = data::names_program_file(c.args.operand);
  std::vector<catalog::ProgramDef> of_file;
  if (whole_file) of_file = data::programs_from_file(c.args.operand, {c.args.choices(), c.args.words("--path")});
  if (c.args.operand.empty() && !c.args.has("--shape")) {
    for (const char* flag : {"--arg", "--path"})
      if (c.args.has(flag))
        user_error("command-line", fmt::format("{} without a program", flag),
                   fmt::format("in {} {}", flag, c.args.text(flag)),
                   fmt::format("{} is for .py files", flag), "name a .py file, or omit the flag");
    chosen = c.catalog;
    print_catalog(c);
  } else if (of_file.size() > 1) {
    for (const catalog::ProgramDef& def : of_file) {
      chosen.add(def);
      c.words() << fmt::format("{}\n", def.name);
    }
  } else {
    const catalog::ProgramDef& def = c.program();
    chosen.add(def);
    print_program(c, def, session::configure(def, request));
  }
  json.write(results::to_json(chosen, request));
  return kFine;
}

}  // namespace

const Command& list_command() {
  static const Command kCommand{
      .name = "list",
      .operand = "[PROGRAM]",
      .summary = "lists the programs, or the shapes and keys of one program",
      .flags = {kPlatform, kShape, kArg, kPath, kJson, kHelp},
      .examples = {"list", "list tour -p a2a3sim", "list layer.py"},
      .run = run_list,
  };
  return kCommand;
}

}  // namespace tilewright::cli
