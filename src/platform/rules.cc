// How the known runtimes order tasks, as presets named by their date. Every combination here is one
// that a runtime had; the hazard check and the simulator take the rules as data.
#include <algorithm>

#include "tilewright/platform/platform.h"

namespace tilewright::platform {

using Regions = RuntimeRules::Regions;

const std::vector<RuntimeRules>& runtime_rules() {
  static const std::vector<RuntimeRules> kRules{
      {
          .name = "exact",
          .description = "every conflict on the exact regions is ordered: what the program means",
          .regions = Regions::Exact,
          .order_write_only = true,
          .track_war = true,
      },
      {
          .name = "april-2026",
          .description =
              "whole arguments; write-only arguments are not ordered; readers never hold "
              "back a writer; at most 16 writers remembered per lookup",
          .regions = Regions::WholeArgument,
          .order_write_only = false,
          .track_war = false,
          .max_producers = 16,
      },
      {
          // No document states a producer limit for this date, so none is assumed.
          .name = "may-2026",
          .description = "whole arguments; a write-only argument counts as read-write inside a "
                         "sequential loop, after an earlier sibling writer, or when it is an InOut "
                         "parameter; readers never hold back a writer",
          .regions = Regions::WholeArgument,
          .order_write_only = false,
          .track_war = false,
          .promote_in_sequential = true,
          .promote_after_sibling = true,
          .promote_inout_parameter = true,
      },
  };
  return kRules;
}

const RuntimeRules* find_runtime_rules(std::string_view name) {
  const auto& all = runtime_rules();
  const auto found = std::ranges::find(all, name, &RuntimeRules::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tilewright::platform
