#include "tilewright/improve/choices.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

constexpr int64_t kTileUnit = 16;  // smaller values count iterations, stages or blocks
constexpr int64_t kLongestCount = 64;   // iterations of one task, stages of a pipeline
constexpr std::size_t kMostValues = 12;  // of one key

// Sizes of tensors and trip counts of loops.
std::set<int64_t> sizes_in(const ir::Program& program) {
  std::set<int64_t> out;
  for (const ir::Var& v : program.vars)
    if (!v.scalar) out.insert(v.shape.begin(), v.shape.end());
  ir::for_each_stmt(program.body, [&](const ir::Stmt& s) {
    const ir::For* loop = s.as<ir::For>();
    if (!loop || !loop->start.is_constant() || !loop->stop.is_constant()) return;
    out.insert((loop->stop.constant() - loop->start.constant()) / loop->step);
  });
  return out;
}

void add_divisors(int64_t size, int64_t low, int64_t high, int64_t unit, std::set<int64_t>& out) {
  for (int64_t d = std::max<int64_t>(low, 1); d <= std::min(high, size); ++d)
    if (size % d == 0 && d % unit == 0) out.insert(d);
}

std::optional<ir::Program> built(const catalog::ProgramDef& def, const catalog::Config& config) {
  try {
    ir::Program p = def.build(config);
    if (!p.diagnostics.has_errors()) return p;
  } catch (const UserError&) {  // a value that the file itself refuses
  }
  return std::nullopt;
}

// Whether another value of the key gives another program with the same parameters.
bool shapes_the_program(const catalog::ProgramDef& def, const catalog::Config& config,
                        const catalog::Key& key, const std::vector<int64_t>& values,
                        const ir::Program& program, const std::string& text) {
  constexpr int kTries = 4;
  int tries = 0;
  for (int64_t v : values) {
    if (v == key.value) continue;
    if (++tries > kTries) return false;
    catalog::Config other = config;
    other.set(key.name, v);
    const auto changed = built(def, other);
    if (!changed) continue;
    if (!same_parameters(program, *changed)) return false;
    if (ir::print(*changed) != text) return true;
  }
  return false;
}

std::vector<int64_t> nearest_first(std::vector<int64_t> values, int64_t value) {
  const auto distance = [&](int64_t v) {
    return std::abs(std::log2(static_cast<double>(v) / static_cast<double>(value)));
  };
  std::ranges::stable_sort(values, {}, distance);
  return values;
}

}  // namespace

std::vector<int64_t> values_near(int64_t value, const ir::Program& program) {
  std::set<int64_t> found{value};
  const bool tile = value >= kTileUnit;
  const int64_t low = tile ? value / 8 : 1;
  const int64_t high = tile ? value * 16 : kLongestCount;
  for (int64_t v = value; v >= low; v /= 2) {
    found.insert(v);
    if (v % 2 != 0) break;
  }
  for (int64_t v = value; v <= high; v *= 2) found.insert(v);
  if (!tile)
    for (int64_t v : {1, 2, 3, 4, 6, 8}) found.insert(v);
  for (int64_t size : sizes_in(program))
    if (size % value == 0) add_divisors(size, low, high, tile ? kTileUnit : 1, found);
  std::vector<int64_t> out = nearest_first({found.begin(), found.end()}, value);
  if (out.size() > kMostValues) out.resize(kMostValues);
  std::ranges::sort(out);
  return out;
}

bool same_parameters(const ir::Program& a, const ir::Program& b) {
  return std::ranges::equal(a.params, b.params, [&](const ir::Param& p, const ir::Param& q) {
    const ir::Var &v = a[p.var], &w = b[q.var];
    return v.name == w.name && v.scalar == w.scalar && v.dtype == w.dtype && v.shape == w.shape &&
           p.direction == q.direction;
  });
}

catalog::Config with_derived_choices(const catalog::ProgramDef& def, const catalog::Config& config) {
  std::vector<catalog::Key> keys = config.keys();
  const bool unsaid =
      !def.rewrite && std::ranges::all_of(keys, [](const auto& k) { return k.choices.empty(); });
  const auto open = [&](const catalog::Key& k) {
    return (k.literal || unsaid) && k.choices.empty() && k.value > 0;
  };
  if (std::ranges::none_of(keys, open)) return config;
  const auto program = built(def, config);
  if (!program) return config;
  const std::string text = ir::print(*program);
  for (catalog::Key& k : keys) {
    if (!open(k)) continue;
    std::vector<int64_t> values = values_near(k.value, *program);
    std::erase_if(values, [&](int64_t v) { return v < k.low || v > k.high; });
    if (!shapes_the_program(def, config, k, nearest_first(values, k.value), *program, text))
      continue;
    k.choices = std::move(values);
    k.literal = true;
  }
  return {config.shape(), config.machine(), std::move(keys)};
}

}  // namespace tilewright::improve
