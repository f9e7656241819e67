#include "tilewright/cli/watch/saves.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilewright::cli {
namespace {

constexpr std::size_t kMostTold = 200;  // saves that the page lists

// "-12.30 us (-4.1 %)"
std::string change_text(double from, double to) {
  return fmt::format("{:+.2f} us ({:+.1f} %)", to - from, 100 * (to / from - 1));
}

std::string first_error(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.list())
    if (d.severity == Severity::Error)
      return d.where.empty() ? d.what : fmt::format("{} {}", d.what, d.where);
  return "";
}

}  // namespace

void Saves::add(const Look& look, const std::string& at) {
  Save save{at, std::nullopt, look.seconds, ""};
  if (look.good())
    save.us = look.us;
  else
    save.error = first_error(look.diagnostics);
  list_.push_back(std::move(save));
  diagnostics_ = look.diagnostics;
}

const Saves::Save* Saves::good_before(std::size_t index) const {
  while (index > 0)
    if (list_[--index].us) return &list_[index];
  return nullptr;
}

const Saves::Save* Saves::first_good() const {
  const auto it = std::ranges::find_if(list_, [](const Save& s) { return s.us.has_value(); });
  return it == list_.end() ? nullptr : &*it;
}

std::string Saves::line() const {
  const Save& last = list_.back();
  if (!last.us) return fmt::format("{}  error: {}", last.at, last.error);
  std::string out = fmt::format("{}  predicted {:.2f} us", last.at, *last.us);
  const Save* before = good_before(list_.size() - 1);
  const Save* first = first_good();
  if (before) out += fmt::format(", {} against the last", change_text(*before->us, *last.us));
  if (before && first != before)
    out += fmt::format(", {} against the start", change_text(*first->us, *last.us));
  return out + fmt::format("; in {:.2f} s", last.seconds);
}

report::Object Saves::data(const std::string& file) const {
  const Save& last = list_.back();
  const Save* shown = good_before(list_.size());
  const Save* before =
      shown ? good_before(static_cast<std::size_t>(shown - list_.data())) : nullptr;
  const auto us_of = [](const Save* s) { return s ? report::Object(*s->us) : report::Object(); };
  report::Object j{{"file", file},
                   {"good", last.us.has_value()},
                   {"at", last.at},
                   {"seconds", last.seconds},
                   {"shown_at", shown ? report::Object(shown->at) : report::Object()},
                   {"us", us_of(shown)},
                   {"last_us", us_of(before)},
                   {"start_us", us_of(first_good())},
                   {"save_count", list_.size()}};
  j["messages"] = report::Object::array();
  for (const Diagnostic& d : diagnostics_.list())
    j["messages"].push_back({{"error", d.severity == Severity::Error}, {"text", d.text()}});
  j["saves"] = report::Object::array();
  for (std::size_t i = list_.size() - std::min(list_.size(), kMostTold); i < list_.size(); ++i)
    j["saves"].push_back({{"at", list_[i].at},
                          {"us", list_[i].us ? report::Object(*list_[i].us) : report::Object()},
                          {"error", list_[i].error}});
  return j;
}

}  // namespace tilewright::cli
