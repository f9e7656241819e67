#include "tilewright/frontend/file.h"

#include <cstdlib>

#include "tilewright/frontend/parse/parser.h"

namespace tilewright::frontend {

std::shared_ptr<const Parsed> Parsed::parse(Source source) {
  const std::shared_ptr<Parsed> out(new Parsed(std::move(source)));
  Tokens tokens = tokenize(out->source_);
  Parser parser(out->source_, tokens.list, out->ast_);
  out->body_ = parser.file();
  out->errors_ = parser.take_errors();
  for (std::size_t i = 0; i + 2 < tokens.list.size(); ++i)
    if ((tokens.list[i].is("rtol") || tokens.list[i].is("atol")) && tokens.list[i + 1].is("=") &&
        tokens.list[i + 2].kind == TokenKind::Number)
      out->tolerances_.emplace(tokens.list[i].text,
                               std::strtod(std::string(tokens.list[i + 2].text).c_str(), nullptr));
  out->directives_ = std::move(tokens.directives);
  return out;
}

std::optional<double> Parsed::tolerance(std::string_view name) const {
  const auto it = tolerances_.find(name);
  return it == tolerances_.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace tilewright::frontend
