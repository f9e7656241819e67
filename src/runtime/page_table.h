// Which pages of the KV cache belong to which sequence. A sequence takes a page when it needs one
// and returns all pages when it ends. Sequences may share pages, and pages may be kept for
// sequences to come; a page is free when nobody holds it. The page freed last is taken first, so
// that memory that was never used stays untouched.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/base/array.h"

namespace tilewright::runtime {

class PageTable {
 public:
  // `table` is [slots, pages of a slot] INT32, kept for the tasks to read.
  PageTable(int64_t slots, int64_t slot_pages, int64_t pages, int64_t page, HostArray& table);

  int open();            // a free slot
  void close(int slot);  // gives its pages back
  // Has pages for positions 0 .. length - 1 afterwards, and no others.
  void resize(int slot, int64_t length);
  // Appends a page that a slot holds or that is kept.
  void share(int slot, int32_t page);
  // Puts a fresh page in place of the i-th, and gives the one that was there.
  int32_t replace(int slot, int64_t i);
  // A page is kept though no slot may hold it, or no longer.
  void keep(int32_t page);
  void drop(int32_t page);

  // Row of a position in a cache of [pages * kv_heads * page, D], for KV head 0.
  int64_t cache_row(int slot, int64_t position, int64_t kv_heads) const;
  int32_t page_of(int slot, int64_t i) const { return entry(slot, i); }
  int64_t pages_of(int slot) const { return taken_[static_cast<std::size_t>(slot)]; }
  // Whether nobody else reads what is written to the page.
  bool is_own(int32_t page) const { return use(page).slots == 1 && !use(page).kept; }
  bool is_held(int32_t page) const { return use(page).slots > 0; }

  int64_t free_slots() const { return static_cast<int64_t>(free_slots_.size()); }
  int64_t free_pages() const { return static_cast<int64_t>(free_pages_.size()); }
  int64_t pages() const { return static_cast<int64_t>(uses_.size()); }
  int64_t pages_in_use() const { return in_use_; }                           // by slots
  int64_t pages_shared() const { return shared_; }                           // by more than one
  int64_t pages_cached() const { return pages() - free_pages() - in_use_; }  // kept, by no slot

 private:
  struct Use {
    int32_t slots = 0;
    bool kept = false;
  };

  int32_t& entry(int slot, int64_t i) const;
  Use& use(int32_t page) { return uses_[static_cast<std::size_t>(page)]; }
  const Use& use(int32_t page) const { return uses_[static_cast<std::size_t>(page)]; }
  int32_t take_free();
  void hold(int32_t page);
  void let_go(int32_t page);

  int64_t slot_pages_, page_;
  HostArray& table_;
  std::vector<int64_t> taken_;  // pages by slot
  std::vector<Use> uses_;       // by page
  std::vector<int> free_slots_;
  std::vector<int32_t> free_pages_;
  int64_t in_use_ = 0, shared_ = 0;
};

}  // namespace tilewright::runtime
