#include "tilewright/tokens/grammar/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/utf8.h"
#include "tilewright/tokens/grammar/string_masks.h"

namespace tilewright::tokens::grammar {
namespace {

// Longer tokens are left out: walks over the tree go as deep as its longest token.
constexpr std::size_t kLongestToken = 2048;

Symbol control_symbol(std::string_view piece) {
  if (piece == "[TOOL_CALLS]") return kToolCalls;
  if (piece == "<|python_tag|>") return kPythonTag;
  return kOtherControl;
}

}  // namespace

Vocabulary::Vocabulary(const Tokenizer& tokenizer, std::vector<int32_t> end_ids)
    : end_ids_(std::move(end_ids)) {
  std::erase_if(end_ids_, [&](int32_t id) { return id < 0 || id >= tokenizer.size(); });
  if (end_ids_.empty())
    user_error("tokenizer", "the model names no end token", "",
               "a text under a grammar ends with an end token",
               "add \"eos_token_id\" to the model's generation_config.json");
  make_symbols(tokenizer);
  make_tree();
  string_masks_ = std::make_unique<StringMasks>(*this);
}

Vocabulary::~Vocabulary() = default;

std::span<const Symbol> Vocabulary::symbols(int32_t id) const {
  const auto at = static_cast<std::size_t>(id);
  if (id < 0 || at >= size()) return {};
  return std::span(symbols_).subspan(symbols_begin_[at],
                                     symbols_begin_[at + 1] - symbols_begin_[at]);
}

void Vocabulary::make_symbols(const Tokenizer& tokenizer) {
  std::array<bool, 256> single{};
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    symbols_begin_.push_back(static_cast<uint32_t>(symbols_.size()));
    if (std::ranges::find(end_ids_, id) != end_ids_.end()) continue;
    const std::string_view bytes = tokenizer.bytes(id);
    if (bytes.empty() || bytes.size() > kLongestToken) continue;
    if (tokenizer.is_special(id)) {
      const Symbol s = control_symbol(tokenizer.piece(id));
      symbols_.push_back(s);
      has_control_[s - kToolCalls] = true;
      continue;
    }
    for (const char c : bytes) symbols_.push_back(static_cast<unsigned char>(c));
    if (bytes.size() == 1) single[static_cast<unsigned char>(bytes[0])] = true;
  }
  symbols_begin_.push_back(static_cast<uint32_t>(symbols_.size()));
  for (std::size_t b = 0; b < single.size(); ++b)
    if (!single[b])
      user_error("tokenizer", fmt::format("no token of text is the byte 0x{:02X} alone", b), "",
                 "a grammar needs a token for every byte, so that every text can be completed",
                 "choose a model with a complete vocabulary, or generate without a schema");
}

void Vocabulary::make_tree() {
  std::vector<int32_t> ids;
  for (std::size_t id = 0; id < size(); ++id)
    if (!symbols(static_cast<int32_t>(id)).empty()) ids.push_back(static_cast<int32_t>(id));
  std::ranges::sort(ids, [&](int32_t a, int32_t b) {
    const auto x = symbols(a), y = symbols(b);
    const auto order =
        std::lexicographical_compare_three_way(x.begin(), x.end(), y.begin(), y.end());
    return order == 0 ? a < b : order < 0;
  });
  std::vector<uint32_t> path{0};  // the nodes of the token before
  const auto close_to = [&](std::size_t depth) {
    for (; path.size() > depth + 1; path.pop_back())
      tree_.nodes[path.back()].end = static_cast<uint32_t>(tree_.nodes.size());
  };
  tree_.nodes.push_back({});
  std::span<const Symbol> before;
  for (const int32_t id : ids) {
    const auto now = symbols(id);
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(before, now).in1 - before.begin());
    close_to(same);
    for (std::size_t i = same; i < now.size(); ++i) {
      TokenTree::Node node;
      node.symbol = now[i];
      node.depth = static_cast<uint16_t>(i + 1);
      node.first_token = static_cast<uint32_t>(tree_.tokens.size());
      path.push_back(static_cast<uint32_t>(tree_.nodes.size()));
      tree_.nodes.push_back(node);
    }
    tree_.tokens.push_back(id);
    if (!characters_of(now))
      for (const uint32_t n : path) tree_.nodes[n].not_only_characters = true;
    before = now;
  }
  close_to(0);
  tree_.nodes[0].end = static_cast<uint32_t>(tree_.nodes.size());
  TokenTree::Node last;
  last.first_token = static_cast<uint32_t>(tree_.tokens.size());
  tree_.nodes.push_back(last);
}

}  // namespace tilewright::tokens::grammar
