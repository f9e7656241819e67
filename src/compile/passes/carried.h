// Values that one trip of a loop leaves for a later one: read in a trip that has not certainly
// written them before. Such a value lives through the whole loop.
#pragma once

#include <map>
#include <set>

#include "tilewright/ir/program.h"

namespace tilewright::compile {

class Carried {
 public:
  explicit Carried(const ir::Block& body);

  // Of a for or while loop of the body.
  const std::set<ir::VarId>& around(const ir::Stmt& loop) const { return by_loop_.at(&loop); }
  // What the body reads and has not certainly written before.
  const std::set<ir::VarId>& needs() const { return needs_; }
  bool around_any(ir::VarId v) const { return all_.contains(v); }

 private:
  // What a block needs from before it, and what it has certainly written when it ends.
  struct Effect {
    std::set<ir::VarId> needs, writes;
  };
  void run(const ir::Block& block, Effect& effect);
  void loop(const ir::Stmt& s, const ir::Block& body, bool at_least_once, Effect& effect);
  void branch(const ir::If& c, Effect& effect);

  std::map<const ir::Stmt*, std::set<ir::VarId>> by_loop_;
  std::set<ir::VarId> all_, needs_;
};

}  // namespace tilewright::compile
