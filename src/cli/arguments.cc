#include "tilewright/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"

namespace tilewright::cli {
namespace {

constexpr const char* kLaw =
    "every word of the command line must be a known command, flag or value; none is ignored";

// What other tools call it.
std::string meant_by(std::string_view word) {
  static const std::map<std::string_view, std::string_view> kMeant{{"version", "--version"},
                                                                   {"-v", "--version"},
                                                                   {"-V", "--version"},
                                                                   {"--temperature", "--temp"},
                                                                   {"--max-tokens", "--n-predict"}};
  const auto it = kMeant.find(word);
  return it == kMeant.end() ? "" : std::string(it->second);
}

// "; did you mean '--temp'?" or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string meant = meant_by(word);
  const bool fits = std::ranges::find(known, meant) != known.end();
  return fits ? fmt::format("; did you mean '{}'?", meant) : did_you_mean(word, known);
}

// Where is filled in by run_cli, which knows the whole line.
[[noreturn]] void refuse(const std::string& what, const std::string& help) {
  user_error("command-line", what, "", kLaw, help);
}

std::string help_of(const std::string& name, const Command* command) {
  return command ? fmt::format("{} help {} lists the flags", name, command->name)
                 : fmt::format("{} help lists the commands", name);
}

// What a word behind a command that takes none was meant for.
std::string flag_of_word(const std::string& word, const std::string& name, const Command& command,
                         bool has_model) {
  if (!command.operand.empty() || !command.takes(kModel)) return help_of(name, &command);
  if (!has_model)
    return fmt::format("a model is named by -m: {} {} -m {}", name, command.name, shell_word(word));
  if (!command.takes(kPrompt)) return help_of(name, &command);
  return fmt::format("the input text is given by -p: {} {} -m DIR -p {}", name, command.name,
                     shell_word(word));
}

[[noreturn]] void refuse_word(const std::string& word, const std::string& name,
                              const Command* command, bool has_model = false) {
  if (!command && !word.starts_with('-')) {
    std::vector<std::string> known = command_names();
    if (!meant_by(word).empty()) known.push_back(meant_by(word));
    refuse(fmt::format("unknown command \"{}\"{}", word, suggestion(word, known)),
           help_of(name, command));
  }
  if (!word.starts_with('-')) {
    refuse(fmt::format("unexpected word \"{}\" after {}", word, command->name),
           flag_of_word(word, name, *command, has_model));
  }
  const std::string flag = word.substr(0, word.find('='));
  std::vector<std::string> known{"--help", "--version"};
  if (command) {
    known.clear();
    for (const Flag& f : command->flags) known.emplace_back(f.name);
  }
  refuse(fmt::format("unknown flag {}{}{}", flag,
                     command ? fmt::format(" of {}", command->name) : "", suggestion(flag, known)),
         help_of(name, command));
}

// What a command has left over. The value of a mistyped flag looks like an operand, so flags first.
void refuse_rest(const std::vector<std::string>& rest, const std::string& name,
                 const Command& command, bool has_model) {
  if (rest.empty()) return;
  const auto flag = std::ranges::find_if(rest, [](const auto& w) { return w.starts_with('-'); });
  refuse_word(flag == rest.end() ? rest.front() : *flag, name, &command, has_model);
}

// CLI11 throws "--seed: 1 required N missing" and the like.
[[noreturn]] void refuse_parse_error(const CLI::ParseError& e, const std::string& name,
                                     const Command* command) {
  const std::string text = e.what();
  const std::string flag = text.substr(0, text.find(':'));
  const std::string help = help_of(name, command);
  if (text.find("missing") != std::string::npos)
    refuse(fmt::format("flag {} needs a value", flag), help);
  if (text.find("received") != std::string::npos || text.find("got") != std::string::npos)
    refuse(fmt::format("flag {} is given more than once", flag), help);
  refuse(text, help);
}

// CLI11 takes --help=no for a switch that is off; here a switch is given or not.
void refuse_switch_values(const std::vector<std::string>& args, const std::string& name) {
  const Command* command = args.empty() ? nullptr : find_command(args.front());
  const auto is_switch = [&](std::string_view flag) {
    if (flag == "--help" || flag == "--version") return true;
    return command && std::ranges::any_of(command->flags, [&](const Flag& f) {
             return f.name == flag && f.value.empty();
           });
  };
  for (const std::string& word : args) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || !is_switch(word.substr(0, equals))) continue;
    refuse(fmt::format("flag {} takes no value", word.substr(0, equals)), help_of(name, command));
  }
}

