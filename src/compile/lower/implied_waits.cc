// A unit executes its instructions in program order, so who waits for one of them has waited for
// those before it. Every wait that is left costs a flag.
#include <algorithm>
#include <tuple>

#include "tilewright/compile/lower/lower.h"

namespace tilewright::compile {
namespace {

using namespace ir;

class Implied {
 public:
  explicit Implied(LoweredKernel& code) : code_(code), blocks_(code.instructions.size()) {
    number(code.body, {});
  }

  void run() {
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      std::vector<Wait>& waits = code_.instructions[i].waits;
      keep_strongest(waits);
      if (!leaves_loops_)
        std::erase_if(waits, [&, all = waits](const Wait& w) {
          return implied(w, static_cast<int>(i), all);
        });
    }
  }

 private:
  // The blocks an instruction stands in, outermost first.
  using Path = std::vector<int>;

  void number(const LoweredBlock& block, Path path) {
    path.push_back(next_block_++);
    for (const LoweredNode& n : block) {
      if (const auto* issue = n.as<LoweredNode::Issue>())
        blocks_[static_cast<std::size_t>(issue->instruction)] = path;
      if (const auto* f = n.as<LoweredFor>()) number(f->body, path);
      if (const auto* w = n.as<LoweredWhile>()) number(w->body, path);
      if (const auto* c = n.as<LoweredIf>()) {
        number(c->then_body, path);
        number(c->else_body, path);
      }
      leaves_loops_ = leaves_loops_ || n.as<Break>() || n.as<Continue>();
    }
  }

  // For one instruction: for its last execution rather than an older one, and for its result.
  static void keep_strongest(std::vector<Wait>& waits) {
    std::ranges::sort(waits, {},
                      [](const Wait& w) { return std::tuple(w.on, w.copies, w.why, w.storage); });
    const auto again = std::unique(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
      return a.on == b.on && (a.copies == 1 || a.copies == b.copies);
    });
    waits.erase(again, waits.end());
  }

  bool implied(const Wait& w, int waiter, const std::vector<Wait>& all) const {
    return std::ranges::any_of(all, [&](const Wait& other) {
      return w.copies == 1 && other.copies == 1 && comes_later(w.on, other.on, waiter) &&
             waits_for_as_much(other, w);
    });
  }

  // Whether `later` is always executed between `earlier` and the waiter, by the same unit: both
  // stand in one block around the waiter, and both before or both after it.
  bool comes_later(int earlier, int later, int waiter) const {
    if (earlier >= later || (earlier < waiter) != (later < waiter)) return false;
    const Instruction& a = code_.instructions[static_cast<std::size_t>(earlier)];
    const Instruction& b = code_.instructions[static_cast<std::size_t>(later)];
    const Path& block = blocks_[static_cast<std::size_t>(later)];
    const Path& around = blocks_[static_cast<std::size_t>(waiter)];
    return a.unit() == b.unit() && a.action == b.action &&
           blocks_[static_cast<std::size_t>(earlier)] == block && block.size() <= around.size() &&
           std::equal(block.begin(), block.end(), around.begin());
  }

  static bool waits_for_as_much(const Wait& a, const Wait& b) {
    return a.why != Wait::For::Room || b.why == Wait::For::Room;
  }

  LoweredKernel& code_;
  std::vector<Path> blocks_;  // by instruction
  int next_block_ = 0;
  bool leaves_loops_ = false;  // break or continue: what stands before need not be executed
};

}  // namespace

void drop_implied_waits(LoweredKernel& code) { Implied(code).run(); }

}  // namespace tilewright::compile
