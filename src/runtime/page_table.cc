#include "tilewright/runtime/page_table.h"

#include "tilewright/base/check.h"

namespace tilewright::runtime {

PageTable::PageTable(int64_t slots, int64_t slot_pages, int64_t page, HostArray& table)
    : slot_pages_(slot_pages), page_(page), table_(table) {
  taken_.resize(static_cast<std::size_t>(slots));
  for (int64_t s = slots; s-- > 0;) free_slots_.push_back(static_cast<int>(s));
  for (int64_t p = slots * slot_pages; p-- > 0;) free_pages_.push_back(static_cast<int32_t>(p));
}

int PageTable::open() {
  check(!free_slots_.empty(), "no slot is free");
  const int slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void PageTable::close(int slot) {
  resize(slot, 0);
  free_slots_.push_back(slot);
}

void PageTable::resize(int slot, int64_t length) {
  const int64_t wanted = (length + page_ - 1) / page_;
  check(wanted <= slot_pages_, "a sequence longer than its context");
  int64_t& taken = taken_[static_cast<std::size_t>(slot)];
  for (; taken < wanted; ++taken, ++in_use_) {
    entry(slot, taken) = free_pages_.back();
    free_pages_.pop_back();
  }
  for (; taken > wanted; --in_use_) free_pages_.push_back(entry(slot, --taken));
}

int64_t PageTable::cache_row(int slot, int64_t position, int64_t kv_heads) const {
  return entry(slot, position / page_) * kv_heads * page_ + position % page_;
}

int32_t& PageTable::entry(int slot, int64_t i) const {
  return table_.as<int32_t>()[static_cast<std::size_t>(slot * slot_pages_ + i)];
}

}  // namespace tilewright::runtime
