#include "tilewright/lsp/edits.h"

#include <cstdio>

#include "tilewright/base/diff.h"
#include "tilewright/base/text.h"
#include "tilewright/lsp/uri.h"

namespace tilewright::lsp {

std::vector<LineEdit> line_edits(const std::string& before, const std::string& after) {
  std::vector<LineEdit> out;
  int64_t line = 0;  // of the old text
  bool open = false;
  for (const std::string& row : split(unified_diff(before, after, "a", "b"), '\n')) {
    if (row.starts_with("--- ") && out.empty() && line == 0) continue;
    if (row.starts_with("+++ ") && out.empty() && line == 0) continue;
    if (row.starts_with("@@ ")) {
      long long first = 1;
      int lines = 1;
      if (std::sscanf(row.c_str(), "@@ -%lld,%d", &first, &lines) < 1) return {};
      line = lines == 0 ? first : first - 1;  // an empty part stands behind the line it names
      open = false;
      continue;
    }
    if (row.empty() || row[0] == '\\') continue;
    if (row[0] == ' ') {
      open = false;
      ++line;
      continue;
    }
    if (!open) out.push_back({line, line, ""});
    open = true;
    if (row[0] == '-') {
      ++line;
      out.back().end = line;
    } else {
      out.back().text += row.substr(1) + "\n";
    }
  }
  return out;
}

Value text_edit(const Lines& lines, const Range& range, const std::string& text, Encoding e) {
  return {{"range", lines.to_json(range, e)}, {"newText", text}};
}

Value text_edit(const Lines& lines, const LineEdit& edit, Encoding e) {
  return text_edit(lines, Range{{edit.begin, 0}, {edit.end, 0}}, edit.text, e);
}

Value workspace_edit(const View& view, const Document& document, std::vector<Value> edits) {
  if (!view.client.versioned_edits) return {{"changes", {{document.uri, std::move(edits)}}}};
  return {{"documentChanges",
           {{{"textDocument", {{"uri", document.uri}, {"version", document.version}}},
             {"edits", std::move(edits)}}}}};
}

Value new_file_edit(const std::string& path, const std::string& text) {
  const std::string uri = uri_of_path(path);
  const Value start{{"line", 0}, {"character", 0}};
  return {{"documentChanges",
           {{{"kind", "create"}, {"uri", uri}},
            {{"textDocument", {{"uri", uri}, {"version", nullptr}}},
             {"edits", {{{"range", {{"start", start}, {"end", start}}}, {"newText", text}}}}}}}};
}

}  // namespace tilewright::lsp
