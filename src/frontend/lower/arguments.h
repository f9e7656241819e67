// The arguments of one pl. call, by position or by keyword. Every argument has a meaning or is
// refused by name.
#pragma once

#include "tilewright/frontend/lower/lowering.h"
#include "tilewright/frontend/lower/words.h"

namespace tilewright::frontend {

// A word of pl by its name, with the nearest that is known; of other values their kind.
std::string word_text(const Value& v);

class Arguments {
 public:
  // `positional`: names of the arguments in their order; `keywords`: further names.
  Arguments(Lowering& lowering, const Expr& call, std::string word,
            std::vector<std::string_view> positional, std::vector<std::string_view> keywords = {});
  Arguments(Lowering& lowering, const Expr& call, std::string word, const Signature& signature)
      : Arguments(lowering, call, std::move(word), signature.positional, signature.keywords) {}

  const Expr& call() const { return call_; }
  At at() const { return call_.at; }
  const std::string& word() const { return word_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  At at(std::string_view name) const;

  Value value(std::string_view name);
  ir::VarId tensor(std::string_view name);
  DType dtype(std::string_view name);
  bool flag(std::string_view name);  // False when absent
  std::string text(std::string_view name);
  int64_t constant(std::string_view name);
  ir::Expr integer(std::string_view name);
  Shape shape(std::string_view name);
  // The same where sizes may vary: the most they can be. `exact` gets what they are if one varies.
  Shape largest_shape(std::string_view name, std::vector<ir::Expr>* exact = nullptr);
  std::vector<ir::Expr> integers(std::string_view name);
  // One integer per dimension; a single one needs no list.
  std::vector<ir::Expr> index(std::string_view name);
  MemorySpace space(std::string_view name);

  [[noreturn]] void wrong(std::string_view name, const Value& v, std::string_view wanted) const;

 private:
  struct Given {
    std::string_view name;
    const Expr* expr;
    std::optional<Value> value = {};  // evaluated once: an argument may itself be an operation
  };

  const Given* find(std::string_view name) const;
  std::vector<Value> list(std::string_view name);

  Lowering& lowering_;
  const Expr& call_;
  std::string word_;
  std::vector<Given> given_;
};

}  // namespace tilewright::frontend
