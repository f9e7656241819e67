// The tokens of a tokenizer as a tree of their bytes, for grammars. Made once per model and shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tilewright/tokens/grammar/automaton.h"
#include "tilewright/tokens/tokenizer.h"

namespace tilewright::tokens::grammar {

class StringMasks;

// All tokens by their symbols. Nodes are in the order of a walk that goes down first: the children
// of node i begin at i + 1, and what is below it ends at `end`. Node 0 is the root.
struct TokenTree {
  struct Node {
    uint32_t end = 0;
    uint32_t first_token = 0;  // its tokens end where those of the next node begin
    Symbol symbol = 0;
    uint16_t depth = 0;
    // Some token here or below is more than whole characters that JSON strings write as themselves.
    bool not_only_characters = false;
  };
  std::vector<Node> nodes;  // and one more behind the last
  std::vector<int32_t> tokens;

  std::span<const int32_t> tokens_of(std::size_t node) const {
    return std::span(tokens).subspan(nodes[node].first_token,
                                     nodes[node + 1].first_token - nodes[node].first_token);
  }
  uint32_t node_count() const { return static_cast<uint32_t>(nodes.size() - 1); }
  bool is_leaf(std::size_t node) const { return nodes[node].end == node + 1; }
};

class Vocabulary {
 public:
  // `end_ids` end a text: those with which generation stops. The tokenizer is not kept. Throws
  // UserError when a byte has no token of its own, or nothing ends a text.
  Vocabulary(const Tokenizer& tokenizer, std::vector<int32_t> end_ids);
  ~Vocabulary();

  std::size_t size() const { return symbols_begin_.size() - 1; }
  const std::vector<int32_t>& end_ids() const { return end_ids_; }
  const TokenTree& tree() const { return tree_; }
  bool has(Symbol control) const { return has_control_[control - kToolCalls]; }
  // What a token adds to a text; nothing for end tokens and tokens without a meaning.
  std::span<const Symbol> symbols(int32_t id) const;
  StringMasks& string_masks() const { return *string_masks_; }

 private:
  void make_symbols(const Tokenizer& tokenizer);
  void make_tree();

  std::vector<int32_t> end_ids_;
  std::vector<Symbol> symbols_;
  std::vector<uint32_t> symbols_begin_;  // by id, and one more
  bool has_control_[kSymbols - kToolCalls] = {};
  TokenTree tree_;
  std::unique_ptr<StringMasks> string_masks_;
};

}  // namespace tilewright::tokens::grammar
