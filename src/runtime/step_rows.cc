#include "tilewright/runtime/step_rows.h"

#include <algorithm>
#include <cmath>

#include "tilewright/programs/paged_attention.h"

namespace tilewright::runtime {
namespace {

template <class T>
T& at(HostArray& a, int64_t i) {
  return a.as<T>()[static_cast<std::size_t>(i)];
}

void set(HostArray& a, int64_t i, int64_t value) {
  at<int32_t>(a, i) = static_cast<int32_t>(value);
}

}  // namespace

StepRows::StepRows(const models::transformer::StepSizes& s, const Make& make)
    : sizes_(s),
      counts_(make("counts")),
      tiles_(make("tiles")),
      positions_(make("positions")),
      slots_(make("slots")),
      cache_rows_(make("cache_rows")),
      cos_(make("cos")),
      sin_(make("sin")),
      pages_(s.slots, s.slot_pages, s.pages, s.page, make("page_table")),
      rope_(models::transformer::rope_angles(s.model)) {
  make("causal") = programs::causal_mask(s.attention());
}

bool StepRows::set_runs(const std::vector<RowRun>& runs) {
  std::vector<AttentionTile> tiles = attention_tiles(sizes_, runs);
  if (tiles == made_) return false;
  made_ = std::move(tiles);
  int64_t i = 0;
  for (const AttentionTile& t : made_)
    for (const int64_t value : {t.first, t.rows, t.splits, t.partial}) set(tiles_, i++, value);
  set(counts_, 0, made_.back().first + made_.back().rows);
  set(counts_, 1, static_cast<int64_t>(made_.size()));
  return true;
}

void StepRows::place(int64_t row, int slot, int64_t position) {
  set(positions_, row, position);
  set(slots_, row, slot);
  set(cache_rows_, row, pages_.cache_row(slot, position, sizes_.model.kv_heads));
  const auto half = static_cast<int64_t>(rope_.frequencies.size());
  for (int64_t i = 0; i < half; ++i) {
    const double angle =
        static_cast<double>(position) * rope_.frequencies[static_cast<std::size_t>(i)];
    at<float>(cos_, row * half + i) = static_cast<float>(rope_.magnitude * std::cos(angle));
    at<float>(sin_, row * half + i) = static_cast<float>(rope_.magnitude * std::sin(angle));
  }
}

}  // namespace tilewright::runtime
