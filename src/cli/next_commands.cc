#include "tilewright/cli/next_commands.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/text.h"
#include "tilewright/data/program_file.h"

namespace tilewright::cli {
namespace {

// The flags of the line that the other command has too. Sizes and settings belong to the program: a
// file made from it has them written into it.
std::string flags_for(const Context& c, std::string_view command, bool sizes) {
  std::string out;
  for (const Flag& flag : find_command(command)->flags) {
    const std::string name(flag.name);
    const bool sized = name == "--shape" || name == "--set";
    if (name == "--output" || name == "--json" || flag.value.empty() || (sized && !sizes)) continue;
    for (const std::string& value : c.args.words(name))
      out += fmt::format(" {} {}", flag.short_name.empty() ? name : std::string(flag.short_name),
                         shell_word(value));
  }
  return out;
}

// "qwen3/scope3@shape=tiny,mlp_n=64": one side of a comparison.
std::string with_sizes(const Context& c, const std::string& operand) {
  std::vector<std::string> words;
  if (c.args.has("--shape")) words.push_back("shape=" + c.args.text("--shape"));
  for (const std::string& word : c.args.words("--set")) words.push_back(word);
  return words.empty() ? operand : operand + "@" + join(words, ",");
}

}  // namespace

report::Object next_commands(const Context& c, const std::string& operand) {
  const std::string name =
      c.terminal.called.empty() ? shell_word(c.terminal.name) : c.terminal.called;
  const std::string program = shell_word(operand);
  report::Object list = report::Object::array();
  const auto add = [&](const std::string& words, const char* what) {
    list.push_back({{"line", name + " " + words}, {"what", what}});
  };
  add("advise " + program + " --apply -o faster.py" + flags_for(c, "advise", true),
      "writes the program with every mechanical change that gains");
  add("compare " + shell_word(with_sizes(c, operand)) + " faster.py" +
          flags_for(c, "compare", false),
      "compares it with this program, kernel by kernel");
  add("tune " + program + flags_for(c, "tune", true),
      "searches the program's sizes for the fastest");
  if (!data::names_program_file(operand)) {
    add("show " + program + flags_for(c, "show", true) + " > mine.py",
        "writes it as a file to edit");
    add("watch mine.py" + flags_for(c, "watch", false), "shows this page while you edit that file");
  } else if (c.args.command->name != "watch") {
    add("watch " + program + flags_for(c, "watch", true),
        "shows this page while you edit the file");
  }
  return list;
}

}  // namespace tilewright::cli
