#include "tilewright/frontend/evaluate/specs.h"

#include <algorithm>

#include "tilewright/frontend/evaluate/initialiser.h"

namespace tilewright::frontend {
namespace {

std::optional<DType> torch_dtype(const Expr& e) {
  const std::string path = dotted_path(e);
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"torch.bfloat16", DType::BF16}, {"torch.float32", DType::F32}, {"torch.float", DType::F32},
      {"torch.float16", DType::F16},   {"torch.half", DType::F16},    {"torch.int32", DType::I32},
      {"torch.int64", DType::I64},     {"torch.int8", DType::I8},     {"torch.uint8", DType::U8},
      {"torch.int16", DType::I16},     {"torch.bool", DType::Bool}};
  for (const auto& [name, type] : kTypes)
    if (name == path) return type;
  if (path.starts_with("pl.")) return parse_dtype(path.substr(3));
  return std::nullopt;
}

void collect_calls(const Expr& e, std::vector<const Expr*>& out) {
  if (e.kind == ExprKind::Call) {
    const std::string path = dotted_path(*e.parts[0]);
    if (path.ends_with("TensorSpec") || path.ends_with("ScalarSpec")) out.push_back(&e);
  }
  for (const Expr* p : e.parts)
    if (p) collect_calls(*p, out);
  for (const Keyword& k : e.keywords) collect_calls(*k.value, out);
}

void collect_calls(const Body& body, std::vector<const Expr*>& out) {
  for (const Stmt* s : body) {
    if (s->kind == StmtKind::Function) continue;
    if (s->value) collect_calls(*s->value, out);
    collect_calls(s->body, out);
    collect_calls(s->other, out);
  }
}

const Expr* argument(const Expr& call, std::size_t position, std::string_view name) {
  for (const Keyword& k : call.keywords)
    if (k.name == name) return k.value;
  return position > 0 && position < call.parts.size() ? call.parts[position] : nullptr;
}

class SpecReader {
 public:
  SpecReader(const Stmt& function, const Source& source, const Choices& choices, Constants& module)
      : function_(function), names_(source, choices, &module) {
    names_.bind_parameters(function);
    for (const Stmt* s : function.body)
      if (s->kind == StmtKind::Assign) names_.run({s});
  }

  std::vector<TensorSpec> run() {
    std::vector<const Expr*> calls;
    collect_calls(function_.body, calls);
    std::vector<TensorSpec> out;
    for (const Expr* call : calls) out.push_back(spec(*call));
    return out;
  }

 private:
  TensorSpec spec(const Expr& call) {
    TensorSpec out;
    out.at = call.at;
    out.scalar = dotted_path(*call.parts[0]).ends_with("ScalarSpec");
    if (const Expr* name = argument(call, 1, "name"); name && name->kind == ExprKind::String)
      out.name = name->string;
    const Expr* dtype = argument(call, out.scalar ? 2 : 3, "dtype");
    if (dtype) out.dtype = torch_dtype(*dtype);
    if (out.scalar) {
      const Expr* value = argument(call, 3, "value");
      const auto init =
          value ? InitialiserReader(names_).read(*value, function_.body) : std::nullopt;
      if (init) out.value = init->shift;
      return out;
    }
    if (const Expr* shape = argument(call, 2, "shape")) out.shape = dimensions(*shape);
    if (const Expr* flag = argument(call, 0, "is_output"))
      out.output = flag->kind == ExprKind::True;
    const Expr* init = argument(call, 4, "init_value");
    if (!init || init->kind == ExprKind::None) return out;
    out.init = InitialiserReader(names_).read(*init, function_.body);
    if (!out.init) out.unread = dotted_path(*init);
    if (!out.init && out.unread.empty()) out.unread = "this expression";
    return out;
  }

  Shape dimensions(const Expr& list) {
    Shape out;
    for (const Expr* e : list.parts) {
      try {
        const auto d = names_.evaluate(*e).integer();
        if (!d) return {};
        out.push_back(*d);
      } catch (const UserError&) {  // a size that only Python knows
        return {};
      }
    }
    return out;
  }

  const Stmt& function_;
  Constants names_;
};

}  // namespace

std::vector<TensorSpec> read_specs(const Body& file, const Source& source, const Choices& choices,
                                   Constants& module) {
  for (const Stmt* s : file)
    if (s->kind == StmtKind::Function && s->name.find("spec") != std::string_view::npos)
      return SpecReader(*s, source, choices, module).run();
  return {};
}

}  // namespace tilewright::frontend
