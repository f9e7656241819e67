#include "tilewright/emit/refusal.h"

#include <fmt/format.h>

namespace tilewright::emit {

void Refusals::add(const Place& place, const std::string& what, const std::string& law,
                   const std::string& help) {
  Diagnostic d;
  d.code = "not-emitted";
  d.what = what;
  d.where = place.known() ? fmt::format("at {}, {}", place.text(), where_) : "in " + where_;
  d.law = law;
  d.help = help;
  d.excerpt = place.excerpt();
  d.place = place;
  if (seen_.insert(d.where + d.what).second) list_.add(std::move(d));
}

}  // namespace tilewright::emit
