// The file around the programs. What cannot be read there is missed only when it is used.
#include <fmt/format.h>

#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {

Body Parser::file() {
  Body body;
  while (peek().kind != TokenKind::End) top_level(body);
  return body;
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
  constexpr std::size_t kLongest = 80;
  std::string out;
  const char* end = nullptr;  // of the token before, which lies in the same text
  for (std::size_t i = from; i < next_; ++i) {
    const std::string_view text = tokens_[i].text;
    if (text.empty()) continue;
    if (end && text.data() != end) out += ' ';
    if (out.size() + text.size() > kLongest) return out + "...";
    out += text;
    end = text.data() + text.size();
  }
  return out;
}

// The statement at `from` as something that cannot be read, with the name it would define.
const Stmt* Parser::skipped(std::size_t from, std::string why) {
  next_ = from;
  Stmt* s = start(StmtKind::Skipped);
  s->why = std::move(why);
  std::size_t head = from;
  while (tokens_[head].is("@")) head = block_end(head);
  if (tokens_[head].is("async")) ++head;
  if (tokens_[head].is("def") || tokens_[head].is("class"))
    s->name = tokens_[head + 1].text;
  else if (tokens_[head].kind == TokenKind::Name && tokens_[head + 1].is("="))
    s->name = tokens_[head].text;
  next_ = std::min(std::max(block_end(head), from + 1), tokens_.size() - 1);
  return s;
}

void Parser::tolerant_statements(Body& body) {
  // Not even Python: and skipping it would leave the blocks around it without their ends.
  if (peek().kind == TokenKind::Indent)
    fail(peek(), "an indented line without a block", "align it with the line before");
  const std::size_t from = next_;
  try {
    statements(body);
  } catch (const UserError& e) {
    blocks_ = 0;
    values_ = 0;
    body.push_back(skipped(from, e.diagnostic().what));
  }
}

void Parser::top_level(Body& body) {
  std::size_t head = next_;  // of the def or class behind its decorators
  while (tokens_[head].is("@")) head = block_end(head);
  in_program_ = contains_program(next_, block_end(head));
  if (in_program_)
    block_statements(body);
  else
    tolerant_statements(body);
  in_program_ = false;
}

}  // namespace tilewright::frontend
