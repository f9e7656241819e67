#include "tilewright/lsp/name_index.h"

#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/lsp/name_scope.h"

namespace tilewright::lsp {
namespace {

using frontend::Body;
using frontend::Expr;
using frontend::ExprKind;
using frontend::Stmt;
using frontend::StmtKind;

class Indexer {
 public:
  Indexer(const frontend::Parsed& parsed, const Files& files)
      : parsed_(parsed), files_(files), lines_(std::string(parsed.source().text())) {}

  std::vector<Occurrence> run() {
    NameScope module;
    declare(parsed_.body(), module);
    walk(parsed_.body(), module);
    return std::move(out_);
  }

 private:
  const std::string& file() const { return parsed_.source().name(); }

  // Where a word of the syntax tree stands: it points into the text.
  void add_word(std::string_view word, const NameKey& key, bool defines) {
    const std::string_view text = parsed_.source().text();
    if (word.data() < text.data() || word.data() + word.size() > text.data() + text.size()) return;
    const auto offset = static_cast<std::size_t>(word.data() - text.data());
    out_.push_back({lines_.position(offset), word.size(), key, defines, false});
  }

  void declare_name(NameScope& s, std::string_view name) {
    s.names.try_emplace(std::string(name), NameKey{file(), s.number, std::string(name)});
  }
  void declare(const Body& body, NameScope& s) {
    std::vector<std::string_view> bound;
    frontend::collect_bound(body, bound);
    for (const std::string_view n : bound) declare_name(s, n);
    declare_imports(body, s);
  }

  // Imports first, since functions before them may use them.
  void declare_imports(const Body& body, NameScope& s) {
    for (const Stmt* stmt : body) {
      if (stmt->kind == StmtKind::Import) declare_import(*stmt, s);
      if (stmt->kind == StmtKind::Function || stmt->kind == StmtKind::Class) continue;
      for (const Body* inner : {&stmt->body, &stmt->other, &stmt->last}) declare_imports(*inner, s);
      for (const Body& inner : stmt->handlers) declare_imports(inner, s);
    }
  }
  void declare_import(const Stmt& stmt, NameScope& s) {
    const std::string from = stmt.module.empty() ? "" : module_file(stmt.module, file(), files_);
    for (const frontend::ImportName& n : stmt.imports) {
      if (n.name == "*") continue;
      if (stmt.module.empty()) {
        if (const auto path = module_file(n.name, file(), files_); !path.empty())
          s.modules[n.bound] = path;
        continue;
      }
      const std::string dot = stmt.module.ends_with('.') ? "" : ".";
      const auto inner = module_file(stmt.module + dot + n.name, file(), files_);
      if (!inner.empty())
        s.modules[n.bound] = inner;
      else if (!from.empty())
        s.names[n.bound] = {from, 0, n.name};
    }
  }

  void walk(const Body& body, NameScope& s) {
    for (const Stmt* stmt : body) walk(*stmt, s);
  }
  void walk(const Stmt& stmt, NameScope& s) {
    for (const Expr* e : stmt.decorators) walk(e, s);
    for (const Expr* e : stmt.bases) walk(e, s);
    walk(stmt.annotation, s);
    walk(stmt.value, s);
    for (const Expr* t : stmt.targets) target(t, s);
    for (const Expr* t : stmt.also) target(t, s);
    for (const frontend::ImportName& n : stmt.imports) import_name(n, s);
    const bool named = !stmt.name.empty() && stmt.kind != StmtKind::Augment;
    if (named)
      if (const NameKey* key = s.find(stmt.name)) add_word(stmt.name, *key, true);
    if (stmt.kind == StmtKind::Function) return function(stmt, s);
    if (stmt.kind == StmtKind::Class) return inner_scope(stmt.body, s, true);
    for (const Body* inner : {&stmt.body, &stmt.other, &stmt.last}) walk(*inner, s);
    for (const Body& inner : stmt.handlers) walk(inner, s);
  }

  void import_name(const frontend::ImportName& n, NameScope& s) {
    const NameKey* key = s.find(n.bound);
    if (!key || n.name == "*") return;
    out_.push_back({lines_.of_place(n.at.line, n.at.column), n.name.size(), *key, true, true});
  }

  void inner_scope(const Body& body, NameScope& s, bool of_class) {
    NameScope inner{&s, ++scopes_, of_class, {}, {}};
    declare(body, inner);
    walk(body, inner);
  }
  void function(const Stmt& stmt, NameScope& s) {
    NameScope inner{&s, ++scopes_, false, {}, {}};
    parameters(stmt.parameters, s, inner);
    declare(stmt.body, inner);
    walk(stmt.body, inner);
  }
  void parameters(const std::vector<frontend::Parameter>& list, NameScope& s, NameScope& inner) {
    for (const frontend::Parameter& p : list) {
      walk(p.annotation, s);
      walk(p.initial, s);
      declare_name(inner, p.name);
      add_word(p.name, inner.names.find(p.name)->second, true);
    }
  }

  void target(const Expr* e, NameScope& s) {
    if (e->kind == ExprKind::Name) {
      if (const NameKey* key = s.find(e->text)) add_word(e->text, *key, true);
      return;
    }
    const bool parts =
        e->kind == ExprKind::Tuple || e->kind == ExprKind::List || e->kind == ExprKind::Starred;
    if (!parts) return walk(e, s);
    for (const Expr* part : e->parts) target(part, s);
  }

  void walk(const Expr* e, NameScope& s) {
    if (!e) return;
    if (e->kind == ExprKind::Name) {
      if (const NameKey* key = s.find(e->text)) add_word(e->text, *key, false);
      return;
    }
    if (e->kind == ExprKind::Attribute) attribute(*e, s);
    if (e->kind == ExprKind::Lambda || e->kind == ExprKind::Comprehension) return closed(*e, s);
    for (const Expr* part : e->parts) walk(part, s);
    for (const frontend::Keyword& k : e->keywords) walk(k.value, s);
  }

  // A lambda or comprehension has names of its own.
  void closed(const Expr& e, NameScope& s) {
    NameScope inner{&s, ++scopes_, false, {}, {}};
    parameters(e.parameters, s, inner);
    for (const frontend::Clause& c : e.clauses) {
      walk(c.range, inner);
      std::vector<std::string_view> bound;
      Stmt loop;
      loop.targets = {c.target};
      frontend::collect_bound({&loop}, bound);
      for (const std::string_view n : bound) declare_name(inner, n);
      target(c.target, inner);
      for (const Expr* condition : c.conditions) walk(condition, inner);
    }
    for (const Expr* part : e.parts) walk(part, inner);
  }

  // module.name and self.method.
  void attribute(const Expr& e, const NameScope& s) {
    const Expr& base = *e.parts[0];
    if (const std::string path = frontend::dotted_path(base); !path.empty())
      if (const std::string* module = s.find_module(path))
        return add_word(e.text, {*module, 0, std::string(e.text)}, false);
    if (base.kind != ExprKind::Name || base.text != "self") return;
    for (const NameScope* c = &s; c; c = c->outer)
      if (c->of_class)
        if (const auto it = c->names.find(e.text); it != c->names.end())
          return add_word(e.text, it->second, false);
  }

  const frontend::Parsed& parsed_;
  const Files& files_;
  const Lines lines_;
  int scopes_ = 0;
  std::vector<Occurrence> out_;
};

}  // namespace

std::vector<Occurrence> index_names(const frontend::Parsed& parsed, const Files& files) {
  return Indexer(parsed, files).run();
}

}  // namespace tilewright::lsp
