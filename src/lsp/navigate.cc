// Definitions and references, also in other modules.
#include <algorithm>
#include <optional>

#include "tilewright/lsp/diagnostics.h"
#include "tilewright/lsp/features.h"
#include "tilewright/lsp/lookup.h"
#include "tilewright/lsp/name_index.h"
#include "tilewright/lsp/uri.h"

namespace tilewright::lsp {
namespace {

// An occurrence in a file that some analysis has read.
struct Found {
  std::string file;
  Occurrence what;
};

class Navigator {
 public:
  explicit Navigator(const View& view) : view_(view) {
    for (const Witness& w : witnesses(view)) add_files(w.analysis);
    for (const AnalysisPtr& a : view.all) add_files(a);
  }

  // What stands under the cursor.
  std::optional<Found> at(const Position& p) {
    const std::string& path = view_.document->path;
    for (const Found& f : occurrences(path)) {
      const auto now = position_now(f);
      if (now && now->line == p.line && now->byte <= p.byte && p.byte <= now->byte + f.what.size)
        return f;
    }
    return std::nullopt;
  }

  std::vector<Found> of(const NameKey& key) {
    std::vector<Found> out;
    for (const auto& parsed : files_)
      for (const Found& f : occurrences(parsed->source().name()))
        if (f.what.key == key) out.push_back(f);
    return out;
  }

  std::optional<Value> location(const Found& f) {
    const auto now = position_now(f);
    if (!now) return std::nullopt;
    const auto open = open_.find(f.file);
    const Lines& lines = open == open_.end() ? text_of_file(f.file) : open->second->lines;
    const Range range{*now, {now->line, now->byte + f.what.size}};
    return Value{{"uri", open == open_.end() ? uri_of_path(f.file) : open->second->uri},
                 {"range", lines.to_json(range, view_.client.encoding)}};
  }

 private:
  void add_files(const AnalysisPtr& a) {
    for (const auto& parsed : a->files) {
      const std::string& name = parsed->source().name();
      const auto known =
          std::ranges::find_if(files_, [&](const auto& f) { return f->source().name() == name; });
      if (known == files_.end()) files_.push_back(parsed);
    }
    for (const auto& [path, document] : a->open) open_[path] = document;
    open_[view_.document->path] = view_.document;
  }

  const std::vector<Found>& occurrences(const std::string& file) {
    const auto [it, added] = indexed_.try_emplace(file);
    if (!added) return it->second;
    for (const auto& parsed : files_)
      if (parsed->source().name() == file)
        for (Occurrence& o : index_names(*parsed, files_))
          it->second.push_back({file, std::move(o)});
    return it->second;
  }

  const Lines& text_of_file(const std::string& file) {
    auto& lines = texts_[file];
    for (const auto& parsed : files_)
      if (!lines && parsed->source().name() == file)
        lines = std::make_unique<Lines>(std::string(parsed->source().text()));
    if (!lines) lines = std::make_unique<Lines>("");
    return *lines;
  }

  // Where it is in the document as it is open now; nothing when its line has changed.
  std::optional<Position> position_now(const Found& f) {
    const auto open = open_.find(f.file);
    if (open == open_.end()) return f.what.at;
    auto& map = maps_[f.file];
    if (!map) map.emplace(text_of_file(f.file), open->second->lines);
    const int64_t line = map->forward(f.what.at.line);
    if (line < 0) return std::nullopt;
    return Position{line, f.what.at.byte};
  }

  const View& view_;
  Files files_;
  DocumentMap open_;
  std::map<std::string, std::vector<Found>> indexed_;
  std::map<std::string, std::unique_ptr<Lines>> texts_;
  std::map<std::string, std::optional<LineMap>> maps_;
};

// Of a name that is assigned again and again: the last assignment before the cursor, in a function
// that is read from top to bottom the one that counts; else the first.
const Found* definition_for(const std::vector<Found>& all, const Found& here) {
  const Found *first = nullptr, *before = nullptr;
  for (const Found& f : all) {
    if (!f.what.defines || f.what.imports) continue;
    if (!first || (f.file == first->file && f.what.at < first->what.at)) first = &f;
    if (f.file == here.file && f.what.at < here.what.at && (!before || before->what.at < f.what.at))
      before = &f;
  }
  return before && !here.what.defines ? before : first;
}

}  // namespace

Value definition(const View& view, const Value& params) {
  Navigator navigator(view);
  const auto here = navigator.at(position_in(view, params));
  if (!here) return nullptr;
  std::vector<Found> all = navigator.of(here->what.key);
  const Found* found = definition_for(all, *here);
  if (!found) return nullptr;
  const auto location = navigator.location(*found);
  return location ? *location : Value();
}

Value references(const View& view, const Value& params) {
  Navigator navigator(view);
  const auto here = navigator.at(position_in(view, params));
  if (!here) return Value::array();
  const Value& with = optional_member(optional_member(params, "context"), "includeDeclaration");
  const bool declarations = !with.is_boolean() || with.get<bool>();
  const std::vector<Found> all = navigator.of(here->what.key);
  const Found* first = definition_for(all, *here);
  Value out = Value::array();
  for (const Found& f : all) {
    if (!declarations && first && f.file == first->file && f.what.at == first->what.at) continue;
    if (const auto location = navigator.location(f)) out.push_back(*location);
  }
  return out;
}

}  // namespace tilewright::lsp
