// A Program: named parameters, an orchestration (loops, ifs, scalar reads, GM tensors, views) and
// device scopes (tile ops). Variables are buffers: each has one type for life, and statements write
// them. Built by `dsl` or a front end, transformed by `compile`, executed by `golden`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/dtype.h"
#include "tilewright/ir/op.h"

namespace tilewright::ir {

enum class Layout : uint8_t { ND, DN, NZ };
enum class Direction : uint8_t { In, Out, InOut };
// What a parameter is to a model: bound once, kept between steps, or new every step.
enum class Role : uint8_t { Activation, Weight, State };

std::string_view direction_name(Direction d);
std::string_view role_name(Role r);
std::string_view layout_name(Layout l);

struct ArrayType {
  DType dtype = DType::F32;
  Shape shape;
  friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

struct Var {
  std::string name;
  bool scalar = false;  // scalars hold INDEX, INT or FLOAT values; the rest are arrays
  DType dtype = DType::F32;
  Shape shape;
  Layout layout = Layout::ND;
  std::optional<MemorySpace> space;  // arrays: where it lives, once placed
  Place place;

  int64_t bytes() const { return bytes_of(dtype, element_count(shape)); }
};

struct Param {
  VarId var;
  Direction direction = Direction::In;
  Role role = Role::Activation;
};

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

struct Break { Place place; };
struct Continue { Place place; };

struct Stmt {
  std::variant<Op, For, While, If, Scope, Let, Read, Break, Continue> node;

  template <class T>
  T* as() { return std::get_if<T>(&node); }
  template <class T>
  const T* as() const { return std::get_if<T>(&node); }
};

struct Program {
  std::string name;
  std::vector<Var> vars;
  std::vector<Param> params;
  Block body;
  Diagnostics diagnostics;  // mistakes found while the program was being written

  Var& operator[](VarId v) { return vars[v.index()]; }
  const Var& operator[](VarId v) const { return vars[v.index()]; }
  VarId add_var(Var v);
  // A name not used by any other variable, derived from `base`.
  std::string unique_name(const std::string& base) const;
  const Param* param_of(VarId v) const;
  std::optional<VarId> find(std::string_view name) const;
};

const Place& place_of(const Stmt& s);

}  // namespace tilewright::ir
