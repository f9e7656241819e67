#include "tilewright/data/npy_dict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "tilewright/base/text.h"

namespace tilewright::data {
namespace {

constexpr std::size_t kMostDimensions = 64;  // as in NumPy

constexpr std::array<NpyType, 12> kTypes{{{'f', 2},
                                          {'f', 4},
                                          {'f', 8},
                                          {'i', 1},
                                          {'i', 2},
                                          {'i', 4},
                                          {'i', 8},
                                          {'u', 1},
                                          {'u', 2},
                                          {'u', 4},
                                          {'u', 8},
                                          {'b', 1}}};

// Text of a foreign file, fit for a message.
std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 32;
  std::string out(text.substr(0, kMost));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return quote(text.size() > kMost ? out + "..." : out);
}

class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        once(descr, key);
        parse_type(header);
      } else if (key == "fortran_order") {
        once(order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(shape, key);
        header.shape = parse_shape();
      } else {
        refuse_npy(origin_, fmt::format("the header has an unknown entry {}", excerpt(key)));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ < text_.size()) unexpected("the end");
    if (!descr || !order || !shape)
      refuse_npy(origin_, "the header lacks one of descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void unexpected(std::string_view wanted) const {
    refuse_npy(origin_, fmt::format("the header has {} where {} belongs",
                                    excerpt(text_.substr(std::min(at_, text_.size()))), wanted));
  }
  void once(bool& seen, std::string_view key) const {
    if (seen) refuse_npy(origin_, fmt::format("the header has two entries {}", excerpt(key)));
    seen = true;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) unexpected(quote(std::string(1, c)));
  }
  std::string_view string() {
    skip_space();
    const char mark = take('"') ? '"' : '\'';
    if (mark == '\'' && !take(mark)) unexpected("a string");
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) unexpected("a string that ends");
    const std::string_view out = text_.substr(at_, end - at_);
    at_ = end + 1;
    return out;
  }
  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    unexpected("True or False");
  }
  int64_t dimension() {
    skip_space();
    int64_t value = -1;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) unexpected("a dimension");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  Shape parse_shape() {
    Shape shape;
    expect('(');
    bool comma = true;  // a number in parentheses without a comma is not a tuple
    while (!take(')')) {
      if (!comma) unexpected("\",\"");
      if (shape.size() == kMostDimensions)
        refuse_npy(origin_, fmt::format("an array of more than {} dimensions", kMostDimensions));
      shape.push_back(dimension());
      comma = take(',');
    }
    if (shape.size() == 1 && !comma) refuse_npy(origin_, "the shape is a number, not a tuple");
    return shape;
  }
  void parse_type(NpyHeader& header) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[')
      refuse_npy(origin_, "the elements are structures, not numbers");
    const std::string_view descr = string();
    for (const NpyType& t : kTypes) {
      if (descr.size() != 3 || descr.substr(1) != fmt::format("{}{}", t.kind, t.bytes)) continue;
      const char order = descr[0];
      if (order != '<' && order != '>' && !(order == '|' && t.bytes == 1)) break;
      header.type = t;
      header.big_endian = order == '>';
      return;
    }
    refuse_npy(origin_, fmt::format("elements of type {}", excerpt(descr)));
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_dict(std::string_view text, const std::string& origin) {
  return HeaderText(text, origin).parse();
}

}  // namespace tilewright::data
