#include "tilewright/tokens/stop_texts.h"

#include <algorithm>
#include <utility>

#include "tilewright/base/diagnostic.h"

namespace tilewright::tokens {

StopTexts::StopTexts(std::vector<std::string> stops) : stops_(std::move(stops)) {
  if (std::ranges::find(stops_, "") != stops_.end())
    user_error("sampling", "a stop text is empty", "",
               "an answer ends before a stop text, which has at least one character",
               "omit the stop text");
}

// What ends first decides, so that pieces of any size give the same text.
std::string StopTexts::push(std::string_view piece) {
  if (stopped_) return "";
  waiting_ += piece;
  std::size_t begin = std::string::npos, end = std::string::npos;
  for (const std::string& stop : stops_) {
    const std::size_t at = waiting_.find(stop);
    if (at == std::string::npos) continue;
    if (std::pair(at + stop.size(), at) < std::pair(end, begin)) {
      begin = at;
      end = at + stop.size();
    }
  }
  stopped_ = begin != std::string::npos;
  const std::size_t certain = stopped_ ? begin : waiting_.size() - held_back();
  std::string out = waiting_.substr(0, certain);
  waiting_ = stopped_ ? "" : waiting_.substr(certain);
  return out;
}

std::string StopTexts::finish() { return std::exchange(waiting_, ""); }

std::size_t StopTexts::held_back() const {
  std::size_t most = 0;
  for (const std::string& stop : stops_)
    for (std::size_t n = std::min(stop.size() - 1, waiting_.size()); n > most; --n)
      if (waiting_.ends_with(std::string_view(stop).substr(0, n))) most = n;
  return most;
}

}  // namespace tilewright::tokens
