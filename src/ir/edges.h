// The edges of a task graph, by the task that waits, in the order they were found.
//
// A task that reads what a loop has written follows every n-th task before it. Such a row of edges
// is held as one run: attention over a cache to which the task of every token has added a row has
// many hundred million edges, and fewer runs than tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "tilewright/base/large_vector.h"
#include "tilewright/ir/ids.h"

namespace tilewright::ir {

enum class EdgeKind : uint8_t { ReadAfterWrite, WriteAfterRead, WriteAfterWrite };
std::string_view edge_kind_name(EdgeKind k);

struct Edge {
  TaskId from;
  EdgeKind kind = EdgeKind::ReadAfterWrite;
  BufferId buffer;
  bool operator==(const Edge&) const = default;
};

// Edges of one kind by one buffer, from tasks at even distances.
struct EdgeRun {
  uint32_t first;
  int32_t step = 0;
  uint32_t count : 30 = 1;
  EdgeKind kind : 2;
  BufferId buffer;

  explicit EdgeRun(const Edge& e) : first(e.from.value), kind(e.kind), buffer(e.buffer) {}
  uint32_t from(uint32_t i) const { return first + i * static_cast<uint32_t>(step); }
  Edge edge(uint32_t i) const { return {TaskId(from(i)), kind, buffer}; }
};
static_assert(sizeof(EdgeRun) == 16);

// Edges that stand together, one after the other.
class EdgeList {
 public:
  class Iterator {
   public:
    using value_type = Edge;
    using reference = Edge;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;  // edges are made when they are looked at
    using iterator_concept = std::bidirectional_iterator_tag;

    Iterator() = default;
    explicit Iterator(const EdgeRun* run) : run_(run) {}
    Edge operator*() const { return run_->edge(i_); }
    Iterator& operator++() {
      if (++i_ == run_->count) {
        ++run_;
        i_ = 0;
      }
      return *this;
    }
    Iterator& operator--() {
      if (i_ == 0) i_ = (--run_)->count;
      --i_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    Iterator operator--(int) {
      const Iterator before = *this;
      --*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const EdgeRun* run_ = nullptr;
    uint32_t i_ = 0;
  };

  EdgeList(const EdgeRun* begin, const EdgeRun* end) : begin_(begin), end_(end) {}
  Iterator begin() const { return Iterator(begin_); }
  Iterator end() const { return Iterator(end_); }
  bool empty() const { return begin_ == end_; }
  std::size_t size() const;

 private:
  const EdgeRun* begin_;
  const EdgeRun* end_;
};

class Edges {
 public:
  // Edges are added to the task that was begun last. Tasks are begun in their order.
  void begin_task() { begin_.push_back(static_cast<uint32_t>(runs_.size())); }
  void add(const Edge& e);
  // To the task that was begun last, all edges of another.
  void add_all_of(TaskId t);

  std::size_t size() const { return size_; }
  std::size_t runs() const { return runs_.size(); }
  EdgeList all() const { return {runs_.begin(), runs_.end()}; }
  EdgeList of(TaskId t) const {
    return {runs_.begin() + begin_[t.index()], runs_.begin() + end_of(t)};
  }

 private:
  std::size_t end_of(TaskId t) const {
    return t.index() + 1 < begin_.size() ? begin_[t.index() + 1] : runs_.size();
  }

  LargeVector<EdgeRun> runs_;
  std::vector<uint32_t> begin_;  // by task
  std::size_t size_ = 0;
};

}  // namespace tilewright::ir
