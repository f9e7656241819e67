#include "tilewright/lsp/advice_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tilewright/base/text.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/program.h"
#include "tilewright/lsp/edits.h"
#include "tilewright/session/predict.h"

namespace tilewright::lsp {
namespace {

using improve::Finding;
namespace fs = std::filesystem;

constexpr std::string_view kKind = "refactor.rewrite";

std::string title_of(const Finding& f) {
  const std::string scope = f.where.scope.empty() ? "" : " in " + f.where.scope;
  return fmt::format("{}{}: {} ({:.1f} us -> {:.1f} us, predicted)", f.code, scope, f.change,
                     f.now_us, f.after_us);
}

// Edits that write the new values of constants over the old ones. Nothing when a constant is in
// another file: the user would not see that file change.
std::optional<Value> constants_edit(const View& view, const Analysis& a, const Finding& f) {
  std::vector<Value> edits;
  for (const auto& [name, value] : f.set) {
    const auto it = std::ranges::find(a.arguments, name, &frontend::Argument::name);
    if (it == a.arguments.end() || it->written.empty()) return std::nullopt;
    for (const Written& w : it->written) {
      if (w.place.file != view.document->path) return std::nullopt;
      const Position from = view.document->lines.of_place(w.place.line, w.place.column);
      const Position to{from.line, from.byte + w.text.size()};
      Value edit = text_edit(view.document->lines, Range{from, to}, std::to_string(value),
                             view.client.encoding);
      if (std::ranges::find(edits, edit) == edits.end()) edits.push_back(std::move(edit));
    }
  }
  return workspace_edit(view, *view.document, std::move(edits));
}

bool is_listing(const std::string& text) { return text.starts_with("# tilewright: program "); }

// The canonical listing (`show`) of a program text; nothing when the text is not a valid program.
std::optional<std::string> listing_of(const std::string& path, const std::string& text) {
  try {
    const frontend::File file = frontend::File::parse(path, text);
    const ir::Program program = file.lower("", {}).program;
    if (!program.diagnostics.has_errors()) return ir::print(program);
  } catch (const UserError&) {}
  return std::nullopt;
}

// Edits for a listing that begins with named constants. Its lines are those of the plain listing,
// shifted down by the constants, so the edits of the plain listing are shifted too. Nothing when
// the edited text does not read as the new program.
std::optional<std::vector<LineEdit>> edits_among_constants(const Document& document,
                                                           const std::string& before,
                                                           const std::string& after) {
  const auto class_line = [](const std::vector<std::string>& lines) {
    const auto it =
        std::ranges::find_if(lines, [](const std::string& l) { return l.starts_with("@pl."); });
    return it - lines.begin();
  };
  std::vector<std::string> lines = split(document.text(), '\n');
  const std::vector<std::string> plain = split(before, '\n');
  const auto shift = class_line(lines) - class_line(plain);
  if (static_cast<std::ptrdiff_t>(lines.size()) - static_cast<std::ptrdiff_t>(plain.size()) !=
      shift)
    return std::nullopt;
  std::vector<LineEdit> edits = line_edits(before, after);
  std::string text;
  std::size_t next = 0;
  for (LineEdit& e : edits) {
    e.begin += shift;
    e.end += shift;
    if (e.begin < class_line(lines)) return std::nullopt;
    for (; next < static_cast<std::size_t>(e.begin); ++next) text += lines[next] + "\n";
    text += e.text;
    next = static_cast<std::size_t>(e.end);
  }
  for (; next < lines.size(); ++next) text += lines[next] + (next + 1 < lines.size() ? "\n" : "");
  if (listing_of(document.path, text) != after) return std::nullopt;
  return edits;
}

// A path beside `path` at which no file exists; the name is a valid Python module name.
std::string free_name(const std::string& path, std::string code) {
  std::ranges::replace(code, '-', '_');
  const fs::path old(path);
  for (int i = 1;; ++i) {
    const fs::path fresh = old.parent_path() / fmt::format("{}_{}{}.py", old.stem().string(), code,
                                                           i == 1 ? "" : "_" + std::to_string(i));
    std::error_code error;
    if (!fs::exists(fresh, error) || i == 100) return fresh.string();
  }
}

// The edit that applies a rewritten program: it changes a listing in place, and writes a new file
// beside any other document.
std::optional<Value> program_edit(const View& view, const ir::Program& original, const Finding& f) {
  const std::string after = ir::print(*f.rewritten);
  const Document& document = *view.document;
  if (is_listing(document.text())) {
    auto edits = edits_among_constants(document, ir::print(original), after);
    if (!edits) edits = line_edits(document.text(), after);
    std::vector<Value> out;
    for (const LineEdit& e : *edits)
      out.push_back(text_edit(document.lines, e, view.client.encoding));
    return workspace_edit(view, document, std::move(out));
  }
  if (!view.client.creates_files || !document.path.starts_with('/')) return std::nullopt;
  return new_file_edit(free_name(document.path, f.code), after);
}

}  // namespace

bool AdviceCache::is_wanted(const Value& params) {
  const Value& context = optional_member(params, "context");
  if (optional_member(context, "triggerKind") == 2) return false;
  const Value& only = optional_member(context, "only");
  if (!only.is_array() || only.empty()) return true;
  return std::ranges::any_of(only, [](const Value& kind) {
    return kind.is_string() &&
           (kKind == kind.get<std::string>() || kKind.starts_with(kind.get<std::string>() + "."));
  });
}

bool AdviceCache::knows(const AnalysisPtr& analysis) const {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(analysis->document->path);
  return it != known_.end() && it->second->analysis == analysis;
}

void AdviceCache::look(const AnalysisPtr& analysis, const Settings& settings) {
  if (knows(analysis)) return;
  const session::Request request = settings.request();
  auto fresh = std::make_shared<Known>();
  fresh->analysis = analysis;
  // The time limit is divided equally among the programs of the file.
  const double seconds = settings.advice_seconds /
                         static_cast<double>(std::max<std::size_t>(analysis->programs.size(), 1));
  if (session::can_predict(request))
    for (std::size_t i = 0; i < analysis->programs.size(); ++i) {
      const CheckedProgram& p = analysis->programs[i];
      if (!p.ready()) continue;
      const improve::Advice advice =
          improve::advise(*p.def, request, {.time = std::chrono::duration<double>(seconds)});
      for (const Finding& f : advice.findings)
        if (f.mechanical()) fresh->findings.emplace_back(i, std::make_shared<const Finding>(f));
    }
  const std::lock_guard lock(mutex_);
  known_[analysis->document->path] = std::move(fresh);
}

std::vector<Value> AdviceCache::actions(const View& view) const {
  std::shared_ptr<const Known> known;
  {
    const std::lock_guard lock(mutex_);
    const auto it = known_.find(view.document->path);
    if (it == known_.end() || it->second->analysis != view.latest) return {};
    known = it->second;
  }
  if (known->analysis->document->text() != view.document->text()) return {};
  std::vector<Value> out;
  for (const auto& [program, f] : known->findings) {
    const CheckedProgram& p = known->analysis->programs[program];
    const auto edit = f->rewritten ? program_edit(view, p.session->program(), *f)
                                   : constants_edit(view, *known->analysis, *f);
    if (edit) out.push_back({{"title", title_of(*f)}, {"kind", kKind}, {"edit", *edit}});
  }
  return out;
}

void AdviceCache::forget(const std::string& path) {
  const std::lock_guard lock(mutex_);
  known_.erase(path);
}

}  // namespace tilewright::lsp
