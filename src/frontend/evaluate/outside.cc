// Names that are not of the files that are read: Python's own functions and its library. Those that
// configurations compute with are evaluated; the rest is known by name only.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/frontend/torch/torch.h"
#include "tilewright/frontend/file.h"

namespace tilewright::frontend {

bool is_builtin_name(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "abs", "all", "any", "bool", "bytes", "callable", "chr", "classmethod", "dict", "divmod",
      "enumerate", "filter", "float", "format", "frozenset", "getattr", "globals", "hasattr",
      "hash", "hex", "id", "int", "isinstance", "issubclass", "iter", "len", "list", "locals",
      "map", "max", "min", "next", "object", "open", "ord", "pow", "print", "property", "range",
      "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str",
      "sum", "super", "tuple", "type", "vars", "zip", "__import__", "Exception", "ValueError",
      "TypeError", "RuntimeError", "ImportError", "ModuleNotFoundError", "KeyError", "IndexError",
      "AssertionError", "AttributeError", "NotImplementedError", "OSError", "FileNotFoundError",
      "SystemExit", "StopIteration", "NotImplemented", "__doc__", "__builtins__", "__debug__",
      // Snippets of files use these without their imports.
      "torch", "math", "os", "TensorSpec", "ScalarSpec"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

Value Interpreter::outside_member(const Outside& o, std::string_view name) {
  const std::string path = fmt::format("{}.{}", o.path, name);
  if (path == "math.pi" || path == "torch.pi") return {3.14159265358979323846};
  if (path == "math.e") return {2.71828182845904523536};
  if (path == "math.inf" || path == "torch.inf") return {HUGE_VAL};
  if (path == "sys.maxsize") return {ir::Expr(INT64_MAX)};
  if (const auto type = torch_dtype({Outside{path, nullptr}})) return {*type};
  if (path == "sys.argv") return {world_.argv};
  return {Outside{path, o.self}};
}

Value Interpreter::member(const Value& value, std::string_view name, At at) {
  if (const auto* u = value.as<Unknown>())
    return unknown(fmt::format("'.{}' of an unknown value", name), place(at), u->cause);
  if (const auto* o = value.as<Outside>()) return outside_member(*o, name);
  if (value.as<Object>()) return object_member(value, name, at);
  if (const auto* c = value.as<Class>()) return class_member(*c, name, at);
  if (const auto* m = value.as<Module>()) return modules_.member(*m->info, name, place(at));
  if (const auto* w = value.as<Word>()) {
    const std::string path = fmt::format("{}.{}", w->path, name);
    if (const auto dtype = parse_dtype(path)) return {*dtype};
    return {Word{path}};
  }
  if (const auto* f = value.as<Function>()) {
    if (name == "__name__" && f->def) return {std::string(f->def->name)};
    const bool program = f->def && is_decorated_by_pl(*f->def);
    if (program && (name == "run" || name == "_func")) return value;
    if (program && (name == "lower" || name == "compile"))
      return {Outside{fmt::format("program.{}", name), std::make_shared<const Value>(value)}};
    return unknown(fmt::format("'.{}' of a function", name), place(at));
  }
  if (const auto* s = value.as<std::string>()) {  // paths are strings here
    const std::filesystem::path path(*s);
    if (name == "parent") return {path.parent_path().string()};
    if (name == "name") return {path.filename().string()};
    if (name == "stem") return {path.stem().string()};
    if (name == "parents") {
      std::vector<Value> up;
      for (auto p = path.parent_path(); up.size() < 64; p = p.parent_path()) {
        up.push_back({p.string()});
        if (p == p.parent_path()) break;
      }
      return {List::of(std::move(up))};
    }
  }
  if (const auto* made = value.as<Made>())
    if (auto v = torch_member(*made, name)) return *v;
  if (const auto* l = value.as<List>(); l && l->tuple && l->items().size() == 2 &&
                                        l->items()[0].as<Made>()) {  // x.max(dim=0).values
    if (name == "values") return l->items()[0];
    if (name == "indices") return l->items()[1];
  }
  constexpr std::pair<std::size_t, const char*> kKinds[] = {{4, "str"}, {12, "list"}, {13, "dict"},
                                                            {18, "tensor"}, {2, "int"}, {3, "float"}};
  for (const auto& [index, kind] : kKinds)
    if (value.data.index() == index)
      return {Outside{fmt::format("{}.{}", kind, name), std::make_shared<const Value>(value)}};
  no_member(value, name, {}, at);
}

Value Interpreter::call_outside(const Outside& o, const CallValues& args, At at) {
  if (o.self) {
    if (auto v = call_method(o, args, at)) return *v;
    return unknown(fmt::format("{} is not evaluated", o.path), place(at));
  }
  if (auto v = call_harness(o, args, at)) return *v;
  const std::string& path = o.path;
  if (path == "os.environ.get" || path == "os.getenv") {
    const Value* name = args.find(0, "key");
    const Value* initial = args.find(1, "default");
    const auto* text = name ? name->as<std::string>() : nullptr;
    if (text) {
      world_.offer(*text, initial ? *initial : Value{None{}});
      if (const Value* choice = world_.chosen(*text))
        return {python_text(*choice).value_or("")};
    }
    return initial ? *initial : Value{None{}};
  }
  if (path == "sys.path.insert" || path == "sys.path.append") {
    if (!args.positional.empty())
      if (const auto* s = args.positional.back().as<std::string>()) modules_.add_path(*s);
    return {None{}};
  }
  if (const auto* u = first_unknown(args.positional))
    return unknown(fmt::format("{} of an unknown value", path), place(at), u->cause);
  if (path == "torch.Generator") return {Outside{"torch.generator", nullptr}};
  if (path == "torch.generator.manual_seed") return {Outside{"torch.generator", nullptr}};
  if (path.starts_with("torch.")) {
    for (const Value& v : args.positional)
      if (const auto* list = v.as<List>())
        if (const auto* u = first_unknown(list->items()))
          return unknown(fmt::format("{} of an unknown value", path), place(at), u->cause);
    if (auto v = torch_call(path.substr(6), args)) return *v;
    return unknown(fmt::format("{} is not evaluated", path), place(at));
  }
  CallValues numbers = args;  // int(t), max(t, 1): a tensor of one element is a number
  for (Value& v : numbers.positional)
    if (const auto* m = v.as<Made>(); m && path != "len") v = torch_number(*m).value_or(v);
  if (auto v = call_builtin(path, numbers, at)) return *v;
  if (auto v = call_with_function(path, args, at)) return *v;
  if (auto v = call_path(path, args)) return *v;
  return unknown(fmt::format("{} is not evaluated", path), place(at));
}

// os.path and Path.
std::optional<Value> Interpreter::call_path(const std::string& path, const CallValues& args) {
  namespace fs = std::filesystem;
  const auto* s = args.positional.empty() ? nullptr : args.positional[0].as<std::string>();
  if (!s) return std::nullopt;
  if (path.ends_with("path.dirname")) return Value{fs::path(*s).parent_path().string()};
  if (path.ends_with("path.basename")) return Value{fs::path(*s).filename().string()};
  if (path.ends_with("path.abspath") || path.ends_with("path.realpath"))
    return Value{fs::absolute(*s).lexically_normal().string()};
  if (path.ends_with("path.join") || path.ends_with("Path")) {
    fs::path joined(*s);
    for (std::size_t i = 1; i < args.positional.size(); ++i) {
      const auto* part = args.positional[i].as<std::string>();
      if (!part) return std::nullopt;
      joined /= *part;
    }
    return Value{joined.string()};
  }
  return std::nullopt;
}

namespace {

std::optional<int64_t> parse_integer(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t value = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  if (r.ec != std::errc() || r.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_float(const std::string& text) {
  if (text == "inf" || text == "+inf") return HUGE_VAL;
  if (text == "-inf") return -HUGE_VAL;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return value;
}

std::optional<Value> whole(double v) {
  if (!(std::abs(v) < 0x1p62)) return std::nullopt;
  return Value{ir::Expr(static_cast<int64_t>(v))};
}

// math functions of one number that give a number.
std::optional<double> real_function(std::string_view name, double x) {
  if (name == "sqrt") return std::sqrt(x);
  if (name == "log2") return std::log2(x);
  if (name == "log") return std::log(x);
  if (name == "log10") return std::log10(x);
  if (name == "exp") return std::exp(x);
  if (name == "sin") return std::sin(x);
  if (name == "cos") return std::cos(x);
  if (name == "fabs") return std::abs(x);
  return std::nullopt;
}

// isinstance(v, type), type being one of Python's own, torch.Tensor, or a tuple of such.
std::optional<bool> is_instance(const Value& v, const Value& type) {
  if (const auto* types = type.as<List>()) {
    bool any = false;
    for (const Value& t : types->items()) {
      const auto is = is_instance(v, t);
      if (!is) return std::nullopt;
      any = any || *is;
    }
    return any;
  }
  const auto* o = type.as<Outside>();
  if (!o || v.as<Unknown>()) return std::nullopt;
  const std::string_view name = std::string_view(o->path).substr(o->path.rfind('.') + 1);
  const auto* list = v.as<List>();
  if (name == "int") return v.integer().has_value() || v.as<bool>() != nullptr;
  if (name == "float") return v.as<double>() != nullptr;
  if (name == "str") return v.as<std::string>() != nullptr;
  if (name == "bytes") return false;
  if (name == "bool") return v.as<bool>() != nullptr;
  if (name == "dict") return v.as<Dict>() != nullptr;
  if (name == "list") return list && !list->tuple;
  if (name == "tuple") return list && list->tuple;
  if (name == "Sequence") return list || v.as<std::string>();
  if (name == "Tensor") return v.as<Made>() != nullptr;
  if (o->path == "torch.dtype") return torch_dtype(v).has_value();
  if (name == "Callable") return v.as<Function>() || v.as<Outside>() || v.as<Class>();
  if (name == "TensorSpec") return spec_number(v) && !is_scalar_spec(v);
  if (name == "ScalarSpec") return is_scalar_spec(v);
  return std::nullopt;
}

}  // namespace

std::optional<Value> Interpreter::call_builtin(const std::string& path, const CallValues& args,
                                               At at) {
  const std::vector<Value>& a = args.positional;
  const std::size_t n = a.size();
  const auto integers = [&]() -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> out;
    for (const Value& v : a) {
      const auto i = v.integer();
      if (!i) return std::nullopt;
      out.push_back(*i);
    }
    return out;
  };
  if (path == "range") {
    const auto b = integers();
    if (!b || b->empty() || b->size() > 3) return std::nullopt;
    const int64_t start = b->size() > 1 ? (*b)[0] : 0;
    const int64_t stop = b->size() > 1 ? (*b)[1] : (*b)[0];
    const int64_t step = b->size() > 2 ? (*b)[2] : 1;
    if (step == 0) return std::nullopt;
    std::vector<Value> items;
    for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
      items.push_back({ir::Expr(i)});
      require_small(items.size(), at);
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    world_.spend(static_cast<int64_t>(items.size()));
    return Value{List::of(std::move(items))};
  }
  if (path == "print") return Value{None{}};
  if (path == "setattr" && n == 3 && a[0].as<Object>() && a[1].as<std::string>()) {
    if (would_cycle(a[0], a[2])) return std::nullopt;
    Object(*a[0].as<Object>()).set(*a[1].as<std::string>(), a[2]);
    return Value{None{}};
  }
  if ((path == "max" || path == "min" || path == "sum" || path == "any" || path == "all" ||
       path == "math.prod") &&
      n >= 1) {
    const bool over_list = n == 1 || path == "sum";
    const auto items = over_list ? items_of(a[0]) : std::optional(a);
    if (!items) return std::nullopt;
    if (const auto* u = first_unknown(*items))
      return unknown(fmt::format("{} of an unknown value", path), place(at), u->cause);
    if (path == "any" || path == "all") {
      for (const Value& v : *items)
        if (truth(v, at) == (path == "any")) return Value{path == "any"};
      return Value{path == "all"};
    }
    bool whole_numbers = true;
    std::optional<double> best;
    double sum = path == "math.prod" ? 1 : 0;
    int64_t isum = path == "math.prod" ? 1 : 0;
    std::size_t which = 0;
    for (std::size_t i = 0; i < items->size(); ++i) {
      const auto d = (*items)[i].number();
      if (!d) return std::nullopt;
      const auto integer = (*items)[i].integer();
      whole_numbers = whole_numbers && !(*items)[i].as<double>();
      sum = path == "math.prod" ? sum * *d : sum + *d;
      const int64_t one = integer.value_or(static_cast<int64_t>(*d != 0 && !integer ? 1 : 0));
      const bool overflow = path == "math.prod" ? __builtin_mul_overflow(isum, one, &isum)
                                                : __builtin_add_overflow(isum, one, &isum);
      if (overflow) return std::nullopt;
      if (!best || (path == "max" ? *d > *best : *d < *best)) {
        best = d;
        which = i;
      }
    }
    if (path == "sum" || path == "math.prod")
      return whole_numbers ? Value{ir::Expr(isum)} : Value{sum};
    if (items->empty()) {
      const Value* initial = args.find(SIZE_MAX, "default");
      return initial ? std::optional(*initial) : std::nullopt;
    }
    return (*items)[which];
  }
  if (n == 1) {
    const Value& x = a[0];
    const auto d = x.number();
    if (path == "len") {
      if (const auto* s = x.as<std::string>())
        return Value{ir::Expr(static_cast<int64_t>(s->size()))};
      const auto items = items_of(x);
      if (items) return Value{ir::Expr(static_cast<int64_t>(items->size()))};
    }
    if (path == "str" || path == "repr") {
      if (const auto text = python_text(x, path == "repr")) return Value{*text};
      return std::nullopt;
    }
    if (path == "bool") return Value{truth(x, at)};
    if (path == "float") {
      if (const auto* s = x.as<std::string>()) {
        const auto v = parse_float(*s);
        return v ? std::optional(Value{*v}) : std::nullopt;
      }
      if (d) return Value{*d};
    }
    if (path == "int") {
      if (const auto* s = x.as<std::string>()) {
        const auto v = parse_integer(*s);
        if (!v) throw PythonRaise{place(at), "ValueError", false};
        return Value{ir::Expr(*v)};
      }
      if (x.integer()) return x;
      if (d) return whole(std::trunc(*d));
    }
    if (path == "abs" && x.integer())
      return *x.integer() == INT64_MIN ? std::nullopt
                                       : std::optional(Value{ir::Expr(std::abs(*x.integer()))});
    if (path == "abs" && d) return Value{std::abs(*d)};
    if (path == "round" && d) return whole(std::nearbyint(*d));
    if ((path == "math.ceil" || path == "math.floor") && d)
      return x.integer() ? std::optional(x)
                         : whole(path == "math.ceil" ? std::ceil(*d) : std::floor(*d));
    if (path == "math.isqrt" && x.integer() && *x.integer() >= 0)
      return whole(std::floor(std::sqrt(*d)));
    if ((path.starts_with("math.") || path == "sqrt") && d)
      if (const auto v = real_function(path.starts_with("math.") ? path.substr(5) : path, *d))
        return Value{*v};
    if (path == "list" || path == "tuple" || path == "set" || path == "frozenset" ||
        path == "iter") {
      const auto items = items_of(x);
      const bool unique = path == "set" || path == "frozenset";
      if (items) return Value{List::of(unique ? unique_items(*items, at) : *items, path == "tuple")};
    }
    if (path == "sorted" || path == "reversed") {
      auto items = items_of(x);
      if (!items) return std::nullopt;
      if (path == "reversed") {
        std::ranges::reverse(*items);
        return Value{List::of(std::move(*items))};
      }
      if (!args.keywords.empty()) return std::nullopt;
      const bool numbers = std::ranges::all_of(*items, [](const Value& v) { return v.number().has_value(); });
      const bool strings = std::ranges::all_of(*items, [](const Value& v) { return v.as<std::string>() != nullptr; });
      if (!numbers && !strings) return std::nullopt;
      std::ranges::stable_sort(*items, [&](const Value& l, const Value& r) {
        return numbers ? *l.number() < *r.number() : *l.as<std::string>() < *r.as<std::string>();
      });
      return Value{List::of(std::move(*items))};
    }
    if (path == "copy.copy" || path == "copy.deepcopy")
      return copied(x, path == "copy.deepcopy", at);
    if (path == "dataclasses.asdict" && x.as<Object>()) {
      Dict out{std::make_shared<std::vector<std::pair<Value, Value>>>()};
      for (const auto& [k, v] : *x.as<Object>()->fields) out.set({k}, v);
      return Value{std::move(out)};
    }
  }
  if (n == 0 && (path == "list" || path == "tuple" || path == "set"))
    return Value{List::of({}, path == "tuple")};
  if (path == "dict") {
    Dict out{std::make_shared<std::vector<std::pair<Value, Value>>>()};
    if (n == 1) {
      if (const auto* d = a[0].as<Dict>()) {
        *out.data = *d->data;
      } else {
        const auto items = items_of(a[0]);
        if (!items) return std::nullopt;
        for (const Value& v : *items) {
          const auto pair = items_of(v);
          if (!pair || pair->size() != 2) return std::nullopt;
          out.set((*pair)[0], (*pair)[1]);
        }
      }
    }
    for (const auto& [k, v] : args.keywords) out.set({k}, v);
    return Value{std::move(out)};
  }
  if (path == "enumerate" && n >= 1) {
    const auto items = items_of(a[0]);
    const Value* from = args.find(1, "start");
    if (!items) return std::nullopt;
    std::vector<Value> out;
    const int64_t first = from ? from->integer().value_or(0) : 0;
    int64_t last = 0;
    if (__builtin_add_overflow(first, static_cast<int64_t>(items->size()), &last))
      return std::nullopt;
    for (std::size_t i = 0; i < items->size(); ++i)
      out.push_back({List::of({{ir::Expr(first + static_cast<int64_t>(i))}, (*items)[i]}, true)});
    return Value{List::of(std::move(out))};
  }
  if (path == "zip") {
    std::vector<std::vector<Value>> columns;
    for (const Value& v : a) {
      auto items = items_of(v);
      if (!items) return std::nullopt;
      columns.push_back(std::move(*items));
    }
    std::vector<Value> out;
    for (std::size_t i = 0; !columns.empty(); ++i) {
      std::vector<Value> row;
      for (const auto& c : columns) {
        if (i >= c.size()) return Value{List::of(std::move(out))};
        row.push_back(c[i]);
      }
      out.push_back({List::of(std::move(row), true)});
    }
    return Value{List::of({})};
  }
  if (path == "divmod" && n == 2) {
    const auto b = integers();
    if (!b || (*b)[1] == 0) return std::nullopt;
    return Value{List::of({{ir::Expr(ir::floor_div((*b)[0], (*b)[1]))},
                           {ir::Expr(ir::floor_mod((*b)[0], (*b)[1]))}},
                          true)};
  }
  if ((path == "math.gcd" || path == "math.lcm") && n >= 1) {
    const auto b = integers();
    if (!b) return std::nullopt;
    int64_t v = path == "math.gcd" ? 0 : 1;
    for (const int64_t x : *b) {
      if (x == INT64_MIN) return std::nullopt;
      const int64_t common = std::gcd(v, x);
      if (path == "math.gcd")
        v = common;
      else if (__builtin_mul_overflow(common ? v / common : 0, std::abs(x), &v))
        return std::nullopt;
    }
    return Value{ir::Expr(v)};
  }
  if (const auto b = integers(); path == "pow" && n == 2 && b && (*b)[1] >= 0) {
    int64_t power = 1;
    if ((*b)[1] > 64) return std::nullopt;
    for (int64_t i = 0; i < (*b)[1]; ++i)
      if (__builtin_mul_overflow(power, (*b)[0], &power)) return std::nullopt;
    return Value{ir::Expr(power)};
  }
  if ((path == "math.pow" || path == "pow") && n == 2 && a[0].number() && a[1].number())
    return Value{std::pow(*a[0].number(), *a[1].number())};
  if (path == "round" && n == 2 && a[0].number() && std::abs(a[1].number().value_or(99)) <= 20 &&
      a[1].integer()) {
    const double scale = std::pow(10.0, static_cast<double>(*a[1].integer()));
    return Value{std::nearbyint(*a[0].number() * scale) / scale};
  }
  if (path == "callable" && n == 1)
    return Value{a[0].as<Function>() || a[0].as<Outside>() || a[0].as<Class>()};
  if (path == "isinstance" && n == 2) {
    if (const auto is = is_instance(a[0], a[1])) return Value{*is};
  }
  if ((path == "getattr" || path == "hasattr") && n >= 2) {
    const auto* name = a[1].as<std::string>();
    if (!name) return std::nullopt;
    std::optional<Value> found;
    try {
      found = member(a[0], *name, at);
    } catch (const TooLong&) {
      throw;
    } catch (const UserError&) {  // it has no such attribute
    }
    if (path == "hasattr") return Value{found.has_value()};
    return found ? found : n > 2 ? std::optional(a[2]) : std::nullopt;
  }
  return std::nullopt;
}

// Functions that take functions, and dataclasses.replace.
std::optional<Value> Interpreter::call_with_function(const std::string& path,
                                                     const CallValues& args, At at) {
  const std::vector<Value>& a = args.positional;
  if ((path == "map" || path == "filter") && a.size() == 2) {
    const auto items = items_of(a[1]);
    if (!items) return std::nullopt;
    std::vector<Value> out;
    for (const Value& v : *items) {
      Value r = call_value(a[0], {{v}, {}}, at);
      if (path == "map")
        out.push_back(std::move(r));
      else if (truth(r, at))
        out.push_back(v);
    }
    return Value{List::of(std::move(out))};
  }
  if (path == "dataclasses.replace" && a.size() == 1 && a[0].as<Object>()) {
    const Object& from = *a[0].as<Object>();
    Object copy{from.type,
                std::make_shared<std::vector<std::pair<std::string, Value>>>(*from.fields)};
    for (const auto& [k, v] : args.keywords) copy.set(k, v);
    return Value{std::move(copy)};
  }
  return std::nullopt;
}

}  // namespace tilewright::frontend
