// Replaces loads of data that the same scope stored before: the stored tile is used instead.
#include <algorithm>

#include "tilewright/improve/rewrites/array_uses.h"
#include "tilewright/improve/rewrites/on_chip.h"
#include "tilewright/improve/rewrites/windows.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

// Where the inner window begins in the outer one; nothing when it is not inside.
std::optional<std::vector<int64_t>> place_inside(const Window& inner, const Window& outer) {
  std::vector<int64_t> out;
  if (inner.offset.size() != outer.offset.size() || inner.extent.size() != outer.extent.size())
    return std::nullopt;
  for (std::size_t d = 0; d < inner.offset.size(); ++d) {
    const Expr distance = inner.offset[d] - outer.offset[d];
    if (!distance.is_constant() || distance.constant() < 0 ||
        distance.constant() + inner.extent[d] > outer.extent[d])
      return std::nullopt;
    out.push_back(distance.constant());
  }
  return out;
}

bool is_whole(const Op& read, const Window& w, const Window& stored) {
  return w.extent == stored.extent && read.valid.empty() && read.pad == Pad::Null;
}

class Forwarder {
 public:
  Forwarder(Program& p, Block& block, std::size_t store)
      : p_(p),
        block_(block),
        store_(store),
        op_(*block[store].as<Op>()),
        stored_(window_of(op_, p)) {}

  int run() {
    const VarId tile = op_.args[0];
    for (std::size_t i = store_ + 1; i < block_.size(); ++i) {
      const bool changes = count_uses(block_[i], tile).writes > 0 ||
                           count_uses(block_[i], stored_.tensor).writes > 0;
      const Op* op = block_[i].as<Op>();
      if (op && can_take(*op)) {
        if (take(i)) --i;
      } else if (!op && !changes) {
        for_each_body(block_[i], [&](Block& body) {
          for_each_op(body, [&](Op& inner) {
            if (can_take(inner)) take_part(inner);
          });
        });
      }
      if (changes) break;
    }
    return taken_;
  }

 private:
  bool can_take(const Op& op) const {
    return reads_window(op) && op.args[0] == stored_.tensor && !op.space &&
           p_[op.dst].dtype == p_[op_.args[0]].dtype && place_inside(window_of(op, p_), stored_);
  }

  // Replaces a load. True if the statement was removed; otherwise it became a copy from the tile.
  bool take(std::size_t i) {
    Op& read = *block_[i].as<Op>();
    const VarId tile = op_.args[0], to = read.dst;
    if (!is_whole(read, window_of(read, p_), stored_) || !may_rename(p_, block_, i, to, tile)) {
      take_part(read);
      return false;
    }
    block_.erase(block_.begin() + static_cast<std::ptrdiff_t>(i));
    rename_array(block_, to, tile);
    ++taken_;
    return true;
  }

  void take_part(Op& read) {
    const Window w = window_of(read, p_);
    const auto at = *place_inside(w, stored_);
    const bool whole = is_whole(read, w, stored_);
    read.args[0] = op_.args[0];
    read.kind = whole ? OpKind::Copy : OpKind::Slice;
    read.offset.clear();
    if (!whole)
      for (int64_t x : at) read.offset.emplace_back(x);
    ++taken_;
  }

  Program& p_;
  Block& block_;
  std::size_t store_;
  const Op op_;
  const Window stored_;
  int taken_ = 0;
};

}  // namespace

int forward_tiles(Program& p, Scope& scope) {
  int taken = 0;
  const auto in_block = [&](auto&& self, Block& block) -> void {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Op* op = block[i].as<Op>();
      if (op && writes_window(*op)) taken += Forwarder(p, block, i).run();
      for_each_body(block[i], [&](Block& body) { self(self, body); });
    }
  };
  in_block(in_block, scope.body);
  return taken;
}

}  // namespace tilewright::improve
