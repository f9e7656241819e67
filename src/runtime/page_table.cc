#include "tilewright/runtime/page_table.h"

#include "tilewright/base/check.h"

namespace tilewright::runtime {

PageTable::PageTable(int64_t slots, int64_t slot_pages, int64_t pages, int64_t page,
                     HostArray& table)
    : slot_pages_(slot_pages), page_(page), table_(table) {
  taken_.resize(static_cast<std::size_t>(slots));
  uses_.resize(static_cast<std::size_t>(pages));
  for (int64_t s = slots; s-- > 0;) free_slots_.push_back(static_cast<int>(s));
  for (int64_t p = pages; p-- > 0;) free_pages_.push_back(static_cast<int32_t>(p));
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
  for (; taken < wanted; ++taken) entry(slot, taken) = take_free();
  while (taken > wanted) let_go(entry(slot, --taken));
}

void PageTable::share(int slot, int32_t page) {
  int64_t& taken = taken_[static_cast<std::size_t>(slot)];
  check(taken < slot_pages_, "a sequence longer than its context");
  check(use(page).slots > 0 || use(page).kept, "a free page is not shared");
  hold(page);
  entry(slot, taken++) = page;
}

int32_t PageTable::replace(int slot, int64_t i) {
  const int32_t before = entry(slot, i);
  entry(slot, i) = take_free();
  let_go(before);
  return before;
}

void PageTable::keep(int32_t page) {
  check(use(page).slots > 0 && !use(page).kept, "a page that a slot holds is kept, once");
  use(page).kept = true;
}

void PageTable::drop(int32_t page) {
  check(use(page).kept, "a page that is not kept");
  use(page).kept = false;
  if (use(page).slots == 0) free_pages_.push_back(page);
}

int32_t PageTable::take_free() {
  check(!free_pages_.empty(), "no page is free");
  const int32_t page = free_pages_.back();
  free_pages_.pop_back();
  hold(page);
  return page;
}

void PageTable::hold(int32_t page) {
  const int32_t slots = ++use(page).slots;
  in_use_ += slots == 1;
  shared_ += slots == 2;
}

void PageTable::let_go(int32_t page) {
  const int32_t slots = --use(page).slots;
  in_use_ -= slots == 0;
  shared_ -= slots == 1;
  if (slots == 0 && !use(page).kept) free_pages_.push_back(page);
}

int64_t PageTable::cache_row(int slot, int64_t position, int64_t kv_heads) const {
  return entry(slot, position / page_) * kv_heads * page_ + position % page_;
}

int32_t& PageTable::entry(int slot, int64_t i) const {
  return table_.as<int32_t>()[static_cast<std::size_t>(slot * slot_pages_ + i)];
}

}  // namespace tilewright::runtime
