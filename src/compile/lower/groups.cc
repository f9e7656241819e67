#include "tilewright/compile/lower/groups.h"

#include <iterator>

#include "tilewright/compile/lower/matching.h"

namespace tilewright::compile {
namespace {

class Grouping {
 public:
  explicit Grouping(const Searched& in) : in_(in) {}

  void group(ir::LoweredBlock& block) const {
    const std::vector<std::optional<Found>> patterns = patterns_of(block);
    ir::LoweredBlock out;
    std::size_t end = 0;  // where the next pattern begins
    for (std::size_t i = 0; i < block.size();) {
      while (end <= i || (end < block.size() && !patterns[end])) ++end;
      if (std::optional<Found> found = group_at(Nodes(block).first(end).subspan(i), patterns[i])) {
        const auto first = block.begin() + static_cast<std::ptrdiff_t>(i);
        const auto last = first + static_cast<std::ptrdiff_t>(found->nodes);
        out.push_back({ir::Group{std::move(found->group),
                                 {std::move_iterator(first), std::move_iterator(last)}}});
        i += found->nodes;
      } else {
        group_inside(block[i]);
        out.push_back(std::move(block[i++]));
      }
    }
    block = std::move(out);
  }

 private:
  // By node: the softmax or merge that begins there.
  std::vector<std::optional<Found>> patterns_of(Nodes block) const {
    std::vector<std::optional<Found>> patterns;
    for (std::size_t i = 0; i < block.size(); ++i) {
      std::optional<Found> found = match_softmax(block.subspan(i), in_);
      patterns.push_back(found ? std::move(found) : match_merge(block.subspan(i), in_));
    }
    return patterns;
  }

  // `nodes` end where the next pattern begins: a strip would also take the ops of a softmax.
  std::optional<Found> group_at(Nodes nodes, const std::optional<Found>& pattern) const {
    if (pattern) return pattern;
    if (auto strip = match_strip(nodes, in_)) return strip;
    return match_chain(nodes, in_);
  }

  void group_inside(ir::LoweredNode& n) const {
    if (auto* loop = n.as<ir::LoweredFor>()) group(loop->body);
    if (auto* loop = n.as<ir::LoweredWhile>()) group(loop->body);
    if (auto* branch = n.as<ir::LoweredIf>()) {
      group(branch->then_body);
      group(branch->else_body);
    }
  }

  Searched in_;
};

}  // namespace

void find_groups(const ir::Program& program, const ir::Kernel& kernel, ir::LoweredKernel& lowered) {
  const ir::Uses uses(program, kernel, lowered);
  Grouping({program, lowered, uses}).group(lowered.body);
}

}  // namespace tilewright::compile
