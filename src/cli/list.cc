// `list`: the programs of the catalog, or one of them in detail.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/harness/json.h"

namespace tilewright::cli {
namespace {

void print_catalog(const Context& c) {
  Table table({"program", "shapes", "what it is"});
  for (const catalog::ProgramDef& def : c.catalog.all())
    table.row({def.name, join(def.shapes, " "), def.summary});
  c.words() << table.text();
}

void print_program(const Context& c, const catalog::ProgramDef& def,
                   const catalog::Config& config) {
  c.words() << fmt::format("{}: {}\n\nshapes: {}\n", def.name, def.summary, join(def.shapes, ", "));
  if (config.keys().empty()) return;
  Table table({"key", "value", "what it is"});
  for (const catalog::Key& k : config.keys()) table.row({k.name, std::to_string(k.value), k.help});
  c.words() << fmt::format("\nkeys of shape {} on {}:\n{}", config.shape(), config.platform(),
                           table.text("  "));
}

}  // namespace

int list_command(const Context& c) {
  JsonOutput json(c);
  const harness::Request request = c.request();
  catalog::Catalog chosen;
  if (c.args.operand.empty() && !c.args.has("--shape")) {
    chosen = c.catalog;
    print_catalog(c);
  } else {
    const catalog::ProgramDef& def = c.program();
    chosen.add(def);
    print_program(c, def, harness::configure(def, request));
  }
  json.write(harness::to_json(chosen, request));
  return kFine;
}

}  // namespace tilewright::cli
