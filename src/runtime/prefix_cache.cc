#include "tilewright/runtime/prefix_cache.h"

#include <algorithm>
#include <utility>

namespace tilewright::runtime {
namespace {

std::size_t same_tokens(std::span<const int32_t> a, std::span<const int32_t> b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

PrefixCache::~PrefixCache() {
  while (!root_.children.empty()) drop(*root_.children.back());
}

PrefixCache::Node* PrefixCache::whole_child(Node& node, std::span<const int32_t> tokens) {
  const auto found = std::ranges::find_if(node.children, [&](const auto& child) {
    return std::ranges::equal(child->tokens, tokens);
  });
  return found == node.children.end() ? nullptr : found->get();
}

PrefixCache::Found PrefixCache::find(std::span<const int32_t> text) {
  const auto page = static_cast<std::size_t>(engine_.page());
  Found found;
  Node* node = &root_;
  ++uses_;
  while (text.size() >= page) {
    Node* next = whole_child(*node, text.first(page));
    if (!next) break;
    node = next;
    node->used = uses_;
    found.pages.push_back(node->page);
    text = text.subspan(page);
  }
  Node* best = nullptr;
  for (const auto& child : node->children) {
    const auto same = static_cast<int64_t>(same_tokens(child->tokens, text));
    if (same <= found.part) continue;
    best = child.get();
    found.part_page = best->page;
    found.part = same;
  }
  if (best) best->used = uses_;
  return found;
}

void PrefixCache::insert(std::span<const int32_t> text, int slot, bool with_part) {
  const auto page = static_cast<std::size_t>(engine_.page());
  const PageTable& pages = engine_.pages();
  node_of_page_.resize(static_cast<std::size_t>(pages.pages()));
  Node* node = &root_;
  ++uses_;
  for (int64_t i = 0; !text.empty(); ++i) {
    const auto tokens = text.first(std::min(page, text.size()));
    if (tokens.size() < page && !with_part) return;
    text = text.subspan(tokens.size());
    Node* next = whole_child(*node, tokens);
    if (!next) {
      const auto longer = [&](const auto& child) {
        return same_tokens(child->tokens, tokens) == tokens.size();
      };
      if (tokens.size() < page && std::ranges::any_of(node->children, longer)) return;
      drop_beginnings(*node, tokens);
      // A page may be kept under one text only; here, another slot's is the one that is kept.
      const int32_t own = pages.page_of(slot, i);
      if (node_of_page_[static_cast<std::size_t>(own)]) return;
      engine_.keep_page(own);
      node->children.push_back(
          std::make_unique<Node>(Node{{tokens.begin(), tokens.end()}, own, 0, node}));
      next = node->children.back().get();
      node_of_page_[static_cast<std::size_t>(own)] = next;
    }
    node = next;
    node->used = uses_;
  }
}

// Parts of a page that the new one holds, too.
void PrefixCache::drop_beginnings(Node& node, std::span<const int32_t> tokens) {
  for (std::size_t i = node.children.size(); i-- > 0;) {
    Node& child = *node.children[i];
    if (child.tokens.size() < tokens.size() && !engine_.pages().is_held(child.page) &&
        same_tokens(child.tokens, tokens) == child.tokens.size())
      drop(child);
  }
}

void PrefixCache::forget(int32_t page) {
  if (Node* node = node_of_page_[static_cast<std::size_t>(page)]) drop(*node);
}

void PrefixCache::drop(Node& node) {
  while (!node.children.empty()) drop(*node.children.back());
  node_of_page_[static_cast<std::size_t>(node.page)] = nullptr;
  engine_.drop_page(node.page);
  std::erase_if(node.parent->children, [&](const auto& child) { return child.get() == &node; });
}

bool PrefixCache::reclaim(int64_t pages) {
  // Ends of texts before what other pages go on from.
  const auto sooner = [](const Node& a, const Node& b) {
    return std::pair(!a.children.empty(), a.used) < std::pair(!b.children.empty(), b.used);
  };
  while (engine_.pages().free_pages() < pages) {
    Node* oldest = nullptr;
    for (Node* node : node_of_page_)
      if (node && !engine_.pages().is_held(node->page) && (!oldest || sooner(*node, *oldest)))
        oldest = node;
    if (!oldest) return false;
    drop(*oldest);
  }
  return true;
}

}  // namespace tilewright::runtime
