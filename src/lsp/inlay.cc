// Inlay hints: the type and memory of every tensor and tile, behind the name that it is given.
#include "tilewright/lsp/features.h"
#include "tilewright/lsp/lookup.h"
#include "tilewright/lsp/values.h"

namespace tilewright::lsp {

Value inlay_hints(const View& view, const Value& params) {
  Value out = Value::array();
  if (!view.settings->inlay_hints) return out;
  const Lines& lines = view.document->lines;
  const Value& range = member(params, "range");
  const Position from = lines.from_json(member(range, "start"), view.client.encoding);
  const Position to = lines.from_json(member(range, "end"), view.client.encoding);
  std::map<Position, std::string> hints;
  for (const Witness& w : witnesses(view))
    for (const CheckedProgram& p : w.analysis->programs) {
      const auto file = p.names.find(view.document->path);
      if (file == p.names.end() || !p.session || !p.session->built()) continue;
      for (const auto& [at, sighting] : file->second) {
        const int64_t line = w.map.forward(int64_t{at.first} - 1);
        if (line < from.line || line > to.line) continue;
        const std::string text = value_hint(*p.session, sighting);
        if (text.empty()) continue;
        const std::size_t end =
            byte_of_character(lines.line(line), at.second - 1) + sighting.name.size();
        hints.try_emplace(Position{line, end}, text);
      }
    }
  for (const auto& [position, text] : hints)
    out.push_back({{"position", lines.to_json(position, view.client.encoding)},
                   {"label", ": " + text},
                   {"kind", 1},
                   {"paddingLeft", false}});
  return out;
}

}  // namespace tilewright::lsp
