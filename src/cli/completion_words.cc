#include "tilewright/cli/completion_words.h"

#include <set>

#include "tilewright/cli/flags.h"
#include "tilewright/compile/compile.h"
#include "tilewright/platform/platform.h"

namespace tilewright::cli {

std::vector<std::string> values_of(const Flag& flag, const catalog::Catalog& catalog) {
  std::vector<std::string> out;
  if (flag.name == "--platform") {
    for (const std::string& name : platform::platform_names())
      out.push_back(platform::builtin_platform(name).device ? name + "sim" : name);
  } else if (flag.name == "--rules") {
    for (const platform::RuntimeRules& r : platform::runtime_rules()) out.push_back(r.name);
  } else if (flag.name == "--after") {
    for (const compile::PassInfo& p : compile::passes()) out.emplace_back(p.name);
    out.emplace_back("unroll");
  } else if (flag.name == "--shape" || flag.name == "--set") {
    std::set<std::string> words;
    for (const catalog::ProgramDef& def : catalog.all()) {
      if (flag.name == "--shape") words.insert(def.shapes.begin(), def.shapes.end());
      const catalog::Config config = catalog::configure(def, "", {});
      if (flag.name == "--set")
        for (const catalog::Key& k : config.keys()) words.insert(k.name + "=");
    }
    out.assign(words.begin(), words.end());
  }
  return out;
}

bool names_a_file(const Flag& flag) {
  return flag.value == "FILE" || flag.value == "DIR" || flag.name == "--platform";
}

std::vector<std::string> operands_of(const Command& command, const catalog::Catalog& catalog) {
  if (command.name == "help") return command_names();
  if (command.name == "completion") return {"bash", "zsh", "fish"};
  if (command.name == "platform") return values_of(kPlatform, catalog);
  return command.operand.find("PROGRAM") == std::string_view::npos ? std::vector<std::string>{}
                                                                   : catalog.names();
}

bool takes_a_file(const Command& command) {
  return command.name == "platform" || command.operand == "FILE" ||
         command.operand.find("PROGRAM") != std::string_view::npos;
}

}  // namespace tilewright::cli
