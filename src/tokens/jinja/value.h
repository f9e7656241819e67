// The values of a template: what Python would have, as far as chat templates go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tilewright/base/json_reader.h"

namespace tilewright::tokens::jinja {

class Value;
struct Macro;  // syntax.h

using List = std::vector<Value>;
// Few keys, whose order matters: a vector is both simple and fast.
struct Dict {
  std::vector<std::pair<std::string, Value>> items;
  bool is_namespace = false;  // may be assigned to from inside loops

  const Value* find(std::string_view key) const;
  void set(std::string_view key, Value value);
};

struct Undefined {
  std::string name;  // what was looked for
};
struct None {};

class Value {
 public:
  using Data = std::variant<Undefined, None, bool, int64_t, double, std::string,
                            std::shared_ptr<List>, std::shared_ptr<Dict>, const Macro*>;

  Value() = default;
  Value(None v) : data_(v) {}
  Value(bool v) : data_(v) {}
  Value(int64_t v) : data_(v) {}
  Value(double v) : data_(v) {}
  Value(std::string v) : data_(std::move(v)) {}
  Value(std::string_view v) : data_(std::string(v)) {}
  Value(const char* v) : data_(std::string(v)) {}
  Value(List v);
  Value(Dict v);
  Value(const Macro* v) : data_(v) {}
  static Value undefined(std::string name) {
    Value v;
    v.data_ = Undefined{std::move(name)};
    return v;
  }

  template <class T>
  const T* get() const {
    return std::get_if<T>(&data_);
  }
  const std::string* string() const { return get<std::string>(); }
  const List* list() const;
  const Dict* dict() const;
  Dict* mutable_dict();
  bool is_undefined() const { return get<Undefined>() != nullptr; }
  bool is_none() const { return get<None>() != nullptr; }
  bool is_number() const;  // a bool is one too
  double number() const;   // of a number
  int64_t whole() const;   // the same toward zero, within 53 bits

  // Levels of lists and mappings; bounded by the evaluator, since they are gone through
  // recursively.
  int depth() const { return depth_; }

  bool truth() const;
  std::string text() const;       // as {{ }} prints it
  std::string repr() const;       // as it stands inside a printed list
  const char* kind_name() const;  // for messages: "a string"

 private:
  Data data_;
  int depth_ = 0;
};

bool equal(const Value& a, const Value& b);
std::string python_float(double v);
// json.dumps without ensure_ascii; a negative indent is one line.
std::string to_json(const Value& v, int indent = -1);
// The reader's next value.
Value from_json(JsonReader& r);

}  // namespace tilewright::tokens::jinja
