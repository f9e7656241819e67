// Classes of configuration files: dataclasses, enumerations, named tuples and plain ones.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/interpreter.h"

namespace tilewright::frontend {
namespace {

constexpr std::size_t kMostBases = 50;

bool ends_in(const Expr& e, std::string_view word) {
  const std::string path = dotted_path(e.kind == ExprKind::Call ? *e.parts[0] : e);
  return path == word || path.ends_with(fmt::format(".{}", word));
}

bool is_decorated(const Stmt& s, std::string_view word) {
  return std::ranges::any_of(s.decorators, [&](const Expr* d) { return ends_in(*d, word); });
}

bool has_base(const Stmt& s, std::string_view word) {
  return std::ranges::any_of(s.bases, [&](const Expr* b) { return ends_in(*b, word); });
}

// `x: int = field(default=3)` has the default 3; field(default_factory=f) has f().
const Expr* default_of(const Expr* initial) {
  if (!initial || initial->kind != ExprKind::Call || !ends_in(*initial, "field")) return initial;
  for (const Keyword& k : initial->keywords)
    if (k.name == "default" || k.name == "default_factory") return k.value;
  return nullptr;
}

bool is_factory(const Expr* initial) {
  return initial && initial->kind == ExprKind::Call && ends_in(*initial, "field") &&
         std::ranges::any_of(initial->keywords,
                             [](const Keyword& k) { return k.name == "default_factory"; });
}

// The members of an enumeration are objects, each made once, so that E.A is E.A.
void make_members(ClassInfo& info) {
  for (auto& [name, value] : info.names.values) {
    if (name.starts_with('_') || value.as<Function>() || value.as<Class>()) continue;
    Object member{&info, std::make_shared<std::vector<std::pair<std::string, Value>>>()};
    member.set("name", {name});
    member.set("value", value);
    value = {std::move(member)};
  }
}

}  // namespace

void Interpreter::define_class(const Stmt& s) {
  if (is_decorated_by_pl(s))
    return names_.bind(s.name, {Function{&s, nullptr, &names_, nullptr}});
  ClassInfo* info = world_.new_class();
  info->name = std::string(s.name);
  info->def = &s;
  info->names.outer = &names_;
  info->names.module = names_.module;
  info->names.of_class = info;
  info->dataclass = is_decorated(s, "dataclass");
  info->enumeration = has_base(s, "Enum") || has_base(s, "IntEnum") || has_base(s, "StrEnum");
  info->named_tuple = has_base(s, "NamedTuple");
  for (const Expr* b : s.bases) {
    const Value base = attempt(*b);
    if (const auto* c = base.as<Class>()) {
      std::vector<const ClassInfo*> lineage{c->info};
      lineage.insert(lineage.end(), c->info->bases.begin(), c->info->bases.end());
      for (const ClassInfo* ancestor : lineage)
        if (std::ranges::find(info->bases, ancestor) == info->bases.end())
          info->bases.push_back(ancestor);
      if (info->bases.size() > kMostBases)
        fail(b->at, "evaluate", fmt::format("{} has more than {} base classes", s.name, kMostBases),
             "code outside programs is evaluated once, before the programs are read",
             "use fewer classes");
      info->dataclass = info->dataclass || c->info->dataclass;
      info->enumeration = info->enumeration || c->info->enumeration;
      for (const ClassInfo::Field& f : c->info->fields) info->fields.push_back(f);
    }
  }
  Interpreter(world_, modules_, info->names).run(s.body);
  for (const Stmt* member : s.body) {
    if (member->kind != StmtKind::Assign || !member->annotation ||
        member->targets[0]->kind != ExprKind::Name)
      continue;
    std::erase_if(info->fields, [&](const ClassInfo::Field& f) {
      return f.name == member->targets[0]->text;
    });
    info->fields.push_back(
        {std::string(member->targets[0]->text), member->value, &info->names});
  }
  if (info->enumeration && !has_base(s, "IntEnum")) make_members(*info);
  names_.bind(s.name, {Class{info}});
}

Value Interpreter::instantiate(const Class& c, const CallValues& args, At at) {
  const ClassInfo& info = *c.info;
  Object object{c.info, std::make_shared<std::vector<std::pair<std::string, Value>>>()};
  if (info.enumeration) {
    for (const auto& [name, member] : info.names.values)
      if (const auto* o = member.as<Object>(); o && args.positional.size() == 1)
        if (const Value* v = o->find("value"); v && equal(*v, args.positional[0]).value_or(false))
          return member;
    return unknown(fmt::format("a member of {} by its value", info.name), place(at));
  }
  const Value* init = info.find("__init__");
  if (init && init->as<Function>()) {
    Function bound = *init->as<Function>();
    bound.self = std::make_shared<const Value>(Value{object});
    call_function(bound, args, at);
    return {std::move(object)};
  }
  if (!info.dataclass && !info.named_tuple) return {std::move(object)};
  std::size_t next = 0;
  for (const ClassInfo::Field& f : info.fields) {
    const auto it =
        std::ranges::find(args.keywords, f.name, &std::pair<std::string, Value>::first);
    if (next < args.positional.size()) {
      object.set(f.name, args.positional[next++]);
    } else if (it != args.keywords.end()) {
      object.set(f.name, it->second);
    } else if (const Expr* initial = default_of(f.initial)) {
      Interpreter home(world_, modules_, *f.home);
      const Value v = home.attempt(*initial);
      object.set(f.name, is_factory(f.initial) ? home.call_value(v, {}, at) : v);
    } else {
      fail(at, "argument", fmt::format("{} is created without {}", info.name, f.name),
           "a dataclass needs a value for every field without a default",
           fmt::format("give {}=", f.name));
    }
  }
  for (const auto& [k, v] : args.keywords)
    if (std::ranges::find(info.fields, k, &ClassInfo::Field::name) == info.fields.end())
      fail(at, "argument", fmt::format("{} has no field {}", info.name, k),
           "a dataclass accepts only its fields", "check the name");
  if (const Value* post = info.find("__post_init__"); post && post->as<Function>()) {
    Function bound = *post->as<Function>();
    bound.self = std::make_shared<const Value>(Value{object});
    call_function(bound, {}, at);
  }
  return {std::move(object)};
}

void Interpreter::no_member(const Value& value, std::string_view name,
                            const std::vector<std::string>& known, At at) const {
  fail(at, "attribute",
       fmt::format("{} has no attribute {}{}", kind_text(value), name, did_you_mean(name, known)),
       "an attribute must be defined before it is used", "check the spelling");
}

Value Interpreter::object_member(const Value& value, std::string_view name, At at) {
  const Object& object = *value.as<Object>();
  if (const Value* v = object.find(name)) return *v;
  if (name == "create_tensor" && spec_number(value))
    return {Outside{"spec.create_tensor", std::make_shared<const Value>(value)}};
  const Value* v = object.type ? object.type->find(name) : nullptr;
  if (v) {
    const auto* f = v->as<Function>();
    if (!f || !f->def || is_decorated(*f->def, "staticmethod")) return *v;
    Function bound = *f;
    const bool by_class = is_decorated(*f->def, "classmethod");
    bound.self = std::make_shared<const Value>(by_class ? Value{Class{object.type}} : value);
    if (is_decorated(*f->def, "property") || is_decorated(*f->def, "cached_property"))
      return call_function(bound, {}, at);
    return {std::move(bound)};
  }
  if (name.starts_with("__")) return {None{}};
  std::vector<std::string> known;
  for (const auto& field : *object.fields) known.push_back(field.first);
  if (object.type)
    for (const auto& entry : object.type->names.values) known.push_back(entry.first);
  const std::string what = object.type ? object.type->name : "an object";
  fail(at, "attribute",
       fmt::format("{} has no attribute {}{}", what, name, did_you_mean(name, known)),
       "an attribute must be defined before it is used", "check the spelling");
}

Value Interpreter::class_member(const Class& c, std::string_view name, At at) {
  const Value* v = c.info->find(name);
  if (!v) {
    if (name == "__name__") return {c.info->name};
    std::vector<std::string> known;
    for (const auto& entry : c.info->names.values) known.push_back(entry.first);
    no_member({c}, name, known, at);
  }
  if (const auto* f = v->as<Function>(); f && f->def && is_decorated(*f->def, "classmethod")) {
    Function bound = *f;
    bound.self = std::make_shared<const Value>(Value{c});
    return {std::move(bound)};
  }
  return *v;
}

// super(): the object as its base class sees it. Of several bases the first counts.
Value Interpreter::super_object(At at) {
  for (const Environment* e = &names_; e; e = e->outer) {
    const ClassInfo* around = e->outer ? e->outer->of_class : nullptr;
    const auto self = e->values.find("self");
    if (!around || self == e->values.end() || !self->second.as<Object>()) continue;
    Object object = *self->second.as<Object>();
    object.type = around->bases.empty() ? nullptr : around->bases[0];
    return {std::move(object)};
  }
  return unknown("super() outside a method", place(at));
}

}  // namespace tilewright::frontend
