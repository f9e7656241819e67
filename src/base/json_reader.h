// Reads JSON text front to back without building a tree: for large files that programs write, such
// as vocabularies and tensor headers. Memory does not grow with the text, except for one string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/json.h"

namespace tilewright {

// Every method reads or tells of the next value; anything else there is a UserError with the line.
class JsonReader {
 public:
  // `origin` is the file's name in messages; both must outlive the reader.
  JsonReader(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  Json::Kind peek();

  // begin_object(); while (auto key = next_key()) { read or skip one value }
  void begin_object();
  std::optional<std::string_view> next_key();  // nothing: the object is closed
  // begin_array(); while (next_item()) { read or skip one value }
  void begin_array();
  bool next_item();  // false: the array is closed

  // Views last until the next string is read.
  std::string_view string();
  int64_t integer();  // digits only, no fraction or exponent
  double number();
  std::string_view number_word();  // a number as it is written
  bool boolean();
  void null();
  void skip();
  void finish();  // nothing but white space is left

  std::string place() const;  // "at FILE:LINE"
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Open {
    bool object = false;
    bool first = true;
  };

  void skip_space();
  char next_char();  // the first character of the next token
  void expect(char c, const char* what);
  void open(char c, bool object);
  std::string_view unescaped(std::size_t begin);
  uint32_t hex4();
  void append_escape();
  void literal(std::string_view word);

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::string scratch_;
};

}  // namespace tilewright
