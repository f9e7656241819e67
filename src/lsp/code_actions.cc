// Quick fixes for diagnostics whose message names the intended word or the line to write.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/lsp/edits.h"
#include "tilewright/lsp/features.h"

namespace tilewright::lsp {
namespace {

std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  const std::size_t end = after.empty() ? text.size() : text.find(after, begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

struct Fix {
  std::string title;
  Range range;
  std::string text;
};

// "did you mean 'slice'?": replaces the part of the dotted name that is most similar to the
// suggestion.
std::optional<Fix> nearest_name(const std::string& message, const Lines& lines,
                                const Range& range) {
  const std::string meant = between(message, "did you mean '", "'");
  if (meant.empty()) return std::nullopt;
  const std::string_view line = lines.line(range.begin.line);
  const std::string written(line.substr(range.begin.byte, range.end.byte - range.begin.byte));
  std::vector<std::string> parts{written};
  for (const std::string& part : split(written, '.')) parts.push_back(part);
  const auto wrong = nearest(meant, parts);
  if (!wrong || wrong->empty() || *wrong == meant) return std::nullopt;
  const std::size_t at = range.begin.byte + written.find(*wrong);
  return Fix{fmt::format("change {} to {}", *wrong, meant),
             {{range.begin.line, at}, {range.begin.line, at + wrong->size()}},
             meant};
}

// "help: use pl.range" at a call of `range`.
std::optional<Fix> word_of_pl(const std::string& message, const Lines& lines, const Range& range) {
  const std::string help = between(message, "\nhelp: ", "");
  if (!help.starts_with("use pl.")) return std::nullopt;
  const std::string meant = help.substr(4);
  const std::string_view line = lines.line(range.begin.line);
  const std::string_view written = line.substr(range.begin.byte, range.end.byte - range.begin.byte);
  if ("pl." + std::string(written) != meant) return std::nullopt;
  return Fix{fmt::format("write {}", meant), range, meant};
}

// "help: write x = pl.add(x, y)" for x += y.
std::optional<Fix> whole_statement(const std::string& message, const Lines& lines,
                                   const Range& range) {
  const std::string help = between(message, "\nhelp: ", "");
  const bool augmented = message.starts_with("'") && message.find("=' ") != std::string::npos;
  if (!augmented || !help.starts_with("write ") || help.find("...") != std::string::npos)
    return std::nullopt;
  const std::string statement = help.substr(6);
  if (statement.find(" = ") == std::string::npos) return std::nullopt;
  Range whole = lines.whole_line(range.begin.line);
  const std::string_view line = lines.line(range.begin.line);
  if (const std::size_t comment = line.find('#'); comment != std::string_view::npos)
    whole.end.byte = line.find_last_not_of(' ', comment == 0 ? 0 : comment - 1) + 1;
  return Fix{fmt::format("write {}", statement), whole, statement};
}

}  // namespace

Value code_actions(const View& view, const Value& params) {
  Value out = Value::array();
  const Lines& lines = view.document->lines;
  const Value& list = optional_member(optional_member(params, "context"), "diagnostics");
  if (!list.is_array()) return out;
  for (const Value& d : list) {
    if (optional_member(d, "source") != "tilewright") continue;
    const std::string message = string_member(d, "message");
    const Value& range = member(d, "range");
    const Range r{lines.from_json(member(range, "start"), view.client.encoding),
                  lines.from_json(member(range, "end"), view.client.encoding)};
    if (r.begin.line != r.end.line || r.end < r.begin) continue;
    for (const auto find : {nearest_name, word_of_pl, whole_statement}) {
      const auto fix = find(message, lines, r);
      if (!fix) continue;
      out.push_back({{"title", fix->title},
                     {"kind", "quickfix"},
                     {"diagnostics", {d}},
                     {"isPreferred", true},
                     {"edit", workspace_edit(view, *view.document,
                                             {text_edit(lines, fix->range, fix->text,
                                                        view.client.encoding)})}});
    }
  }
  return out;
}

}  // namespace tilewright::lsp
