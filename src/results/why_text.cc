#include "tilewright/results/why_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"

namespace tilewright::results {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kMostNumbers = 12;
constexpr double kLeastChange = 0.0005;  // of the time; smaller changes would be printed as 0.0 %

std::string change(double us, double total_us) {
  return fmt::format("{:+.1f}%", 100 * (us / total_us - 1));
}

std::string value_text(const platform::Fact& f) {
  return fmt::format("{:g}{}{}", f.value, f.unit.empty() ? "" : " ", f.unit);
}

}  // namespace

std::string why_text(const session::Why& w) {
  std::string out = "why: one cost left out at a time\n";
  std::vector<const report::WhatIf*> order;
  for (const report::WhatIf& i : w.without)
    if (i.total_us / w.total_us - 1 < -kLeastChange || i.total_us / w.total_us - 1 > kLeastChange)
      order.push_back(&i);
  std::ranges::stable_sort(order, {}, [](const report::WhatIf* i) { return i->total_us; });
  Table without({"left out", "predicted us", "change"});
  for (const report::WhatIf* i : order)
    without.row({i->name, fmt::format("{:.2f}", i->total_us), change(i->total_us, w.total_us)});
  out += without.text("  ", kColumns);

  out += fmt::format("\nwhat it hangs on: one number of the machine wrong by {:.0f} %\n",
                     100 * session::kWrongBy);
  Table numbers({"number", "value", "standing", "if higher", "if lower"});
  std::size_t shown = 0;
  for (const session::HangsOn& h : w.hangs_on) {
    if (shown++ == kMostNumbers) break;
    numbers.row({h.number.path, value_text(h.number),
                 std::string(platform::standing_name(h.number.standing)),
                 change(h.higher_us, w.total_us), change(h.lower_us, w.total_us)});
  }
  return out + numbers.text("  ", kColumns);
}

Object why_json(const session::Why& w) {
  Object without = Object::array(), numbers = Object::array();
  for (const report::WhatIf& i : w.without)
    without.push_back({{"name", i.name}, {"total_us", i.total_us}});
  for (const session::HangsOn& h : w.hangs_on)
    numbers.push_back({{"number", h.number.path},
                       {"value", h.number.value},
                       {"standing", platform::standing_name(h.number.standing)},
                       {"total_us_if_higher", h.higher_us},
                       {"total_us_if_lower", h.lower_us}});
  return {{"without", without}, {"wrong_by", session::kWrongBy}, {"hangs_on", numbers}};
}

}  // namespace tilewright::results
