#include "tilewright/lsp/places.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

#include "tilewright/base/text.h"

namespace tilewright::lsp {
namespace {

// ":20" at `at`, which moves behind it.
std::optional<uint32_t> number_after_colon(std::string_view text, std::size_t& at) {
  constexpr std::size_t kMostDigits = 9;
  if (at + 1 >= text.size() || text[at] != ':') return std::nullopt;
  std::size_t end = at + 1;
  uint32_t value = 0;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) &&
         end - at <= kMostDigits)
    value = value * 10 + static_cast<uint32_t>(text[end++] - '0');
  if (end == at + 1) return std::nullopt;
  at = end;
  return value;
}

// The longest name that stands at `at` and is followed by a line number.
std::optional<NamedPlace> place_at(std::string_view text, std::size_t& at,
                                   const std::set<std::string>& files) {
  const std::string* best = nullptr;
  for (const std::string& f : files)
    if (text.substr(at).starts_with(f + ":") && (!best || f.size() > best->size())) best = &f;
  if (!best || best->empty()) return std::nullopt;
  std::size_t end = at + best->size();
  const auto line = number_after_colon(text, end);
  if (!line) return std::nullopt;
  const auto column = number_after_colon(text, end);
  at = end;
  return NamedPlace{*best, *line, column.value_or(0), ""};
}

// "created " before " at FILE": the words since the last separator.
std::string words_before(std::string_view text) {
  for (const std::string_view mark : {"-> ", ": ", ", ", "(", "\n"})
    if (const std::size_t at = text.rfind(mark); at != std::string_view::npos)
      text.remove_prefix(at + mark.size());
  std::string out;
  for (const std::string& word : split(text, ' '))
    if (!word.empty()) out += out.empty() ? word : " " + word;
  for (const std::string_view last : {" at", " made at", "at", "and"})
    if (out.ends_with(last)) out.resize(out.size() - (last == " made at" ? 3 : last.size()));
  return out;
}

void add_place(std::vector<NamedPlace>& all, NamedPlace p) {
  if (std::ranges::find(all, p) == all.end()) all.push_back(std::move(p));
}

}  // namespace

std::vector<NamedPlace> places_in(std::string_view text, const std::set<std::string>& files) {
  std::vector<NamedPlace> out;
  std::size_t since = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    auto place = place_at(text, end, files);
    if (!place) {
      ++at;
      continue;
    }
    place->words = words_before(text.substr(since, at - since));
    out.push_back(std::move(*place));
    at = since = end;
  }
  return out;
}

namespace {

// Some messages name further places in their words only: why a name could not be evaluated.
std::vector<NamedPlace> places_in_words(const Diagnostic& d, const std::set<std::string>& files) {
  std::vector<NamedPlace> out;
  for (const std::string* text : {&d.what, &d.law, &d.help})
    for (NamedPlace& p : places_in(*text, files)) {
      if (p.words.empty()) p.words = "see here";
      add_place(out, std::move(p));
    }
  return out;
}

}  // namespace

std::vector<NamedPlace> places_of(const Diagnostic& d, const std::set<std::string>& files) {
  std::vector<NamedPlace> out;
  const auto add = [&](const Place& p, const std::string& words) {
    if (p.known() && files.contains(p.file)) add_place(out, {p.file, p.line, p.column, words});
  };
  if (d.place.known()) {
    add(d.place, "");
  } else {
    for (NamedPlace& p : places_in(d.where, files)) {
      if (p.words.empty()) p.words = "the other place";
      add_place(out, std::move(p));
    }
  }
  for (const RelatedPlace& r : d.related) add(r.place, r.words);
  if (d.related.empty())
    for (NamedPlace& p : places_in_words(d, files)) add_place(out, std::move(p));
  return out;
}

std::string with_short_names(std::string text, const std::set<std::string>& files) {
  for (const std::string& f : files) {
    const std::string last = std::filesystem::path(f).filename().string();
    if (last.empty() || last == f) continue;
    for (std::size_t at = text.find(f); at != std::string::npos;
         at = text.find(f, at + last.size()))
      text.replace(at, f.size(), last);
  }
  return text;
}

}  // namespace tilewright::lsp
