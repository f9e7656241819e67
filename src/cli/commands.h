// The commands and their flags as data: parsing, help and shell completion all read this table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::cli {

struct Flag {
  std::string_view short_name;  // "-p" or empty
  std::string_view name;        // "--platform"
  std::string_view value;       // what it takes, in capitals; empty for a switch
  std::string_view help;
  bool repeatable = false;
};

struct Command {
  std::string_view name;
  std::string_view operand;  // "PROGRAM", "[PROGRAM]", "PROGRAM PROGRAM", or empty
  std::string_view summary;
  std::vector<Flag> flags;
  std::vector<std::string_view> examples;  // without the name of the executable
  std::string_view note = {};              // what the operands may be, when that needs a sentence
};

const std::vector<Command>& commands();
const Command* find_command(std::string_view name);  // null if unknown
std::vector<std::string> command_names();

}  // namespace tilewright::cli
