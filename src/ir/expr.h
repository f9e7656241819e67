// Integer scalar expressions in a canonical linear form: constant + sum(coefficient * atom).
// An atom is a scalar variable or a non-linear node (//, %, min, max, product). Equal values that
// differ only by linear algebra are equal expressions, so extents such as (i+1)*P - i*P fold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/ids.h"

namespace tilewright::ir {

class Expr;

enum class NodeKind : uint8_t { FloorDiv, Mod, Min, Max, Product };

struct Node;

struct Term {
  int64_t coefficient = 0;
  VarId var;                         // valid for a plain variable ...
  std::shared_ptr<const Node> node;  // ... else a non-linear node
};

class Expr {
 public:
  Expr() = default;
  Expr(int64_t constant) : constant_(constant) {}  // NOLINT: integers are expressions
  static Expr var(VarId v);

  bool is_constant() const { return terms_.empty(); }
  int64_t constant() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }

  friend Expr operator+(const Expr& a, const Expr& b);
  friend Expr operator-(const Expr& a, const Expr& b);
  friend Expr operator*(const Expr& a, const Expr& b);
  friend Expr floor_div(const Expr& a, const Expr& b);  // b constant non-zero, or checked when run
  friend Expr mod(const Expr& a, const Expr& b);
  friend Expr min(const Expr& a, const Expr& b);
  friend Expr max(const Expr& a, const Expr& b);
  friend bool operator==(const Expr& a, const Expr& b);

  // Every variable the expression reads.
  void for_each_var(const std::function<void(VarId)>& visit) const;
  Expr substituted(const std::function<std::optional<Expr>(VarId)>& value_of) const;

 private:
  friend int compare(const Expr& a, const Expr& b);
  static Expr combine(NodeKind kind, const Expr& a, const Expr& b);
  void add_term(Term term);

  int64_t constant_ = 0;
  std::vector<Term> terms_;  // sorted, coefficients non-zero
};

struct Node {
  NodeKind kind;
  Expr a, b;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr floor_div(const Expr& a, const Expr& b);
Expr mod(const Expr& a, const Expr& b);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);

// Whether every value of the expression is a multiple of n, as far as its form tells.
bool multiple_of(const Expr& e, int64_t n);

// A total order on structure, used to keep terms sorted.
int compare(const Expr& a, const Expr& b);

int64_t floor_div(int64_t a, int64_t b);
int64_t floor_mod(int64_t a, int64_t b);

// Values of scalar variables while a program is unrolled or interpreted.
class ScalarEnv {
 public:
  explicit ScalarEnv(std::size_t variables)
      : values_(variables), reals_(variables), known_(variables, 0) {}
  void set(VarId v, int64_t value) {
    values_[v.index()] = value;
    known_[v.index()] = 1;
  }
  void forget(VarId v) { known_[v.index()] = 0; }
  bool known(VarId v) const { return known_[v.index()] != 0; }
  int64_t value(VarId v) const { return values_[v.index()]; }
  // Of a float variable, which no expression names.
  void set_real(VarId v, double value) {
    reals_[v.index()] = value;
    known_[v.index()] = 1;
  }
  double real(VarId v) const { return reals_[v.index()]; }

 private:
  std::vector<int64_t> values_;
  std::vector<double> reals_;
  std::vector<uint8_t> known_;
};

// The value, or nothing when a variable is unknown. Throws UserError on division by zero or
// 64-bit overflow.
std::optional<int64_t> evaluate(const Expr& e, const ScalarEnv& env);

// Inclusive bounds; an absent end is unbounded.
struct Range {
  std::optional<int64_t> low, high;
};
Range bounds(const Expr& e, const std::function<Range(VarId)>& range_of);

enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

// A condition: one comparison, or and/or/not of conditions (both sides always evaluated).
struct Cond {
  enum class Kind : uint8_t { Compare, And, Or, Not };
  Kind kind = Kind::Compare;
  Compare op = Compare::Eq;
  Expr left, right;
  std::vector<Cond> parts;

  friend bool operator==(const Cond&, const Cond&) = default;
};

std::optional<bool> evaluate(const Cond& c, const ScalarEnv& env);
void for_each_var(const Cond& c, const std::function<void(VarId)>& visit);
const char* compare_text(Compare op);

// Python-like text; `name_of` gives a variable's name.
std::string text(const Expr& e, const std::function<std::string(VarId)>& name_of);
std::string text(const Cond& c, const std::function<std::string(VarId)>& name_of);

}  // namespace tilewright::ir
