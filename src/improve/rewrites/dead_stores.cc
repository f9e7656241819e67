// Ops whose result nobody reads: it is overwritten first, or it is never used.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

bool touches_array(const Stmt& s, VarId v) {
  bool found = false;
  const auto look = [&](const Stmt& stmt) {
    for_each_array_use(stmt, [&](VarId used, bool) { found = found || used == v; });
  };
  look(s);
  for_each_body(s, [&](const Block& body) { for_each_stmt(body, look); });
  return found;
}

// Whether the op overwrites all of `v` without reading it.
bool replaces(const Op& op, VarId v) {
  return op.dst == v && !updates_in_place(op.kind) && !reads_dst(op) && op.kind != OpKind::Create &&
         std::ranges::find(op.args, v) == op.args.end();
}

class DeadStores {
 public:
  explicit DeadStores(Program& p) : program_(p) {}

  struct Removed {
    int64_t ops = 0;
    Place first;
    std::string scope;
  };

  Removed remove_all() {
    do {
      changed_ = false;
      count_reads();
      in_block(program_.body, "", false);
    } while (changed_);
    return removed_;
  }

 private:
  void count_reads() {
    reads_.clear();
    uses_.clear();
    for_each_stmt(program_.body, [&](const Stmt& s) {
      const Op* op = s.as<Op>();
      for_each_array_use(s, [&](VarId v, bool write) {
        ++uses_[v];
        if (!write && !(op && op->dst == v)) ++reads_[v];
      });
    });
  }

  bool is_dead(const Block& block, std::size_t i) const {
    const Op& op = *block[i].as<Op>();
    const Var& v = program_[op.dst];
    if (op.kind == OpKind::Create || v.window || program_.param_of(op.dst)) return false;
    if (!reads_.contains(op.dst)) return true;
    if (!replaces(op, op.dst)) return false;
    for (std::size_t j = i + 1; j < block.size(); ++j)
      if (touches_array(block[j], op.dst)) {
        const Op* next = block[j].as<Op>();
        return next && replaces(*next, op.dst);
      }
    return false;
  }

  void in_block(Block& block, const std::string& scope, bool in_scope) {
    for (std::size_t i = 0; i < block.size();) {
      Scope* inner = block[i].as<Scope>();
      const For* launch = block[i].as<For>();
      const bool inside = in_scope || inner || (launch && launch->kind == LoopKind::Spmd);
      for_each_body(block[i],
                    [&](Block& body) { in_block(body, inner ? inner->name : scope, inside); });
      const bool empty = (inner && inner->body.empty() && !inner->order.says_something()) ||
                         (launch && launch->body.empty() && !launch->order.says_something());
      const Op* op = block[i].as<Op>();
      const bool dead = in_scope && op && is_dead(block, i);
      const bool unused = op && op->kind == OpKind::Create && uses_.at(op->dst) == 1;
      if (dead && removed_.ops++ == 0) {
        removed_.first = op->place;
        removed_.scope = scope;
      }
      if (dead || empty || (unused && removed_.ops > 0)) {
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
        changed_ = true;
      } else {
        ++i;
      }
    }
  }

  Program& program_;
  std::map<VarId, int> reads_;  // by others than the op that writes it
  std::map<VarId, int> uses_;
  Removed removed_;
  bool changed_ = false;
};

}  // namespace

void drop_dead_stores(const Subject& s, Rewrites& out) {
  Program changed = s.program;
  const DeadStores::Removed removed = DeadStores(changed).remove_all();
  if (removed.ops == 0) return;
  out.push_back({"dead-store",
                 fmt::format("{} computed but never read", counted(removed.ops, "result")),
                 Where{removed.first, removed.scope}, "remove them", std::move(changed)});
}

}  // namespace tilewright::improve
