// `compare`: two programs predicted on one machine, side by side. When their sizes differ it says
// so, and predicts the first one again at the second one's sizes.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/sim_request.h"
#include "tilewright/harness/json.h"
#include "tilewright/harness/program_file.h"

namespace tilewright::cli {
namespace {

using harness::SimResult;

// Keys that belong to one program only are not an error of the other.
harness::SimRequest request_for(const catalog::ProgramDef& def, harness::SimRequest request) {
  if (harness::names_program_file(def.name)) request.shape.clear();  // its sizes stand in the file
  const catalog::Config config =
      catalog::configure(def, request.shape, request.platform.platform.name);
  std::erase_if(request.set, [&](const auto& entry) {
    return std::ranges::find(config.keys(), entry.first, &catalog::Key::name) == config.keys().end();
  });
  return request;
}

void require_known_keys(const std::vector<const catalog::ProgramDef*>& defs,
                        const harness::SimRequest& request) {
  for (const auto& [key, value] : request.set) {
    bool known = false;
    for (const catalog::ProgramDef* def : defs) known = known || request_for(*def, request).set.contains(key);
    if (!known) harness::configure(*defs.front(), request);  // throws, with the nearest name
  }
}

// Keys of both programs whose values differ because the shapes do.
std::vector<std::string> size_differences(const SimResult& a, const SimResult& b,
                                          const catalog::ProgramDef& def_b) {
  std::vector<std::string> out;
  if (a.prepared->shape == b.prepared->shape ||
      std::ranges::find(def_b.shapes, a.prepared->shape) == def_b.shapes.end())
    return out;
  const auto other = catalog::configure(def_b, a.prepared->shape, b.prepared->platform).keys();
  for (const catalog::Key& kb : b.prepared->keys)
    for (const catalog::Key& ka : a.prepared->keys)
      for (const catalog::Key& ko : other)
        if (ka.name == kb.name && ko.name == kb.name && ka.value != kb.value && ko.value != kb.value)
          out.push_back(fmt::format("{} {} and {}", ka.name, ka.value, kb.value));
  return out;
}

void print_table(std::ostream& out, const std::vector<const SimResult*>& sides,
                 const std::vector<std::string>& names) {
  std::vector<std::string> header{""};
  header.insert(header.end(), names.begin(), names.end());
  Table table(header);
  const auto row = [&](const char* what, auto&& value) {
    std::vector<std::string> cells{what};
    for (const SimResult* s : sides) cells.push_back(value(s->profile->all));
    table.row(std::move(cells));
  };
  using F = report::Figures;
  row("total tasks", [](const F& f) { return std::to_string(f.tasks); });
  row("total test time us", [](const F& f) { return fmt::format("{:.2f}", f.total_us); });
  row("mean latency us", [](const F& f) { return fmt::format("{:.2f}", f.latency_us); });
  row("mean exec us", [](const F& f) { return fmt::format("{:.2f}", f.exec_us); });
  row("GM read", [](const F& f) { return human_bytes(f.gm_read); });
  row("GM write", [](const F& f) { return human_bytes(f.gm_write); });
  row("roofline us", [](const F& f) { return fmt::format("{:.2f}", f.roofline_us); });
  row("roofline reached", [](const F& f) { return fmt::format("{:.1f}%", 100 * f.roofline_fraction()); });
  out << table.text("", 110);
}

std::string faster(const SimResult& from, const SimResult& to) {
  const double ratio = from.profile->all.total_us / to.profile->all.total_us;
  return ratio >= 1 ? fmt::format("{:.2f} times faster", ratio)
                    : fmt::format("{:.2f} times slower", 1 / ratio);
}

}  // namespace

int compare_command(const Context& c) {
  if (c.args.operand.empty() || c.args.second.empty())
    user_error("program", "compare needs two programs", "", "a program is chosen by its name",
               fmt::format("the programs are: {}", join(c.catalog.names(), ", ")));
  JsonOutput json(c);
  const catalog::ProgramDef& def_a = c.find(c.args.operand);
  const catalog::ProgramDef& def_b = c.find(c.args.second);
  const harness::SimRequest request = sim_request(c);
  require_known_keys({&def_a, &def_b}, request);
  const SimResult a = harness::predict(def_a, request_for(def_a, request));
  const SimResult b = harness::predict(def_b, request_for(def_b, request));
  for (const SimResult* r : {&a, &b})
    if (!r->passed()) {
      print_diagnostics(c, c.err, r->prepared->diagnostics);
      return kMistake;
    }

  const std::vector<std::string> sizes = size_differences(a, b, def_b);
  std::optional<SimResult> like;  // the first program at the second one's sizes
  if (!sizes.empty() && std::ranges::find(def_a.shapes, b.prepared->shape) != def_a.shapes.end()) {
    harness::SimRequest same = request_for(def_a, request);
    same.shape = b.prepared->shape;
    like = harness::predict(def_a, same);
    if (!like->passed()) like.reset();
  }
  std::ostream& out = c.words();
  out << fmt::format("predicted on {} ({}), rules {}\n", a.prepared->platform,
                     request.platform.platform.title, a.prepared->rules);
  std::vector<const SimResult*> sides{&a, &b};
  std::vector<std::string> names{a.prepared->program, b.prepared->program};
  if (like) {
    sides.push_back(&*like);
    names.push_back(a.prepared->program + " at " + b.prepared->shape);
  }
  print_table(out, sides, names);
  out << fmt::format("{} is {} than {}\n", b.prepared->program, faster(a, b), a.prepared->program);
  if (!sizes.empty())
    out << fmt::format("the two sides have different sizes: {} ({} and {})\n", join(sizes, ", "),
                       a.prepared->shape, b.prepared->shape);
  if (like) out << fmt::format("like for like, both at {}: {}\n", b.prepared->shape, faster(*like, b));
  json.write(harness::to_json(a, b, like ? &*like : nullptr, sizes));
  return kFine;
}

}  // namespace tilewright::cli
