// Document symbols: programs, functions, scopes and the constants of the file.
#include "tilewright/frontend/evaluate/evaluator.h"
#include "tilewright/lsp/features.h"
#include "tilewright/lsp/lookup.h"

namespace tilewright::lsp {
namespace {

using frontend::Body;
using frontend::Expr;
using frontend::ExprKind;
using frontend::Stmt;
using frontend::StmtKind;

constexpr int kModuleKind = 2, kClassKind = 5, kFunctionKind = 12, kConstantKind = 14,
              kMethodKind = 6;

// The name of `with pl.at(name_hint="x")` or `for i in pl.spmd(n, name_hint="x")`.
std::string scope_name(const Stmt& s) {
  if ((s.kind != StmtKind::With && s.kind != StmtKind::For) || !s.value ||
      s.value->kind != ExprKind::Call)
    return "";
  const std::string path = frontend::dotted_path(*s.value->parts[0]);
  if (!path.starts_with("pl.")) return "";
  for (const frontend::Keyword& k : s.value->keywords)
    if (k.name == "name_hint" && k.value->kind == ExprKind::String) return k.value->string;
  return s.kind == StmtKind::With ? path : "";
}

class SymbolWriter {
 public:
  SymbolWriter(const View& view, const Witness& w) : view_(view), map_(w.map) {
    const Lines& lines = *w.lines;
    last_ = static_cast<int64_t>(lines.count());
  }

  // Symbols of statements that end before line `end`, counted from 1.
  Value symbols(const Body& body, int64_t end, bool in_class = false) {
    Value out = Value::array();
    for (std::size_t i = 0; i < body.size(); ++i) {
      const int64_t next = i + 1 < body.size() ? first_line(*body[i + 1]) : end;
      add(*body[i], next, in_class, out);
    }
    return out;
  }
  int64_t last() const { return last_ + 1; }

 private:
  static int64_t first_line(const Stmt& s) {
    return s.decorators.empty() ? s.at.line : std::min(s.at.line, s.decorators[0]->at.line);
  }

  void add(const Stmt& s, int64_t end, bool in_class, Value& out) {
    if (s.kind == StmtKind::Class)
      return put(std::string(s.name), kClassKind, s, end, symbols(s.body, end, true), out);
    if (s.kind == StmtKind::Function)
      return put(std::string(s.name), in_class ? kMethodKind : kFunctionKind, s, end,
                 symbols(s.body, end), out);
    if (const std::string name = scope_name(s); !name.empty())
      return put(name, kModuleKind, s, end, symbols(s.body, end), out);
    if (s.kind == StmtKind::Assign && s.at.column == 1 && s.targets.size() == 1 &&
        s.targets[0]->kind == ExprKind::Name)
      return put(std::string(s.targets[0]->text), kConstantKind, s, end, Value::array(), out);
    for (const Body* inner : {&s.body, &s.other})
      for (Value& v : symbols(*inner, end)) out.push_back(std::move(v));
  }

  void put(const std::string& name, int kind, const Stmt& s, int64_t end, Value children,
           Value& out) {
    const Lines& lines = view_.document->lines;
    const int64_t first = map_.forward(first_line(s) - 1),
                  at = map_.forward(int64_t{s.at.line} - 1);
    if (first < 0 || at < 0 || name.empty()) return;
    int64_t to = end - 2;  // the line before the next statement, from 0
    while (to > s.at.line - 1 && blank(to)) --to;
    int64_t last = map_.forward(to);
    if (last < at) last = at;
    const Encoding e = view_.client.encoding;
    const Range whole{{first, 0}, {last, lines.line(last).size()}};
    out.push_back({{"name", name},
                   {"kind", kind},
                   {"range", lines.to_json(whole, e)},
                   {"selectionRange", lines.to_json(lines.whole_line(at), e)},
                   {"children", std::move(children)}});
  }
  bool blank(int64_t analysed) const {
    const std::string_view text = view_.document->lines.line(map_.forward(analysed));
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos || text[first] == '#';
  }

  const View& view_;
  const LineMap& map_;
  int64_t last_ = 0;
};

// For clients that know no tree.
void flatten(const Value& tree, const std::string& uri, const std::string& container, Value& out) {
  for (const Value& s : tree) {
    out.push_back({{"name", s["name"]},
                   {"kind", s["kind"]},
                   {"location", {{"uri", uri}, {"range", s["range"]}}},
                   {"containerName", container}});
    flatten(s["children"], uri, s["name"], out);
  }
}

}  // namespace

Value document_symbols(const View& view, const Value&) {
  for (const Witness& w : witnesses(view)) {
    if (w.analysis->document->path != view.document->path || !w.analysis->readable()) continue;
    SymbolWriter writer(view, w);
    Value tree = writer.symbols(w.analysis->files[0]->body(), writer.last());
    if (view.client.nested_symbols) return tree;
    Value flat = Value::array();
    flatten(tree, view.document->uri, "", flat);
    return flat;
  }
  return Value::array();
}

}  // namespace tilewright::lsp
