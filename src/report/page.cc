#include "tilewright/report/page.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "tilewright/base/check.h"
#include "tilewright/base/json_text.h"
#include "tilewright/report/data.h"

namespace tilewright::report {
namespace {

std::string_view file(std::string_view name) {
  const auto& all = data_files();
  const auto it = std::ranges::find(all, name, &DataFile::name);
  check(it != all.end(), "a page is made of files that are embedded");
  return it->text;
}

std::string joined(std::span<const std::string_view> names) {
  std::string out;
  for (std::string_view name : names) out += file(name);
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

// Text of the user may hold "</script>", which would end the data: "<\/" means the same in JSON.
std::string embedded(const Object& data) {
  std::string out;
  char before = 0;
  for (char c : json_line(data)) {
    if (before == '<' && (c == '/' || c == '!'))
      out += c == '/' ? "\\/" : "\\u0021";
    else
      out += c;
    before = c;
  }
  return out;
}

std::string filled(std::string page, std::string_view slot, std::string_view text) {
  const std::size_t at = page.find(slot);
  check(at != std::string::npos, "the frame of a page has a slot for every part");
  return page.replace(at, slot.size(), text);
}

constexpr auto kStyles = std::to_array<std::string_view>(
    {"theme", "layout", "parts", "search_styles", "source_styles", "advice_styles"});
// Scripts that all kinds of page need; each may use the ones before it.
constexpr auto kShared = std::to_array<std::string_view>(
    {"columns", "format", "knows", "dom", "palette", "axis", "canvas", "tooltip", "tasks", "lanes",
     "timeline_view", "timeline_draw", "timeline_links", "overview", "task_facts", "timeline",
     "table", "pair_bars"});

constexpr auto kProfile = std::to_array<std::string_view>(
    {"headline", "measured", "drift", "runtime_lanes", "pipes", "memory_map", "kernel_picker", "traffic", "transfers", "roofline",
     "stages", "source", "advice", "search", "profile_main"});
constexpr auto kProfileStart = std::to_array<std::string_view>({"profile_start"});
constexpr auto kWatch = std::to_array<std::string_view>({"watch_status", "watch_main"});
constexpr auto kCompare =
    std::to_array<std::string_view>({"compare_head", "compare_stages", "compare_main"});

std::string page(const std::string& title, const Object& data, const std::string& scripts) {
  // The data is inserted last, since user text in it may look like a placeholder.
  std::string out = filled(std::string(file("frame")), "{{title}}", escaped(title));
  out = filled(std::move(out), "{{style}}", joined(kStyles));
  out = filled(std::move(out), "{{script}}", joined(kShared) + scripts);
  return filled(std::move(out), "{{data}}", embedded(data));
}

}  // namespace

std::string profile_page(const Object& data) {
  return page(data.at("program").get<std::string>() + " on " +
                  data.at("platform").get<std::string>(),
              data, joined(kProfile) + joined(kProfileStart));
}

std::string watch_page(const Object& data) {
  return page(data.at("watch").at("file").get<std::string>(), data,
              joined(kProfile) + joined(kWatch));
}

std::string compare_page(const Object& data) {
  return page(data.at("a").at("label").get<std::string>() + " and " +
                  data.at("b").at("label").get<std::string>(),
              data, joined(kCompare));
}

}  // namespace tilewright::report
