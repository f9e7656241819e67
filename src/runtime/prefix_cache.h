// The pages of earlier texts, by their tokens: a tree in which a node is a page and its parent the
// page before it. A text that begins like an earlier one has the pages of what both begin with
// instead of reading it again; K and V of a position follow from the tokens up to it, so the bits
// are those of reading. Used by Scheduler.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tilewright/runtime/engine.h"

namespace tilewright::runtime {

class PrefixCache {
 public:
  explicit PrefixCache(Engine& engine) : engine_(engine) {}
  ~PrefixCache();
  PrefixCache(const PrefixCache&) = delete;

  // What a text begins with: whole pages, and the first `part` tokens of one more.
  struct Found {
    std::vector<int32_t> pages;
    int32_t part_page = -1;
    int64_t part = 0;
  };
  Found find(std::span<const int32_t> text);
  // Keeps the pages of a slot that hold this text, which the slot has read; the last one may hold
  // more, and is kept only if `with_part` says that it will not be written to.
  void insert(std::span<const int32_t> text, int slot, bool with_part);
  // The page is no longer kept, nor what follows it; a slot that has it may then write to it.
  void forget(int32_t page);
  // Frees pages that no slot holds, the least recently used first, until so many are free. False
  // when there are not enough.
  bool reclaim(int64_t pages);

 private:
  struct Node {
    std::vector<int32_t> tokens;  // a page full, or fewer: then it has no children
    int32_t page = -1;
    uint64_t used = 0;
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children = {};
  };

  Node* whole_child(Node& node, std::span<const int32_t> tokens);
  void drop_beginnings(Node& node, std::span<const int32_t> tokens);
  void drop(Node& node);  // with its children

  Engine& engine_;
  Node root_;
  std::vector<Node*> node_of_page_;
  uint64_t uses_ = 0;
};

}  // namespace tilewright::runtime
