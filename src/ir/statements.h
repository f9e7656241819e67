// The statements of a program: ops, loops, branches, scopes, scalars and names of tasks.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tilewright/ir/external.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/scalar_math.h"
#include "tilewright/ir/task_order.h"

namespace tilewright::ir {

struct Stmt;
using Block = std::vector<Stmt>;

enum class LoopKind : uint8_t { Range, Parallel, Unroll, Pipeline, Spmd };
std::string_view loop_kind_name(LoopKind k);
enum class ChunkPolicy : uint8_t { Guarded, LeadingFull };
std::string_view chunk_policy_name(ChunkPolicy p);

struct For {
  LoopKind kind = LoopKind::Range;
  VarId var;
  Expr start, stop;
  int64_t step = 1;
  int64_t chunk = 0;  // 0 = not chunked
  ChunkPolicy policy = ChunkPolicy::Guarded;
  int stages = 1;           // pipeline depth
  bool sync_start = false;  // spmd: all blocks start together
  std::string name;         // spmd: the name of its implicit scope
  TaskOrder order;          // spmd: of the launch
  Block body;
  Place place;
};

struct While {
  Cond condition;
  Block body;
  Place place;
};

struct If {
  Cond condition;
  Block then_body, else_body;
  Place place;
};

enum class ScopeKind : uint8_t { InCore, Auto, Cluster };
enum class Split : uint8_t { None, UpDown, LeftRight };
std::string_view split_name(Split s);
enum class Level : uint8_t {
  AIV, AIC, CoreGroup, ChipDie, Chip, Host, Cluster0, Cluster1, Cluster2, Global
};
std::string_view level_name(Level l);

struct Scope {
  ScopeKind kind = ScopeKind::InCore;
  std::string name;
  Level level = Level::CoreGroup;
  Split split = Split::None;
  Block body;
  TaskOrder order;
  KernelId kernel;  // set when the body has been outlined: this scope is then a call
  Place place;
};

struct Let {  // names or updates a scalar
  VarId var;
  Expr value;
  Place place;
};

struct Read {  // one element of an array becomes a scalar
  VarId var;
  VarId array;
  std::vector<Expr> index;
  Place place;
};

// A scalar computed from others where floats take part; integers alone are the expression of a Let.
struct Compute {
  VarId var;  // a float, or an integer when `math` compares or converts to one
  ScalarMath math = ScalarMath::Add;
  ScalarOperand a, b;  // b only where `math` takes two
  Place place;
};

// Ranks tell each other how far they are through signals: elements of a window (types.h). A notify
// changes one on any rank, a wait holds its task until one on its own rank is what it expects.
struct Signal {
  enum class Kind : uint8_t { Notify, Wait };
  Kind kind = Kind::Notify;
  VarId window;
  std::vector<Expr> cell;  // the rank it lies on, then one index per dimension
  Expr value;              // notify: what is added or set; wait: what is expected
  bool replaces = false;   // notify: sets the element instead of adding to it
  Compare compare = Compare::Ge;  // wait: of the element with `value`
  Place place;
};

struct Break { Place place; };
struct Continue { Place place; };

struct Stmt {
  std::variant<Op, For, While, If, Scope, Let, Read, Compute, TaskSet, Signal, ExternalCall, Break,
               Continue>
      node;

  template <class T>
  T* as() { return std::get_if<T>(&node); }
  template <class T>
  const T* as() const { return std::get_if<T>(&node); }
};

const Place& place_of(const Stmt& s);

}  // namespace tilewright::ir