// CLI11 takes -ngl for -n with the value gl, and then complains of -n.
void refuse_long_short_flags(const std::vector<std::string>& args, const std::string& name) {
  const Command* command = args.empty() ? nullptr : find_command(args.front());
  if (!command) return;
  for (const std::string& word : args) {
    if (word.size() < 3 || word[0] != '-' || !std::isalpha(static_cast<unsigned char>(word[2])))
      continue;
    const auto flag = std::ranges::find(command->flags, word.substr(0, 2), &Flag::short_name);
    if (flag != command->flags.end() && flag->value == "N") refuse_word(word, name, command);
  }
}

// The values CLI11 writes into while it parses.
struct Slots {
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> switches;
  std::string operand, second;
};

void add_flag(CLI::App& app, const Flag& f, Slots& slots) {
  const std::string names =
      f.short_name.empty() ? std::string(f.name) : fmt::format("{},{}", f.short_name, f.name);
  const std::string key(f.name);
  if (f.value.empty()) {
    app.add_flag(names, slots.switches[key]);
    return;
  }
  auto* option = app.add_option(names, slots.values[key])->allow_extra_args(false);
  if (!f.repeatable) option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

}  // namespace

Arguments parse(const std::vector<std::string>& args, const std::string& name) {
  refuse_switch_values(args, name);
  refuse_long_short_flags(args, name);
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  app.require_subcommand(0, 1);
  std::map<std::string, Slots> slots;
  bool version = false, help = false;
  app.add_flag("--version", version);
  app.add_flag("-h,--help", help);
  for (const Command& c : commands()) {
    Slots& s = slots[std::string(c.name)];
    CLI::App* sub = app.add_subcommand(std::string(c.name));
    sub->set_help_flag("");
    sub->allow_extras();
    if (!c.operand.empty()) sub->add_option("OPERAND", s.operand);
    if (c.operand.find(' ') != std::string_view::npos) sub->add_option("SECOND", s.second);
    for (const Flag& f : c.flags) add_flag(*sub, f, s);
  }

  const Command* command = nullptr;
  const auto chosen = [&] {
    const auto subs = app.get_subcommands();
    return subs.empty() ? nullptr : subs.front();
  };
  try {
    std::vector<std::string> reversed(args.rbegin(), args.rend());  // as CLI11 wants them
    app.parse(std::move(reversed));
    if (chosen()) command = find_command(chosen()->get_name());
  } catch (const CLI::ParseError& e) {
    if (chosen()) command = find_command(chosen()->get_name());
    refuse_parse_error(e, name, command);
  }
  if (const auto rest = app.remaining(); !rest.empty()) refuse_word(rest.front(), name, nullptr);
  if (chosen())
    refuse_rest(chosen()->remaining(), name, *command,
                !slots[std::string(command->name)].values["--model"].empty());

  Arguments out;
  out.command = command;
  if (version) out.flags["--version"];
  if (help) out.flags["--help"];
  if (!command) return out;
  Slots& s = slots[std::string(command->name)];
  out.operand = s.operand;
  out.second = s.second;
  for (auto& [key, values] : s.values) {
    const auto flag = std::ranges::find(command->flags, key, &Flag::name);
    if (!flag->may_be_empty && std::ranges::find(values, "") != values.end())
      refuse(fmt::format("the value of flag {} is empty", key), help_of(name, command));
    if (!values.empty()) out.flags[key] = std::move(values);
  }
  for (auto& [key, on] : s.switches)
    if (on) out.flags[key];
  return out;
}

}  // namespace tilewright::cli
