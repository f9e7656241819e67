#include "tilewright/cli/watch/kernel_changes.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tilewright/session/pair_stages.h"

namespace tilewright::cli {
namespace {

constexpr std::size_t kMostChanges = 8;

double change_of(const session::StagePair& p) {
  return std::abs((p.b ? p.b->busy_us : 0) - (p.a ? p.a->busy_us : 0));
}

}  // namespace

report::Object kernel_changes(const session::TimedRun& from, const session::TimedRun& to) {
  std::vector<session::StagePair> pairs = session::paired_stages(from, to);
  const double least = std::max(from.profile->all.busy_us, to.profile->all.busy_us) / 1000;
  std::erase_if(pairs, [&](const auto& p) { return change_of(p) < least; });
  std::ranges::stable_sort(pairs, std::greater(), change_of);
  if (pairs.size() > kMostChanges) pairs.resize(kMostChanges);
  report::Object list = report::Object::array();
  const auto us = [](const report::Stage* s) {
    return s ? report::Object(s->busy_us) : report::Object();
  };
  for (const session::StagePair& p : pairs)
    list.push_back({{"name", p.name}, {"from_us", us(p.a)}, {"to_us", us(p.b)}});
  return list;
}

}  // namespace tilewright::cli
