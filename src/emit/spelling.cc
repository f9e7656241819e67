#include "tilewright/emit/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"

namespace tilewright::emit {

using namespace ir;

namespace {

constexpr std::array<std::string_view, 63> kTaken{
    "alignas", "auto", "bool", "break", "case", "catch", "char", "class", "const", "continue",
    "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false",
    "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",
    "operator", "private", "protected", "public", "register", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typename",
    "union", "unsigned", "using", "virtual", "void", "while",
    // of the headers and of emitted text
    "args", "half", "pto", "queues", "std", "to_cube", "to_vector"};

std::string float_literal(double v) {
  if (std::isnan(v)) return "__builtin_nanf(\"\")";
  if (std::isinf(v)) return v > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  std::string s = fmt::format("{}", static_cast<float>(v));
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s + "f";
}

std::string_view comparison(ScalarMath m) {
  switch (m) {
    case ScalarMath::Eq: return "==";
    case ScalarMath::Ne: return "!=";
    case ScalarMath::Lt: return "<";
    case ScalarMath::Le: return "<=";
    case ScalarMath::Gt: return ">";
    case ScalarMath::Ge: return ">=";
    case ScalarMath::Add: return "+";
    case ScalarMath::Sub: return "-";
    case ScalarMath::Mul: return "*";
    case ScalarMath::Div: return "/";
    case ScalarMath::Min: return "<";
    case ScalarMath::Max: return ">";
    case ScalarMath::ToFloat:
    case ScalarMath::ToInteger: break;
  }
  return "";
}

}  // namespace

std::optional<std::string_view> cpp_type(DType t) {
  switch (t) {
    case DType::I8: return "int8_t";
    case DType::I16: return "int16_t";
    case DType::I32: return "int32_t";
    case DType::U8: return "uint8_t";
    case DType::U16: return "uint16_t";
    case DType::U32: return "uint32_t";
    case DType::F16: return "half";
    case DType::BF16: return "bfloat16_t";
    case DType::F32: return "float";
    default: return std::nullopt;  // the rest have no instructions on this device
  }
}

std::optional<std::string_view> runtime_type(DType t) {
  switch (t) {
    case DType::I8: return "DataType::INT8";
    case DType::I16: return "DataType::INT16";
    case DType::I32: return "DataType::INT32";
    case DType::U8: return "DataType::UINT8";
    case DType::U16: return "DataType::UINT16";
    case DType::U32: return "DataType::UINT32";
    case DType::F16: return "DataType::FLOAT16";
    case DType::BF16: return "DataType::BFLOAT16";
    case DType::F32: return "DataType::FLOAT32";
    default: return std::nullopt;
  }
}

std::string_view pipe_constant(Pipe p) {
  switch (p) {
    case Pipe::Scalar: return "PIPE_S";
    case Pipe::Mte2: return "PIPE_MTE2";
    case Pipe::Mte1: return "PIPE_MTE1";
    case Pipe::Cube: return "PIPE_M";
    case Pipe::Fixpipe: return "PIPE_FIX";
    case Pipe::Vector: return "PIPE_V";
    case Pipe::Mte3: return "PIPE_MTE3";
  }
  return "";
}

std::string identifier(std::string_view name) {
  const bool taken = std::ranges::find(kTaken, name) != kTaken.end();
  return std::string(name) + (taken ? "_" : "");
}

std::string Spelling::node(const Node& n) const {
  const std::string a = text(n.a), b = text(n.b);
  switch (n.kind) {
    case NodeKind::FloorDiv: return fmt::format("floor_div({}, {})", a, b);
    case NodeKind::Mod: return fmt::format("floor_mod({}, {})", a, b);
    case NodeKind::Min: return fmt::format("least({}, {})", a, b);
    case NodeKind::Max: return fmt::format("most({}, {})", a, b);
    case NodeKind::Product: return fmt::format("{} * {}", factor(n.a), factor(n.b));
  }
  bug("the text of a node");
}

std::string Spelling::term(const Term& t) const {
  const std::string atom = t.node ? node(*t.node) : name(t.var);
  const int64_t n = std::abs(t.coefficient);
  return n == 1 ? atom : fmt::format("{} * {}", atom, n);
}

std::string Spelling::text(const Expr& e) const {
  std::string out;
  for (const Term& t : e.terms()) {
    if (out.empty())
      out = (t.coefficient < 0 ? "-" : "") + term(t);
    else
      out += (t.coefficient < 0 ? " - " : " + ") + term(t);
  }
  if (out.empty()) return fmt::format("{}", e.constant());
  if (e.constant() == 0) return out;
  return fmt::format("{} {} {}", out, e.constant() < 0 ? "-" : "+", std::abs(e.constant()));
}

std::string Spelling::factor(const Expr& e) const {
  const bool sum = e.terms().size() + (e.constant() != 0 ? 1 : 0) > 1;
  const bool negative = !e.terms().empty() && e.terms()[0].coefficient < 0;
  return sum || negative ? "(" + text(e) + ")" : text(e);
}

std::string Spelling::text(const Cond& c) const {
  std::vector<std::string> parts;
  for (const Cond& part : c.parts) parts.push_back("(" + text(part) + ")");
  switch (c.kind) {
    case Cond::Kind::Compare:
      return fmt::format("{} {} {}", text(c.left), compare_text(c.op), text(c.right));
    case Cond::Kind::And: return join(parts, " && ");
    case Cond::Kind::Or: return join(parts, " || ");
    case Cond::Kind::Not: return "!" + parts.at(0);
  }
  bug("the text of a condition");
}

std::string Spelling::text(const ScalarOperand& s, DType type) const {
  if (s.kind == ScalarOperand::Kind::Literal && type == DType::F32) return float_literal(s.literal);
  std::string value;
  switch (s.kind) {
    case ScalarOperand::Kind::Literal:
      value = is_float(type) ? float_literal(s.literal)
                             : fmt::format("{}", static_cast<int64_t>(s.literal));
      break;
    case ScalarOperand::Kind::Variable: value = name(s.variable); break;
    case ScalarOperand::Kind::Index: value = text(s.index); break;
  }
  return fmt::format("static_cast<{}>({})", cpp_type(type).value_or("int64_t"), value);
}

std::string Spelling::text(const Compute& c) const {
  const DType type = p_[c.var].dtype;
  if (c.math == ScalarMath::ToFloat) return text(c.a, DType::F32);
  if (c.math == ScalarMath::ToInteger)
    return fmt::format("saturated<{}>({})", cpp_type(type).value_or("int64_t"),
                       text(c.a, DType::F32));
  const std::string a = text(c.a, DType::F32), b = text(c.b, DType::F32);
  if (c.math == ScalarMath::Min || c.math == ScalarMath::Max)
    return fmt::format("({} {} {}) ? {} : {}", a, comparison(c.math), b, a, b);
  return fmt::format("{} {} {}", a, comparison(c.math), b);
}

std::string Spelling::scalar_type(VarId v) const {
  return is_float(p_[v].dtype) ? "float" : "int64_t";
}

std::string integer_functions(std::string_view text) {
  struct Function {
    std::string_view call, definition;
  };
  constexpr std::array<Function, 4> kFunctions{{
      {"floor_div(", "{ return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }"},
      {"floor_mod(", "{ return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0); }"},
      {"least(", "{ return a < b ? a : b; }"},
      {"most(", "{ return a < b ? b : a; }"},
  }};
  std::string out;
  for (const Function& f : kFunctions)
    if (text.find(f.call) != std::string_view::npos)
      out += fmt::format("inline __aicore__ int64_t {}int64_t a, int64_t b) {}\n", f.call,
                         f.definition);
  return out.empty() ? out : "namespace {\n" + out + "}  // namespace\n\n";
}

}  // namespace tilewright::emit
