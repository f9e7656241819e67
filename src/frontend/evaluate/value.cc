#include "tilewright/frontend/evaluate/value.h"

namespace tilewright::frontend {

std::optional<int64_t> Value::integer() const {
  const auto* e = as<ir::Expr>();
  if (!e || !e->is_constant()) return std::nullopt;
  return e->constant();
}

std::optional<double> Value::number() const {
  if (const auto* d = as<double>()) return *d;
  if (const auto i = integer()) return static_cast<double>(*i);
  if (const auto* b = as<bool>()) return *b ? 1.0 : 0.0;
  return std::nullopt;
}

std::size_t List::weight() const {
  std::size_t sum = items.size();
  for (const Value& v : items)
    if (const auto* inner = v.as<List>()) sum += inner->weight();
  return sum;
}

std::string kind_text(const Value& v) {
  constexpr const char* kKinds[] = {"None",           "a boolean",      "an integer",
                                    "a number",       "a string",       "a data type",
                                    "a word of pl",   "a dynamic size", "a tensor",
                                    "a float",        "a condition",    "a function",
                                    "a list",         "a task id",      "an unknown value",
                                    "a refused value"};
  return kKinds[v.data.index()];
}

}  // namespace tilewright::frontend
