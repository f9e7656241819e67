// How the known runtimes order tasks, as presets named by their date. Each differs from the one
// before it in what it sets after the copy; the hazard check and the simulator take rules as data.
#include <algorithm>

#include "tilewright/platform/platform.h"

namespace tilewright::platform {
namespace {

using Regions = RuntimeRules::Regions;

RuntimeRules exact() {
  RuntimeRules r;
  r.name = "exact";
  r.description = "every conflict on the exact regions is ordered: what the program means";
  r.source = "docs/meaning.md";
  return r;
}

// Before the first date on which the compiler treated written arguments specially.
RuntimeRules april() {
  RuntimeRules r;
  r.name = "april-2026";
  r.from = "2026-04-01";
  r.description =
      "whole arguments; write-only arguments are not ordered; readers never hold back a writer; at "
      "most 16 writers remembered per lookup";
  r.source = "simpler d62341b, pto_orchestrator.cpp; calibration rows 1 and 2";
  r.regions = Regions::WholeArgument;
  r.order_write_only = false;
  r.track_war = false;
  r.max_producers = 16;
  return r;
}

RuntimeRules local_buffers_wait() {
  RuntimeRules r = april();
  r.name = "2026-04-22";
  r.from = "2026-04-22";
  r.description = "as before; a write-only tensor that the program creates counts as read-write";
  r.source = "pypto #1111";
  r.promote_local = true;
  return r;
}

RuntimeRules loops_and_siblings() {
  RuntimeRules r = local_buffers_wait();
  r.name = "2026-04-23";
  r.from = "2026-04-23";
  r.description =
      "as before, but only in an ordered loop or after an earlier statement that writes it";
  r.source = "pypto #1131";
  r.promote_local = false;
  r.promote_in_sequential = true;
  r.promote_after_sibling = true;
  return r;
}

RuntimeRules all_producers() {
  RuntimeRules r = loops_and_siblings();
  r.name = "2026-04-24";
  r.from = "2026-04-24";
  r.description = "as before; a lookup remembers all writers";
  r.source = "simpler #669";
  r.max_producers = 0;
  return r;
}

RuntimeRules parameters_too() {
  RuntimeRules r = all_producers();
  r.name = "2026-04-29";
  r.from = "2026-04-29";
  r.description =
      "as before, for parameters of the program as well; a write-only InOut parameter always "
      "counts as read-write";
  r.source = "pypto #1211";
  r.promote_parameters = true;
  r.promote_inout_parameter = true;
  return r;
}

RuntimeRules varying_stores_spared() {
  RuntimeRules r = parameters_too();
  r.name = "2026-05-06";
  r.from = "2026-05-06";
  r.description =
      "as before; an ordered loop is no reason if every store's offset varies with the loop";
  r.source = "pypto #1232, #1293";
  r.spare_varying_stores = true;
  return r;
}

RuntimeRules may() {
  RuntimeRules r = varying_stores_spared();
  r.name = "may-2026";
  r.from = "2026-05-15";
  r.description =
      "whole arguments; a write-only argument counts as read-write inside a sequential loop, after "
      "an earlier statement that writes the tensor, or when it is an InOut parameter; readers "
      "never "
      "hold back a writer; task ids and manual scopes";
  r.source = "pypto #1371, #1364";
  r.spare_varying_stores = false;
  return r;
}

RuntimeRules june() {
  RuntimeRules r = may();
  r.name = "june-2026";
  r.from = "2026-06-19";
  r.description = "orders as may-2026; tasks may ask for early dispatch of their consumers";
  r.source = "pypto #1810, simpler #1079";
  return r;
}

RuntimeRules july() {
  RuntimeRules r = june();
  r.name = "july-2026";
  r.from = "2026-07-01";
  r.description = "orders as june-2026";
  r.source = "pypto 7c38bcfdd (2026-07-20), derive_call_directions: the rules of May";
  return r;
}

RuntimeRules august() {
  RuntimeRules r = july();
  r.name = "august-2026";
  r.from = "2026-08-11";
  r.description =
      "orders as july-2026; a write-only argument that stands for different tensors on different "
      "paths counts as read-write";
  r.source = "pypto 9a1efefbd (2026-08-11), derive_call_directions";
  r.promote_ambiguous = true;
  return r;
}

bool is_day(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  return std::ranges::equal(text, kForm, [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  });
}

}  // namespace

const std::vector<RuntimeRules>& runtime_rules() {
  static const std::vector<RuntimeRules> kRules{
      exact(),
      april(),
      local_buffers_wait(),
      loops_and_siblings(),
      all_producers(),
      parameters_too(),
      varying_stores_spared(),
      may(),
      june(),
      july(),
      august(),
  };
  return kRules;
}

const RuntimeRules* find_runtime_rules(std::string_view name_or_day) {
  const auto& all = runtime_rules();
  const auto named = std::ranges::find(all, name_or_day, &RuntimeRules::name);
  if (named != all.end()) return &*named;
  if (!is_day(name_or_day)) return nullptr;
  const RuntimeRules* found = nullptr;
  for (const RuntimeRules& r : all)
    if (!r.from.empty() && r.from <= name_or_day) found = &r;  // days compare as text
  return found;
}

}  // namespace tilewright::platform
