// A program file or a module, read: what stands in it, before any number has been chosen.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/frontend/parse/ast.h"
#include "tilewright/frontend/parse/token.h"

namespace tilewright::frontend {

class Parsed {
 public:
  static std::shared_ptr<const Parsed> parse(Source source);

  const Source& source() const { return source_; }
  const Body& body() const { return body_; }
  // Statements of programs that are no Python.
  const std::vector<Diagnostic>& errors() const { return errors_; }
  const std::vector<Directive>& directives() const { return directives_; }
  // The first number written as `rtol=` or `atol=` anywhere in the file, usually in its main.
  std::optional<double> tolerance(std::string_view name) const;

 private:
  explicit Parsed(Source source) : source_(std::move(source)) {}

  Source source_;
  Ast ast_;
  Body body_;
  std::vector<Diagnostic> errors_;
  std::vector<Directive> directives_;
  std::map<std::string, double, std::less<>> tolerances_;
};

}  // namespace tilewright::frontend
