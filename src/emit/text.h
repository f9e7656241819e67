// Lines of emitted text with their indentation.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::emit {

class Text {
 public:
  void line(std::string_view text) {
    if (!text.empty()) out_.append(static_cast<std::size_t>(depth_) * 2, ' ').append(text);
    out_ += '\n';
  }
  void open(std::string_view text) {
    line(text);
    ++depth_;
  }
  void close(std::string_view text = "}") {
    --depth_;
    line(text);
  }
  void otherwise() {
    close("} else {");
    ++depth_;
  }
  void blank() { out_ += '\n'; }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
  int depth_ = 0;
};

}  // namespace tilewright::emit
