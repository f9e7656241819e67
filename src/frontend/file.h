// A program file, read: what stands in it, before any number has been chosen.
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
  // What Python executes when the file is loaded.
  Body body_without_builders() const;
  const std::vector<Directive>& directives() const { return directives_; }
  Place place(At at) const { return source_.place(at); }
  // The first number written as `rtol=` or `atol=` anywhere in the file, usually in its main.
  std::optional<double> tolerance(std::string_view name) const;

 private:
  explicit Parsed(Source source) : source_(std::move(source)) {}

  Source source_;
  Ast ast_;
  Body body_;
  std::vector<Directive> directives_;
  std::map<std::string, double, std::less<>> tolerances_;
};

}  // namespace tilewright::frontend
