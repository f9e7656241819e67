#include "tilewright/tokens/jinja/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::tokens::jinja {
namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

std::string quoted_as_python(const std::string& s) {
  const bool has_single = s.find('\'') != std::string::npos;
  const char quote = has_single && s.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : s) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\\' || c == quote) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string quoted_as_json(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    static constexpr std::string_view kPlain = "\"\\\b\f\n\r\t", kNames = "\"\\bfnrt";
    if (const auto i = kPlain.find(c); i != std::string_view::npos) {
      out += '\\';
      out += kNames[i];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  void write(const Value& v, int depth) {
    if (const std::string* s = v.string()) {
      out += quoted_as_json(*s);
    } else if (const List* list = v.list()) {
      block('[', ']', list->size(), depth, [&](std::size_t i) { write((*list)[i], depth + 1); });
    } else if (const Dict* dict = v.dict(); dict && !dict->is_namespace) {
      block('{', '}', dict->items.size(), depth, [&](std::size_t i) {
        out += quoted_as_json(dict->items[i].first) + ": ";
        write(dict->items[i].second, depth + 1);
      });
    } else if (const bool* b = v.get<bool>()) {
      out += *b ? "true" : "false";
    } else if (v.is_number()) {
      out += v.text();
    } else {
      out += "null";
    }
  }

  std::string out;

 private:
  template <class F>
  void block(char open, char close, std::size_t count, int depth, F each) {
    out += open;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out += indent_ < 0 ? ", " : ",";
      line(depth + 1);
      each(i);
    }
    if (count > 0) line(depth);
    out += close;
  }
  void line(int depth) {
    if (indent_ >= 0) out += '\n' + std::string(static_cast<std::size_t>(indent_ * depth), ' ');
  }

  int indent_;
};

}  // namespace

const Value* Dict::find(std::string_view key) const {
  const auto at =
      std::ranges::find(items, key, [](const auto& i) { return std::string_view(i.first); });
  return at == items.end() ? nullptr : &at->second;
}

void Dict::set(std::string_view key, Value value) {
  const auto at =
      std::ranges::find(items, key, [](const auto& i) { return std::string_view(i.first); });
  if (at == items.end()) {
    items.emplace_back(key, std::move(value));
  } else {
    at->second = std::move(value);
  }
}

Value::Value(List v) : data_(std::make_shared<List>(std::move(v))) {
  for (const Value& item : *list()) depth_ = std::max(depth_, item.depth_);
  ++depth_;
}
Value::Value(Dict v) : data_(std::make_shared<Dict>(std::move(v))) {
  for (const auto& item : dict()->items) depth_ = std::max(depth_, item.second.depth_);
  ++depth_;
}

const List* Value::list() const {
  const auto* p = get<std::shared_ptr<List>>();
  return p ? p->get() : nullptr;
}
const Dict* Value::dict() const {
  const auto* p = get<std::shared_ptr<Dict>>();
  return p ? p->get() : nullptr;
}
Dict* Value::mutable_dict() {
  auto* p = std::get_if<std::shared_ptr<Dict>>(&data_);
  return p ? p->get() : nullptr;
}

bool Value::is_number() const { return get<bool>() || get<int64_t>() || get<double>(); }

double Value::number() const {
  if (const bool* b = get<bool>()) return *b ? 1 : 0;
  if (const int64_t* i = get<int64_t>()) return static_cast<double>(*i);
  const double* d = get<double>();
  return d ? *d : 0;
}

int64_t Value::whole() const {
  constexpr double kMost = 0x1p53;
  const double v = number();
  return std::isnan(v) ? 0 : static_cast<int64_t>(std::clamp(v, -kMost, kMost));
}

bool Value::truth() const {
  return std::visit(
      Overload{[](const Undefined&) { return false; }, [](None) { return false; },
               [](bool v) { return v; }, [](int64_t v) { return v != 0; },
               [](double v) { return v != 0; }, [](const std::string& v) { return !v.empty(); },
               [](const std::shared_ptr<List>& v) { return !v->empty(); },
               [](const std::shared_ptr<Dict>& v) { return v->is_namespace || !v->items.empty(); },
               [](const Macro*) { return true; }},
      data_);
}

std::string Value::text() const { return string() ? *string() : is_undefined() ? "" : repr(); }

std::string Value::repr() const {
  return std::visit(Overload{[](const Undefined&) { return std::string("Undefined"); },
                             [](None) { return std::string("None"); },
                             [](bool v) { return std::string(v ? "True" : "False"); },
                             [](int64_t v) { return std::to_string(v); },
                             [](double v) { return python_float(v); },
                             [](const std::string& v) { return quoted_as_python(v); },
                             [](const std::shared_ptr<List>& v) {
                               std::string out;
                               for (const Value& item : *v)
                                 out += (out.empty() ? "" : ", ") + item.repr();
                               return "[" + out + "]";
                             },
                             [](const std::shared_ptr<Dict>& v) {
                               std::string out;
                               for (const auto& [key, item] : v->items)
                                 out += (out.empty() ? "" : ", ") + quoted_as_python(key) + ": " +
                                        item.repr();
                               return "{" + out + "}";
                             },
                             [](const Macro*) { return std::string("<macro>"); }},
                    data_);
}

const char* Value::kind_name() const {
  static constexpr const char* kNames[] = {"undefined",      "none",      "a boolean",
                                           "a whole number", "a number",  "a string",
                                           "a list",         "a mapping", "a macro"};
  return kNames[data_.index()];
}

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.string() && b.string()) return *a.string() == *b.string();
  if (a.list() && b.list())
    return std::ranges::equal(*a.list(), *b.list(),
                              [](const auto& x, const auto& y) { return equal(x, y); });
  if (a.dict() && b.dict()) {
    if (a.dict()->is_namespace || b.dict()->is_namespace) return a.dict() == b.dict();
    if (a.dict()->items.size() != b.dict()->items.size()) return false;
    return std::ranges::all_of(a.dict()->items, [&](const auto& item) {
      const Value* other = b.dict()->find(item.first);
      return other && equal(item.second, *other);
    });
  }
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined());
}

std::string python_float(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  std::string out = fmt::format("{}", v);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string to_json(const Value& v, int indent) {
  JsonWriter writer(indent);
  writer.write(v, 0);
  return std::move(writer.out);
}

Value from_json(JsonReader& r) {
  switch (r.peek()) {
    case Json::Kind::Null: r.null(); return None{};
    case Json::Kind::Bool: return r.boolean();
    case Json::Kind::String: return Value(r.string());
    case Json::Kind::Number: {
      const std::string_view word = r.number_word();
      int64_t whole = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), whole);
      if (error == std::errc() && end == word.data() + word.size()) return whole;
      double number = 0;
      std::from_chars(word.data(), word.data() + word.size(), number);
      return number;
    }
    case Json::Kind::Array: {
      List list;
      r.begin_array();
      while (r.next_item()) list.push_back(from_json(r));
      return list;
    }
    case Json::Kind::Object: {
      Dict dict;
      r.begin_object();
      while (const auto key = r.next_key()) {
        const std::string name(*key);
        dict.set(name, from_json(r));
      }
      return dict;
    }
  }
  return {};
}

}  // namespace tilewright::tokens::jinja
