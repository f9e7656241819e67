#include "tilewright/frontend/lower/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"

namespace tilewright::frontend {
namespace {

std::vector<std::string> strings(const std::vector<std::string_view>& a,
                                 const std::vector<std::string_view>& b) {
  std::vector<std::string> out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

}  // namespace

std::string word_text(const Value& v) {
  const auto* word = v.as<Word>();
  if (!word) return kind_text(v);
  static const std::vector<std::string> known{
      "FP32",  "FP16",   "BF16",   "INT8",   "INT16", "INT32", "INT64", "UINT8",
      "UINT16", "UINT32", "UINT64", "BOOL",  "INDEX",
      "Level.CORE_GROUP", "Level.AIC", "Level.AIV", "Level.CHIP", "Level.HOST",
      "MemorySpace.DDR",  "MemorySpace.Vec",  "MemorySpace.Mat",   "MemorySpace.Left",
      "MemorySpace.Right", "MemorySpace.Acc", "MemorySpace.Bias",
      "Layout.ND",        "TensorLayout.ND",  "ScopeMode.MANUAL"};
  return fmt::format("pl.{}{}", word->path, did_you_mean(word->path, known));
}

Arguments::Arguments(Lowering& lowering, const Expr& call, std::string word,
                     std::vector<std::string_view> positional,
                     std::vector<std::string_view> keywords)
    : lowering_(lowering), call_(call), word_(std::move(word)) {
  const auto known = strings(positional, keywords);
  const std::string law = known.empty() ? fmt::format("{} takes no arguments", word_)
                                        : fmt::format("{} takes: {}", word_, join(known, ", "));
  const std::size_t count = call.parts.size() - 1;
  if (count > positional.size())
    lowering_.fail(call.parts[positional.size() + 1]->at, "argument",
                   fmt::format("{} with {}", word_,
                               counted(static_cast<int64_t>(count), "positional argument")),
                   law, "remove the last one, or pass it by keyword");
  for (std::size_t i = 0; i < count; ++i) given_.push_back({positional[i], call.parts[i + 1]});
  for (const Keyword& k : call.keywords) {
    if (std::ranges::find(known, k.name) == known.end()) {
      const std::string meant = did_you_mean(k.name, known);
      lowering_.fail(k.at, "argument", fmt::format("{} has no argument {}{}", word_, k.name, meant),
                     law, meant.empty() ? "remove the argument" : "correct its name, or remove it");
    }
    if (find(k.name))
      lowering_.fail(k.at, "argument",
                     fmt::format("argument {} of {} is given twice", k.name, word_), law,
                     "remove one of them");
    given_.push_back({k.name, k.value});
  }
}

const Arguments::Given* Arguments::find(std::string_view name) const {
  const auto it = std::ranges::find(given_, name, &Given::name);
  return it == given_.end() ? nullptr : &*it;
}

At Arguments::at(std::string_view name) const {
  const Given* g = find(name);
  return g ? g->expr->at : call_.at;
}

void Arguments::wrong(std::string_view name, const Value& v, std::string_view wanted) const {
  if (v.as<Told>()) throw AlreadyTold();
  lowering_.fail(at(name), "argument", fmt::format("{} of {} is {}", name, word_, word_text(v)),
                 fmt::format("{} is {}", name, wanted), "check the argument and its position");
}

Value Arguments::value(std::string_view name) {
  const auto it = std::ranges::find(given_, name, &Given::name);
  if (it == given_.end())
    lowering_.fail(call_.at, "argument", fmt::format("{} needs {}", word_, name),
                   "an argument without a default is required", fmt::format("give {}", name));
  if (!it->value) it->value = lowering_.value_of(*it->expr);
  return *it->value;
}

ir::VarId Arguments::tensor(std::string_view name) {
  const Value v = value(name);
  if (const auto* t = v.as<Tensor>()) return t->var;
  wrong(name, v, "a tensor or tile");
}

DType Arguments::dtype(std::string_view name) {
  const Value v = value(name);
  if (const auto* t = v.as<DType>()) return *t;
  wrong(name, v, "an element type such as pl.FP32");
}

bool Arguments::flag(std::string_view name) {
  if (!has(name)) return false;
  const Value v = value(name);
  if (const auto* b = v.as<bool>()) return *b;
  wrong(name, v, "True or False");
}

std::string Arguments::text(std::string_view name) {
  const Value v = value(name);
  if (const auto* s = v.as<std::string>()) return *s;
  wrong(name, v, "a string");
}

int64_t Arguments::constant(std::string_view name) {
  return lowering_.constant_of(value(name), at(name), fmt::format("{} of {}", name, word_));
}

ir::Expr Arguments::integer(std::string_view name) {
  return lowering_.integer_of(value(name), at(name), fmt::format("{} of {}", name, word_));
}

std::vector<Value> Arguments::list(std::string_view name) {
  const Value v = value(name);
  if (const auto* l = v.as<List>()) return l->items();
  wrong(name, v, "a list");
}

Shape Arguments::shape(std::string_view name) {
  Shape out;
  for (const Value& v : list(name))
    out.push_back(lowering_.constant_of(v, at(name), fmt::format("{} of {}", name, word_)));
  return out;
}

Shape Arguments::largest_shape(std::string_view name, std::vector<ir::Expr>* exact) {
  Shape out;
  bool varies = false;
  const std::vector<ir::Expr> sizes = integers(name);
  for (const ir::Expr& e : sizes) {
    const auto size = e.is_constant() ? std::optional(e.constant()) : lowering_.most(e);
    varies = varies || !e.is_constant();
    out.push_back(size ? *size
                       : lowering_.constant_of({e}, at(name), fmt::format("{} of {}", name, word_)));
  }
  if (exact && varies) *exact = sizes;
  return out;
}

std::vector<ir::Expr> Arguments::integers(std::string_view name) {
  std::vector<ir::Expr> out;
  for (const Value& v : list(name))
    out.push_back(lowering_.integer_of(v, at(name), fmt::format("{} of {}", name, word_)));
  return out;
}

std::vector<ir::Expr> Arguments::index(std::string_view name) {
  const Value v = value(name);
  if (v.as<List>()) return integers(name);
  return {lowering_.integer_of(v, at(name), fmt::format("{} of {}", name, word_))};
}

MemorySpace Arguments::space(std::string_view name) {
  const Value v = value(name);
  const auto* word = v.as<Word>();
  // pl.MemorySpace.Vec, and pl.Mem.Vec in later files.
  const std::size_t dot = word ? word->path.rfind('.') : std::string::npos;
  const auto space =
      dot == std::string::npos ? std::nullopt : parse_memory_space(word->path.substr(dot + 1));
  if (!space) wrong(name, v, "a memory such as pl.MemorySpace.Vec");
  return *space;
}

}  // namespace tilewright::frontend
