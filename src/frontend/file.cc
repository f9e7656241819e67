#include "tilewright/frontend/file.h"

#include "tilewright/frontend/constants.h"
#include "tilewright/frontend/parser.h"

namespace tilewright::frontend {

std::shared_ptr<const Parsed> Parsed::parse(Source source) {
  const std::shared_ptr<Parsed> out(new Parsed(std::move(source)));
  Tokens tokens = tokenize(out->source_);
  out->body_ = Parser(out->source_, tokens.list, out->ast_).file();
  out->directives_ = std::move(tokens.directives);
  return out;
}

Body Parsed::body_without_builders() const {
  Body out;
  for (const Stmt* s : body_)
    if (s->kind != StmtKind::Function || is_decorated_by_pl(*s)) out.push_back(s);
  return out;
}

}  // namespace tilewright::frontend
