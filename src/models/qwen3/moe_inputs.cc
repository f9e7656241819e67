// Inputs of the layer of experts. The groups of rows are an input, since whoever runs the layer makes
// them between its halves; so the choice that they stand for has to be the one that the router makes.
// It is planned first: every expert has a direction, orthogonal to those of the others, and a row
// points along those of its experts, the first of them most.
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/models/qwen3/inputs.h"
#include "tilewright/models/qwen3/moe_decode.h"

namespace tilewright::models::qwen3 {
namespace {

using programs::Experts;

// Rows of a Hadamard matrix, as far as the width has a power of two.
double direction(int64_t expert, int64_t column) {
  return std::popcount(static_cast<uint64_t>(expert & column)) % 2 == 0 ? 1 : -1;
}

struct Groups {
  std::vector<int32_t> groups, members, places;
  explicit Groups(const Experts& e)
      : groups(static_cast<std::size_t>(element_count(e.groups_shape()))),
        members(static_cast<std::size_t>(element_count(e.members_shape()))),
        places(static_cast<std::size_t>(element_count(e.choice_shape()))) {
    programs::groups_of(e, programs::drawn_choice(e), {groups, members, places});
  }
};

catalog::Init values(std::vector<int32_t> of) {
  return [of = std::move(of)](HostArray& array, Rng&) {
    for (std::size_t i = 0; i < of.size(); ++i) array.set(static_cast<int64_t>(i), of[i]);
  };
}

}  // namespace

Inits moe_inputs(const Choice& c) {
  const Experts e = experts_of(c);
  const Groups g(e);
  Inits in;
  in["groups"] = values(g.groups);
  in["members"] = values(g.members);
  in["places"] = values(g.places);
  in["counts"] = catalog::constant(static_cast<double>(programs::used_groups(g.groups)));
  // Logits of the chosen are several units apart from those of the others, which are around zero.
  in["w_router"] = [](HostArray& w, Rng&) {
    const int64_t cols = w.shape()[1];
    for (int64_t i = 0; i < w.size(); ++i)
      w.set(i, direction(i / cols, i % cols) * 3 / std::sqrt(static_cast<double>(cols)) / 8);
  };
  in["hidden_states"] = [e](HostArray& x, Rng& rng) {
    const auto chosen = programs::drawn_choice(e);
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t row = i / e.hidden;
      double v = 0.1 * rng.uniform() - 0.05;
      for (int64_t j = 0; j < e.per_row; ++j)
        v += 0.1 * (2.0 - static_cast<double>(j) / static_cast<double>(e.per_row)) *
             direction(chosen[static_cast<std::size_t>(row * e.per_row + j)], i % e.hidden);
      x.set(i, v);
    }
  };
  in["post_rms_weight"] = catalog::uniform(0.9, 1.1);
  const auto spread = [](double size, int64_t depth) {
    const double a = size / std::sqrt(static_cast<double>(depth));
    return catalog::uniform(-a, a);
  };
  in["w_gate"] = spread(2.5, e.hidden);
  in["w_up"] = spread(1.7, e.hidden);
  in["w_down"] = spread(1.0, e.inner);
  return in;
}

void validate_groups(const Choice& c, const std::string& program, const catalog::Arrays& io) {
  const Experts e = experts_of(c);
  const auto refuse = [&](const std::string& what) {
    user_error("expert-groups", what,
               fmt::format("in inputs groups, members and places, program {}", program),
               "every row is a member of a group of each of its experts, at the place that places "
               "states",
               "make the groups from the choice of the router (programs::groups_of)");
  };
  const auto used = static_cast<int64_t>(io["counts"].at(0));
  if (used < 0 || used > e.groups_shape()[0])
    refuse(fmt::format("{} groups, of at most {}", used, e.groups_shape()[0]));
  for (int64_t g = 0; g < used; ++g) {
    const auto expert = static_cast<int64_t>(io["groups"].at(2 * g));
    const auto rows = static_cast<int64_t>(io["groups"].at(2 * g + 1));
    if (expert < 0 || expert >= e.count || rows < 0 || rows > e.group_rows)
      refuse(fmt::format("group {} has expert {} of {} and {} rows of {}", g, expert, e.count, rows,
                         e.group_rows));
  }
  for (int64_t i = 0; i < e.rows * e.per_row; ++i) {
    const auto place = static_cast<int64_t>(io["places"].at(i));
    const int64_t g = place / e.group_rows;
    const bool inside = place >= 0 && g < used &&
                        place % e.group_rows < static_cast<int64_t>(io["groups"].at(2 * g + 1));
    if (!inside)
      refuse(fmt::format("places[{}, {}] = {} is in no group", i / e.per_row, i % e.per_row, place));
    const auto member = static_cast<int64_t>(io["members"].at(place));
    if (member != i / e.per_row)
      refuse(fmt::format("places[{}, {}] = {}, where row {} is", i / e.per_row, i % e.per_row, place,
                         member));
  }
}

}  // namespace tilewright::models::qwen3
