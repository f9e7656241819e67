#include "tilewright/improve/space.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/blame.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::improve {

int64_t Space::size() const {
  constexpr int64_t kMost = int64_t{1} << 62;
  int64_t points = 1;
  for (const Axis& a : axes) {
    const auto n = static_cast<int64_t>(a.values.size());
    if (points > kMost / n) return kMost;
    points *= n;
  }
  return points;
}

bool Space::derives(const Point& point) const {
  return std::ranges::any_of(
      axes, [&](const Axis& a) { return a.derived && point.at(a.key) != start.at(a.key); });
}

Space make_space(const catalog::Config& config,
                 const std::map<std::string, std::vector<int64_t>>& wanted,
                 const std::map<std::string, int64_t>& fixed) {
  catalog::Config tried = config;  // refuses unknown keys and values out of range
  for (const auto& entry : wanted)
    for (int64_t v : entry.second)
      blamed_on(fmt::format("in --space {}={}", entry.first, v),
                [&] { tried.set(entry.first, v); });
  Space space;
  for (const catalog::Key& k : config.keys()) {
    const auto own = wanted.find(k.name);
    const bool searched = own != wanted.end() || (wanted.empty() && !fixed.contains(k.name));
    if (!searched) continue;
    Axis axis{k.name, own == wanted.end() ? k.choices : own->second, k.literal};
    if (axis.values.empty()) continue;
    std::erase_if(axis.values, [&](int64_t v) { return v < k.low || v > k.high; });
    axis.values.push_back(k.value);
    std::ranges::sort(axis.values);
    axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
    if (axis.values.size() < 2) continue;
    space.start[k.name] = k.value;
    space.axes.push_back(std::move(axis));
  }
  return space;
}

void require_axes(const Space& space) {
  if (!space.axes.empty()) return;
  user_error("empty-space", "there is nothing to search", "",
             "a search needs at least one key with two or more values; in a Python file a key is "
             "a constant such as N_TILE = 64",
             "name a key and its values, as in --space k_tile=64,128,256, or name the tile sizes "
             "in the file");
}

}  // namespace tilewright::improve
