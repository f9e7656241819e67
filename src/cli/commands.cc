#include "tilewright/cli/commands.h"

#include <algorithm>

namespace tilewright::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands{
      list_command(),       check_command(),      show_command(),       run_command(),
      sim_command(),        profile_command(),    watch_command(),      lsp_command(),
      compare_command(),    measured_command(),   advise_command(),     tune_command(),
      emit_command(),       history_command(),    calibrate_command(),  platform_command(),
      info_command(),       tokenize_command(),   make_model_command(), quantize_command(),
      perplexity_command(), generate_command(),   chat_command(),       serve_command(),
      bench_command(),      help_command(),       completion_command(), man_page_command()};
  return kCommands;
}

bool Command::takes(const Flag& flag) const {
  return std::ranges::any_of(flags, [&](const Flag& f) {
    return f.name == flag.name && f.help == flag.help;
  });
}

const Command* find_command(std::string_view name) {
  for (const Command& c : commands())
    if (c.name == name) return &c;
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& c : commands())
    if (!c.hidden) names.emplace_back(c.name);
  return names;
}

}  // namespace tilewright::cli
