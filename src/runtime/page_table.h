// Which pages of the KV cache belong to which sequence. A sequence takes a page when it needs one
// and returns all pages when it ends. The page returned last is taken first, so that memory that
// was never used stays untouched.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/base/array.h"

namespace tilewright::runtime {

class PageTable {
 public:
  // `table` is [slots, pages of a slot] INT32, kept for the tasks to read.
  PageTable(int64_t slots, int64_t slot_pages, int64_t page, HostArray& table);

  int open();            // a free slot
  void close(int slot);  // gives its pages back
  // Has pages for positions 0 .. length - 1 afterwards, and no others.
  void resize(int slot, int64_t length);
  // Row of a position in a cache of [pages * kv_heads * page, D], for KV head 0.
  int64_t cache_row(int slot, int64_t position, int64_t kv_heads) const;

  int64_t free_slots() const { return static_cast<int64_t>(free_slots_.size()); }
  int64_t pages_in_use() const { return in_use_; }

 private:
  int32_t& entry(int slot, int64_t i) const;

  int64_t slot_pages_, page_;
  HostArray& table_;
  std::vector<int64_t> taken_;  // pages by slot
  std::vector<int> free_slots_;
  std::vector<int32_t> free_pages_;
  int64_t in_use_ = 0;
};

}  // namespace tilewright::runtime
