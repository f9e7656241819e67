// Completion of the words of pl with their signatures, of names that the document uses, and help
// while arguments are typed. All of it works on the text, which may be half typed.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/lsp/features.h"
#include "tilewright/lsp/lookup.h"
#include "tilewright/lsp/op_catalogue.h"

namespace tilewright::lsp {
namespace {

constexpr int kFunction = 3, kVariable = 6, kConstant = 21;
constexpr int64_t kMostLinesBack = 60;  // of an open call
constexpr std::size_t kMostNames = 500;

// What stands before the cursor: a dotted name, possibly ending with a dot.
std::string path_before(const Lines& lines, const Position& p) {
  const std::string_view text = lines.line(p.line);
  const std::size_t end = std::min(p.byte, text.size());
  std::size_t begin = end;
  while (begin > 0 && (is_name_character(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return std::string(text.substr(begin, end - begin));
}

Value op_item(const OpEntry& op, std::string_view typed) {
  return {{"label", op.name.substr(typed.size())},
          {"kind", kFunction},
          {"detail", op.signature()},
          {"documentation",
           {{"kind", "markdown"},
            {"value", op.rule.empty() ? op.meaning : op.meaning + "\n\nrule: " + op.rule}}}};
}

// Members of pl behind "pl." or "pl.Level.".
Value members_of_pl(const std::string& path) {
  const std::string typed = path.substr(3, path.rfind('.') + 1 - 3);  // "", "Level."
  Value items = Value::array();
  for (const OpEntry& op : op_catalogue())
    if (op.name.starts_with(typed)) items.push_back(op_item(op, typed));
  for (const std::string_view space : {"tile.", "tensor."})
    if (typed == space)
      for (const OpEntry& op : op_catalogue())
        if (op.operation) items.push_back(op_item(op, ""));
  for (const std::string& c : pl_constants()) {
    const std::string rest = c.starts_with(typed) ? c.substr(typed.size()) : "";
    if (!rest.empty() && rest.find('.') == std::string::npos)
      items.push_back({{"label", rest}, {"kind", kConstant}, {"detail", "pl." + c}});
  }
  return items;
}

// Names of the document, which are the names of its programs.
Value names_of_text(const Lines& lines, const std::string& typed) {
  std::set<std::string> names;
  const std::string& text = lines.text();
  for (std::size_t i = 0; i < text.size() && names.size() < kMostNames;) {
    std::size_t end = i;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const bool member = i > 0 && text[i - 1] == '.';
    if (end > i && !member && !(text[i] >= '0' && text[i] <= '9'))
      names.insert(text.substr(i, end - i));
    i = end + 1;
  }
  names.erase(typed);  // the word that is being typed
  Value items = Value::array();
  for (const std::string& n : names)
    if (n.starts_with(typed)) items.push_back({{"label", n}, {"kind", kVariable}});
  return items;
}

// The call that the cursor stands in: its name, and how many arguments are before the cursor.
struct OpenCall {
  std::string path;
  int64_t argument = 0;
  std::string keyword;  // of the argument under the cursor, if it is named
};

bool in_string_or_comment(std::string_view line, std::size_t byte) {
  char quote = 0;
  for (std::size_t i = 0; i < byte && i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == quote)
        quote = 0;
    } else if (line[i] == '\'' || line[i] == '"') {
      quote = line[i];
    } else if (line[i] == '#') {
      return true;
    }
  }
  return quote != 0;
}

std::string keyword_at(std::string_view line, std::size_t from, std::size_t to) {
  std::string_view text = line.substr(from, to - from);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return "";
  text = text.substr(0, equals);
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

std::optional<OpenCall> open_call(const Lines& lines, const Position& p) {
  int depth = 0;
  int64_t commas = 0;
  std::optional<std::string> keyword;
  for (int64_t n = p.line; n >= 0 && n > p.line - kMostLinesBack; --n) {
    const std::string_view text = lines.line(n);
    std::size_t last = n == p.line ? std::min(p.byte, text.size()) : text.size();
    for (std::size_t i = last; i-- > 0;) {
      const char c = text[i];
      if (std::string_view("()[]{},").find(c) == std::string_view::npos) continue;
      if (in_string_or_comment(text, i)) continue;
      if (c == ')' || c == ']' || c == '}') ++depth;
      if (c == ',' && depth == 0) {
        if (!keyword) keyword = keyword_at(text, i + 1, last);
        ++commas;
      }
      if (c != '(' && c != '[' && c != '{') continue;
      if (depth-- > 0) continue;
      if (c != '(') {  // inside a list that is an argument
        depth = 0;
        commas = 0;
        keyword.reset();
        continue;
      }
      if (!keyword) keyword = keyword_at(text, i + 1, std::max(last, i + 1));
      const auto name = i > 0 ? name_at(lines, {n, i - 1}) : std::nullopt;
      if (!name || name->range.end.byte != i) return std::nullopt;
      return OpenCall{name->path, commas, *keyword};
    }
  }
  return std::nullopt;
}

}  // namespace

Value completion(const View& view, const Value& params) {
  const Position p = position_in(view, params);
  if (in_string_or_comment(view.document->lines.line(p.line), p.byte)) return Value::array();
  const std::string path = path_before(view.document->lines, p);
  if (path.starts_with("pl.")) return members_of_pl(path);
  if (path.find('.') != std::string::npos) return Value::array();
  return names_of_text(view.document->lines, path);
}

Value signature_help(const View& view, const Value& params) {
  const auto call = open_call(view.document->lines, position_in(view, params));
  if (!call || !call->path.starts_with("pl.")) return nullptr;
  const OpEntry* op = find_op(call->path.substr(3));
  if (!op) return nullptr;
  std::vector<std::string> names = op->positional;
  names.insert(names.end(), op->keywords.begin(), op->keywords.end());
  Value parameters = Value::array();
  for (const std::string& n : names) parameters.push_back({{"label", n}});
  int64_t active = call->argument;
  if (const auto it = std::ranges::find(names, call->keyword); it != names.end())
    active = it - names.begin();
  return {{"signatures",
           {{{"label", op->signature()},
             {"documentation", op->meaning},
             {"parameters", std::move(parameters)}}}},
          {"activeSignature", 0},
          {"activeParameter", active}};
}

}  // namespace tilewright::lsp
