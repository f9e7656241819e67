// How the emitted C++ spells what the intermediate representation names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/ir/lowered.h"
#include "tilewright/ir/program.h"

namespace tilewright::emit {

std::optional<std::string_view> cpp_type(DType t);      // "bfloat16_t"; none if PTO-ISA lacks it
std::optional<std::string_view> runtime_type(DType t);  // "DataType::BFLOAT16"
std::string_view pipe_constant(ir::Pipe p);             // "PIPE_MTE2"

// A name that is no word of C++ and no name of the headers that emitted text includes.
std::string identifier(std::string_view name);

class Spelling {
 public:
  explicit Spelling(const ir::Program& program) : p_(program) {}

  std::string name(ir::VarId v) const { return identifier(p_[v].name); }
  std::string text(const ir::Expr& e) const;  // of type int64_t
  // The same where it stands beside a product or a quotient.
  std::string factor(const ir::Expr& e) const;
  std::string text(const ir::Cond& c) const;
  // As a number of type `type`: "1.0f", "static_cast<int32_t>(i)".
  std::string text(const ir::ScalarOperand& s, DType type) const;
  std::string text(const ir::Compute& c) const;  // the right side of an assignment
  std::string scalar_type(ir::VarId v) const;    // "int64_t" or "float"

 private:
  std::string term(const ir::Term& t) const;
  std::string node(const ir::Node& n) const;

  const ir::Program& p_;
};

// Definitions of the functions that expressions of `text` call; nothing if it calls none.
std::string integer_functions(std::string_view text);

}  // namespace tilewright::emit
