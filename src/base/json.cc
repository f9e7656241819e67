#include "tilewright/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"

namespace tilewright {
namespace {

// The parser reports values without their place, but reads one character at a time: the line of the
// last character read is the line of the value just finished.
struct Cursor {
  uint32_t line = 1;
  char last = 0;
};

class TrackingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  TrackingIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
  char operator*() const { return *at_; }
  TrackingIterator& operator++() {
    if (cursor_->last == '\n') ++cursor_->line;
    cursor_->last = *at_++;
    return *this;
  }
  friend bool operator==(const TrackingIterator& a, const TrackingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  Cursor* cursor_;
};

// "[json.exception...] parse error at line 1, column 2: syntax error while parsing value - invalid
// literal; last read: 'x'" becomes "invalid literal": the place is told in its own line.
std::string reason_of(std::string message) {
  const auto drop_through = [&](std::string_view mark) {
    if (const auto at = message.find(mark); at != std::string::npos)
      message.erase(0, at + mark.size());
  };
  drop_through("] ");
  drop_through(" - ");
  if (const auto read = message.find("; last read: '"); read != std::string::npos) {
    const auto end = message.rfind("; expected");
    message.erase(read, end == std::string::npos || end < read ? std::string::npos : end - read);
  }
  return message;
}

class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, const std::string& origin, const Cursor& cursor)
      : text_(text), origin_(origin), cursor_(cursor) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(made(Json::Kind::Null)); }
  bool boolean(bool v) override {
    Json j = made(Json::Kind::Bool);
    j.boolean = v;
    return add(std::move(j));
  }
  bool number_integer(number_integer_t v) override { return number(static_cast<double>(v)); }
  bool number_unsigned(number_unsigned_t v) override { return number(static_cast<double>(v)); }
  bool number_float(number_float_t v, const string_t&) override { return number(v); }
  bool string(string_t& v) override {
    Json j = made(Json::Kind::String);
    j.string = std::move(v);
    return add(std::move(j));
  }
  bool binary(binary_t&) override { return false; }  // text has none

  bool start_object(std::size_t) override { return open(Json::Kind::Object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::Kind::Array); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Json& object = open_.back();
    const auto twice = std::find(object.keys.begin(), object.keys.end(), name);
    if (twice != object.keys.end()) {
      const auto first = object.items[static_cast<std::size_t>(twice - object.keys.begin())].line;
      user_error("json", fmt::format("field {} is given twice", path_to(name)),
                 fmt::format("at {}:{}, first at line {}", origin_, cursor_.line, first),
                 "a JSON object has each field at most once", "delete one of the two");
    }
    object.keys.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& e) override {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
    user_error("json", fmt::format("broken JSON: {}", reason_of(e.what())),
               fmt::format("at {}:{}:{}", origin_, line, before.size() - line_start + 1),
               "the file must be JSON (RFC 8259): no comments, no trailing commas",
               "correct the text at or just before this position");
  }

 private:
  Json made(Json::Kind kind) const {
    Json j;
    j.kind = kind;
    j.line = cursor_.line;
    return j;
  }
  bool number(double v) {
    Json j = made(Json::Kind::Number);
    j.number = v;
    return add(std::move(j));
  }
  bool add(Json j) {
    (open_.empty() ? root_ : open_.back().items.emplace_back()) = std::move(j);
    return true;
  }
  bool open(Json::Kind kind) {
    if (open_.size() == kMaxJsonDepth)
      user_error("json", fmt::format("JSON is nested more than {} deep", kMaxJsonDepth),
                 fmt::format("at {}:{}", origin_, cursor_.line),
                 "no file format of tilewright nests this deeply",
                 "check that this is the right file");
    open_.push_back(made(kind));
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }
  std::string path_to(const std::string& name) const {
    std::string path;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i)
      path += open_[i].kind == Json::Kind::Array ? fmt::format("{}.", open_[i].items.size())
                                                 : open_[i].keys.back() + ".";
    return path + name;
  }

  std::string_view text_;
  const std::string& origin_;
  const Cursor& cursor_;
  Json root_;
  std::vector<Json> open_;  // the containers around the place being read
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  const auto at = std::find(keys.begin(), keys.end(), key);
  return at == keys.end() ? nullptr : &items[static_cast<std::size_t>(at - keys.begin())];
}

std::string_view json_kind_name(Json::Kind k) {
  switch (k) {
    case Json::Kind::Null: return "null";
    case Json::Kind::Bool: return "true or false";
    case Json::Kind::Number: return "a number";
    case Json::Kind::String: return "a string";
    case Json::Kind::Array: return "an array";
    case Json::Kind::Object: return "an object";
  }
  return "";
}

Json parse_json(std::string_view text, const std::string& origin) {
  Cursor cursor;
  TreeBuilder builder(text, origin, cursor);
  nlohmann::json::sax_parse(TrackingIterator(text.data(), &cursor),
                            TrackingIterator(text.data() + text.size(), &cursor), &builder);
  return builder.take();
}

}  // namespace tilewright
