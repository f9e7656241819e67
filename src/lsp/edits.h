// Changes of texts as the protocol says them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/lsp/view.h"

namespace tilewright::lsp {

// Lines [begin, end) of the old text become `text`.
struct LineEdit {
  int64_t begin = 0, end = 0;  // from 0
  std::string text;
};

// What changed between two texts, in the order of the lines.
std::vector<LineEdit> line_edits(const std::string& before, const std::string& after);

Value text_edit(const Lines& lines, const Range& range, const std::string& text, Encoding e);
Value text_edit(const Lines& lines, const LineEdit& edit, Encoding e);

// Edits of one open document.
Value workspace_edit(const View& view, const Document& document, std::vector<Value> edits);
// A new file.
Value new_file_edit(const std::string& path, const std::string& text);

}  // namespace tilewright::lsp
