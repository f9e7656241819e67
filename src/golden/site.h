// Where interpretation stands, for the second line of every message.
#pragma once

#include <string>
#include <string_view>

#include "tilewright/ir/program.h"

namespace tilewright::golden {

struct Site {
  const ir::Program* program = nullptr;
  std::string_view scope;  // scope or kernel name; empty in the orchestrator
  const Place* place = nullptr;
  std::string_view what;  // the op or statement

  std::string where() const;  // "at file:line, program p, scope "s", op"
  [[noreturn]] void fail(std::string code, std::string message, std::string law,
                         std::string help) const;
};

// Every number of a valid shape is in [1, shape]; else a UserError that names `name`.
void require_valid_shape(const Site& site, std::string_view name, const Shape& shape,
                         const Shape& valid);

// "x [16 x 128] f32", with its valid shape when that is smaller.
std::string operand_text(const ir::Var& var, const Shape& valid);

}  // namespace tilewright::golden
