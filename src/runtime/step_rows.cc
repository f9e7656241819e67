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
    : kv_heads_(s.model.kv_heads),
      attention_rows_(s.attention().row_tile),
      counts_(make("counts")),
      tiles_(make("tiles")),
      positions_(make("positions")),
      slots_(make("slots")),
      cache_rows_(make("cache_rows")),
      cos_(make("cos")),
      sin_(make("sin")),
      pages_(s.slots, s.slot_pages, s.page, make("page_table")) {
  make("causal") = programs::causal_mask(s.attention());
  const int64_t half = s.model.head_dim / 2;
  for (int64_t i = 0; i < half; ++i)
    frequencies_.push_back(
        std::pow(s.model.rope_theta, -static_cast<double>(i) / static_cast<double>(half)));
}

void StepRows::set_runs(const std::vector<int64_t>& runs) {
  int64_t rows = 0, count = 0;
  for (const int64_t run : runs)
    for (int64_t end = rows + run; rows < end;) {
      const int64_t step = std::min(attention_rows_, end - rows);
      set(tiles_, 2 * count, rows);
      set(tiles_, 2 * count++ + 1, step);
      rows += step;
    }
  set(counts_, 0, rows);
  set(counts_, 1, count);
}

void StepRows::place(int64_t row, int slot, int64_t position) {
  set(positions_, row, position);
  set(slots_, row, slot);
  set(cache_rows_, row, pages_.cache_row(slot, position, kv_heads_));
  const auto half = static_cast<int64_t>(frequencies_.size());
  for (int64_t i = 0; i < half; ++i) {
    const double angle = static_cast<double>(position) * frequencies_[static_cast<std::size_t>(i)];
    at<float>(cos_, row * half + i) = static_cast<float>(std::cos(angle));
    at<float>(sin_, row * half + i) = static_cast<float>(std::sin(angle));
  }
}

}  // namespace tilewright::runtime
