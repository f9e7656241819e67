#include "tilewright/lsp/lookup.h"

#include <algorithm>

#include "tilewright/lsp/diagnostics.h"

namespace tilewright::lsp {

std::optional<NameAt> name_at(const Lines& lines, const Position& p) {
  const std::string_view text = lines.line(p.line);
  std::size_t end = std::min(p.byte, text.size());
  while (end < text.size() && is_name_character(text[end])) ++end;
  std::size_t begin = end;
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  if (begin == end) return std::nullopt;
  std::size_t first = begin;
  while (first > 1 && text[first - 1] == '.' && is_name_character(text[first - 2])) {
    --first;
    while (first > 0 && is_name_character(text[first - 1])) --first;
  }
  return NameAt{std::string(text.substr(first, end - first)),
                std::string(text.substr(begin, end - begin)),
                {{p.line, begin}, {p.line, end}},
                {p.line, first}};
}

Position position_in(const View& view, const Value& params) {
  return view.document->lines.from_json(member(params, "position"), view.client.encoding);
}

std::optional<std::pair<uint32_t, uint32_t>> Witness::place_of(const View& view,
                                                               const Position& p) const {
  const int64_t line = map.backward(p.line);
  if (line < 0) return std::nullopt;
  const std::size_t character = character_of_byte(view.document->lines.line(p.line), p.byte);
  return std::pair{static_cast<uint32_t>(line + 1), static_cast<uint32_t>(character + 1)};
}

std::vector<Witness> witnesses(const View& view) {
  std::vector<Witness> out;
  const std::string& path = view.document->path;
  const auto add = [&](const AnalysisPtr& a) {
    if (!a || std::ranges::any_of(out, [&](const Witness& w) { return w.analysis == a; })) return;
    if (!files_of(*a).contains(path)) return;
    auto lines = lines_of(*a, path);
    const LineMap map(*lines, view.document->lines);
    out.push_back({a, std::move(lines), map});
  };
  add(view.good);
  add(view.latest);
  for (const AnalysisPtr& a : view.all) add(a);
  return out;
}

}  // namespace tilewright::lsp
