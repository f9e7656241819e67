// Finds what the analyses know about a position in the editor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/lsp/view.h"

namespace tilewright::lsp {

// The name under the cursor, with what stands before its dots: "pl.tile.load".
struct NameAt {
  std::string path;  // the dotted name up to the end of the part under the cursor
  std::string last;  // that part
  Range range;       // of that part
  Position begin;    // of the whole
};
std::optional<NameAt> name_at(const Lines& lines, const Position& p);

Position position_in(const View& view, const Value& params);

// An analysis that has read the document, as its main file or as a module, with the text that it
// read.
struct Witness {
  AnalysisPtr analysis;
  std::shared_ptr<const Lines> lines;
  LineMap map;  // from the analysed text to the document

  // The position as line and column (from 1) of the analysed text; nothing when that line has
  // changed since.
  std::optional<std::pair<uint32_t, uint32_t>> place_of(const View& view, const Position& p) const;
};
// Its own analysis first, then those of its importers.
std::vector<Witness> witnesses(const View& view);

}  // namespace tilewright::lsp
