// The file around the programs. Goldens, mains and helper classes are skipped by indentation; what
// may be needed (constants, specs) is read as far as it goes, and missed only when it is used.
#include <fmt/format.h>

#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {

Body Parser::file() {
  Body body;
  while (peek().kind != TokenKind::End) body.push_back(top_level());
  return body;
}

void Parser::skip_line() {
  while (peek().kind != TokenKind::Newline && peek().kind != TokenKind::End) take();
  if (peek().kind == TokenKind::Newline) take();
}

// One past the last token of the compound statement that starts at `from`.
std::size_t Parser::block_end(std::size_t from) const {
  std::size_t i = from;
  while (tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End) ++i;
  if (tokens_[i].kind == TokenKind::End) return i;
  ++i;
  if (tokens_[i].kind != TokenKind::Indent) return i;
  int depth = 0;
  for (; tokens_[i].kind != TokenKind::End; ++i) {
    if (tokens_[i].kind == TokenKind::Indent) ++depth;
    if (tokens_[i].kind == TokenKind::Dedent && --depth == 0) return i + 1;
  }
  return i;
}

bool Parser::contains_program(std::size_t from, std::size_t to) const {
  for (std::size_t i = from; i + 2 < to; ++i)
    if (tokens_[i].is("@") && tokens_[i + 1].is("pl") && tokens_[i + 2].is(".") &&
        (i == 0 || tokens_[i - 1].kind != TokenKind::Name))
      return true;
  return false;
}

std::string Parser::source_line(std::size_t from) const {
  const std::size_t last = std::max(next_, from + 1) - 1;
  std::string out;
  for (std::size_t i = from; i < last && i < from + 12; ++i) {
    if (!out.empty()) out += ' ';
    out += tokens_[i].text;
  }
  return out;
}

const Stmt* Parser::skipped_block(std::string why) {
  Stmt* s = start(StmtKind::Skipped);
  s->why = std::move(why);
  if (peek(1).kind == TokenKind::Name && (at("def") || at("class"))) s->name = peek(1).text;
  const std::size_t end = block_end(next_);
  while (next_ < end && peek().kind != TokenKind::End) take();
  return s;
}

// `import a.b as c` and `from m import x, (y as z)`: the names, and where they come from.
const Stmt* Parser::import_statement() {
  Stmt* s = start(StmtKind::Skipped);
  s->why = "import";
  const std::size_t from = next_;
  skip_line();
  const std::size_t end = next_;
  std::string module;
  bool names = tokens_[from].is("import");
  for (std::size_t i = from + 1; i < end; ++i) {
    const Token& t = tokens_[i];
    if (!names && t.is("import")) {
      names = true;
      continue;
    }
    if (!names) {
      module += t.text;
      continue;
    }
    // The last name before a comma or the end is the one that is bound.
    const Token& after = tokens_[i + 1];
    if (t.kind == TokenKind::Name && t.text != "as" &&
        (after.is(",") || after.is(")") || after.kind != TokenKind::Operator) && !after.is("as"))
      s->targets.push_back(node(ExprKind::Name, t.at, {}, t.text));
  }
  s->why = module.empty() ? "import" : fmt::format("imported from {}", module);
  return s;
}

const Stmt* Parser::lenient_statement() {
  // Not even Python: and skipping it would leave the blocks around it without their ends.
  if (peek().kind == TokenKind::Indent)
    fail(peek(), "an indented line without a block", "align it with the line before");
  const std::size_t from = next_;
  const int blocks = blocks_;
  try {
    return statement();
  } catch (const UserError& e) {
    next_ = from;
    blocks_ = blocks;
    values_ = 0;
    Stmt* s = start(StmtKind::Skipped);
    s->why = e.diagnostic().what;
    if (peek().kind == TokenKind::Name && peek(1).is("=")) s->name = peek().text;
    next_ = std::min(std::max(block_end(from), from + 1), tokens_.size() - 1);
    return s;
  }
}

const Stmt* Parser::top_level() {
  if (at("import") || at("from")) return import_statement();
  const std::size_t from = next_;
  std::size_t head = from;  // of the def or class behind its decorators
  bool decorated_by_pl = false;
  while (tokens_[head].is("@")) {
    decorated_by_pl = decorated_by_pl || tokens_[head + 1].is("pl");
    head = block_end(head);
  }
  const Token& word = tokens_[head];
  if (word.is("def") || word.is("class")) {
    if (decorated_by_pl) return statement();
    const std::size_t end = block_end(head);
    if (word.is("def") && contains_program(head, end)) return statement();
    if (word.is("def") && tokens_[head + 1].text.find("spec") != std::string_view::npos) {
      lenient_ = true;
      next_ = head;
      const Stmt* s = lenient_statement();
      lenient_ = false;
      return s;
    }
    while (next_ < head) take();
    return skipped_block(word.is("def") ? "a Python function" : "a Python class");
  }
  for (std::string_view compound :
       {"if", "for", "while", "try", "with", "else", "elif", "except", "finally", "async"})
    if (at(compound)) return skipped_block(fmt::format("inside '{}'", compound));
  return lenient_statement();
}

}  // namespace tilewright::frontend
