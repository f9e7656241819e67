// The commands. Each declares in its own file what it is called, its flags and what it does;
// parsing, help and shell completion read that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::cli {

struct Context;

struct Flag {
  std::string_view short_name;  // "-p" or empty
  std::string_view name;        // "--platform"
  std::string_view value;       // what it takes, in capitals; empty for a switch
  std::string_view help;
  bool repeatable = false;
  bool may_be_empty = false;  // a text may be; a name or a number may not
};

struct Command {
  std::string_view name;
  std::string_view operand;  // "PROGRAM", "[PROGRAM]", "PROGRAM PROGRAM", or empty
  std::string_view summary;
  std::vector<Flag> flags;
  std::vector<std::string_view> examples;  // without the name of the executable
  std::string_view note = {};              // what the operands may be, when that needs a sentence
  int (*run)(const Context& c) = nullptr;  // returns an exit code
  bool hidden = false;                     // for the build: not in help and completions

  // Whether it has this flag, not only one of the same name.
  bool takes(const Flag& flag) const;
};

const Command& list_command();
const Command& check_command();
const Command& show_command();
const Command& run_command();
const Command& sim_command();
const Command& profile_command();
const Command& watch_command();
const Command& lsp_command();
const Command& compare_command();
const Command& measured_command();
const Command& advise_command();
const Command& tune_command();
const Command& emit_command();
const Command& history_command();
const Command& calibrate_command();
const Command& platform_command();
const Command& info_command();
const Command& tokenize_command();
const Command& make_model_command();
const Command& quantize_command();
const Command& perplexity_command();
const Command& generate_command();
const Command& chat_command();
const Command& serve_command();
const Command& bench_command();
const Command& help_command();
const Command& completion_command();
const Command& man_page_command();

// In the order that help lists them.
const std::vector<Command>& commands();
const Command* find_command(std::string_view name);  // null if unknown
std::vector<std::string> command_names();            // without hidden ones

}  // namespace tilewright::cli
