// Which names of a function a loop carries and a branch merges. In Python a name is only a name; in
// the program it is a buffer. A name needs one buffer across a loop or branch only if somebody
// reads it on the other side; everywhere else each assignment makes a buffer of its own.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilewright/frontend/parse/ast.h"

namespace tilewright::frontend {

using Names = std::vector<std::string_view>;  // sorted, unique

class Liveness {
 public:
  explicit Liveness(const Body& body);

  struct Block {
    Names assigned;  // anywhere inside
    Names merged;    // assigned inside, and read by a later trip or after the statement
    Names exposed;   // read inside before the statement has assigned them: the old value matters
    Names on_all_paths;  // assigned whichever way a branch goes
    Names read_later;  // of the names in a loop's head or on the right side: those read afterwards
  };
  // Of a For, While, If or With, and of an assignment that hands a value on (x = y, yield_).
  const Block& of(const Stmt& s) const { return blocks_.at(&s); }

 private:
  struct Flow {
    Names gen;   // read before assigned
    Names kill;  // assigned on every path
    Names assigned;
    bool jumps = false;  // break or continue inside
  };

  Flow flow(const Body& body);
  Flow flow(const Stmt& s);
  void live(const Body& body);
  void live(const Stmt& s);
  void add_live(const Names& names);
  void remove_live(const Names& names);
  std::size_t mark() const { return undo_.size(); }
  void roll_back(std::size_t mark);

  std::unordered_map<const Stmt*, Block> blocks_;
  std::unordered_map<const Stmt*, Flow> flows_;       // of block statements
  std::unordered_map<const Stmt*, Flow> body_flows_;  // of the body of a loop
  std::unordered_map<const Stmt*, Flow> other_flows_;
  std::unordered_set<std::string_view> live_;  // while walking backwards
  struct Change {
    std::string_view name;
    bool added;
  };
  std::vector<Change> undo_;
};

// Every name an expression reads.
void collect_names(const Expr& e, std::vector<std::string_view>& out);

}  // namespace tilewright::frontend
