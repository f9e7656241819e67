// One command line, parsed: the command, its operand, and the flags by name. Every mistake is a
// UserError in four lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/cli/commands.h"
#include "tilewright/compile/compile.h"

namespace tilewright::cli {

class Arguments {
 public:
  const Command* command = nullptr;  // null for --version and --help without a command
  std::string operand;               // empty when not given
  std::string second;                // of a command with two operands
  std::map<std::string, std::vector<std::string>> flags;  // by long name

  bool has(const std::string& flag) const { return flags.contains(flag); }
  // The value of a flag that is given once, or `otherwise`.
  std::string text(const std::string& flag, const std::string& otherwise = "") const;
  // Every value of a flag that is repeatable.
  const std::vector<std::string>& words(const std::string& flag) const;
  // A whole number of at most 53 bits, so that every JSON reader can hold it.
  std::optional<uint64_t> number(const std::string& flag) const;
  std::optional<double> real(const std::string& flag) const;        // finite
  int threads() const;                                              // of --threads; 0 = one per core
  std::map<std::string, int64_t> assignments() const;               // of --set
  std::map<std::string, double> microseconds() const;               // of --extern
  std::map<std::string, std::string> choices() const;               // of --arg
  std::map<std::string, std::vector<int64_t>> value_lists() const;  // of --space
  compile::Budget budget() const;
};

// All of `text` as a whole number, or nothing.
std::optional<int64_t> whole_number(std::string_view text);
// A flag's value that is not of its kind; run_cli, which knows the whole line, says where.
[[noreturn]] void refuse_value(const std::string& what, const std::string& help);

// A name that is given two values.
[[noreturn]] void refuse_twice(const std::string& what);
// UserError when a command would write over a file that it reads.
void refuse_overwritten_inputs(const Arguments& args);

// `args` is argv without its first word; `name` is that word, for messages.
Arguments parse(const std::vector<std::string>& args, const std::string& name);

}  // namespace tilewright::cli
