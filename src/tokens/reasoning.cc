#include "tilewright/tokens/reasoning.h"

#include <algorithm>

#include "tilewright/tokens/marker.h"

namespace tilewright::tokens {
namespace {

constexpr std::string_view kOpen = "<think>", kClose = "</think>";

}  // namespace

bool opens_reasoning(std::string_view prompt) {
  while (!prompt.empty() && is_white(prompt.back())) prompt.remove_suffix(1);
  return prompt.ends_with(kOpen);
}

ReasoningSplitter::ReasoningSplitter(bool opened)
    : where_(opened ? Where::Thoughts : Where::Start) {}

void ReasoningSplitter::read(char c, Pieces& out) {
  switch (where_) {
    case Where::Content: out.content += c; return;
    case Where::BeforeContent:
      if (is_white(c)) return;
      where_ = Where::Content;
      out.content += c;
      return;
    case Where::Start:
      if (matched_.empty() && is_white(c)) {
        space_ += c;
        return;
      }
      matched_ += c;
      if (matched_ == kOpen) {
        where_ = Where::Thoughts;
        space_.clear();
        matched_.clear();
      } else if (!kOpen.starts_with(matched_)) {
        where_ = Where::Content;
        out.content += space_ + matched_;
      }
      return;
    case Where::Thoughts:
      if (!match_marker(kClose, c, space_, matched_, [&](std::string_view text) {
            if (!any_) text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
            any_ |= !text.empty();
            out.reasoning += text;
          }))
        return;
      where_ = Where::BeforeContent;
      space_.clear();
      return;
  }
}

ReasoningSplitter::Pieces ReasoningSplitter::push(std::string_view text) {
  Pieces out;
  for (const char c : text) read(c, out);
  return out;
}

ReasoningSplitter::Pieces ReasoningSplitter::finish() {
  Pieces out;
  if (where_ == Where::Start) out.content = space_ + matched_;
  if (where_ == Where::Thoughts) out.reasoning = (any_ ? space_ : "") + matched_;
  space_.clear();
  matched_.clear();
  return out;
}

}  // namespace tilewright::tokens
