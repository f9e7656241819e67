// Builder: parameters, loops, scopes and branches of a tile program. Mistakes are collected in the
// finished Program, each with the caller's file and line.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tilewright/dsl/tensor.h"
#include "tilewright/ir/names.h"

namespace tilewright::dsl {

using ir::ChunkPolicy;
using ir::Direction;
using ir::Layout;
using ir::Level;
using ir::Role;
using ir::Split;

struct ParallelOptions {
  int64_t chunk = 0;  // iterations per task; only inside an auto scope
  ChunkPolicy policy = ChunkPolicy::Guarded;
};
struct RangeOptions {
  int64_t chunk = 0;
  ChunkPolicy policy = ChunkPolicy::Guarded;
};
struct PipelineOptions { int stages = 2; };
struct SpmdOptions {
  std::string name;
  bool sync_start = false;
};
struct AutoOptions { Split split = Split::None; };
struct AtOptions { Split split = Split::None; };

// Opened when the range-for starts, closed when its single pass ends.
class [[nodiscard("write for (Index i : p.range(n)): the loop has a body")]] LoopRange {
 public:
  LoopRange(Builder* builder, ir::For loop) : builder_(builder), loop_(std::move(loop)) {}
  LoopRange(LoopRange&& other) noexcept
      : builder_(other.builder_), loop_(std::move(other.loop_)), name_(std::move(other.name_)) {}
  ~LoopRange();

  // `for (Index kb : p.range(n).named("kb"))`: the name in listings, messages and task names.
  LoopRange named(std::string_view name) && {
    name_ = name;
    return std::move(*this);
  }

  struct Sentinel {};
  class Iterator {
   public:
    Iterator(LoopRange* range, Index index) : range_(range), index_(std::move(index)) {}
    Index operator*() const { return index_; }
    Iterator& operator++();
    bool operator!=(Sentinel) const { return !done_; }

   private:
    LoopRange* range_;
    Index index_;
    bool done_ = false;
  };
  Iterator begin();
  Sentinel end() const { return {}; }

 private:
  Builder* builder_;
  ir::For loop_;
  std::string name_ = "i";
  bool open_ = false;
};

// Closes a scope, branch or while body at the end of its C++ block. Without a name it would end at
// once, and the statements after it would stand outside.
class [[nodiscard("write auto core = p.incore(...): the block ends with this object")]] BlockGuard {
 public:
  explicit BlockGuard(Builder* builder) : builder_(builder) {}
  BlockGuard(const BlockGuard&) = delete;
  ~BlockGuard();

 private:
  Builder* builder_;
};

class Builder {
 public:
  explicit Builder(std::string name);
  ~Builder();
  Builder(const Builder&) = delete;

  // ---- parameters ----
  Tensor param(std::string_view name, Shape shape, DType dtype, Direction direction, Role role,
               Here here = {});
  Tensor input(std::string_view name, Shape shape, DType dtype, Here here = {}) {
    return param(name, std::move(shape), dtype, Direction::In, Role::Activation, here);
  }
  Tensor weight(std::string_view name, Shape shape, DType dtype, Here here = {}) {
    return param(name, std::move(shape), dtype, Direction::In, Role::Weight, here);
  }
  Tensor state(std::string_view name, Shape shape, DType dtype, Here here = {}) {
    return param(name, std::move(shape), dtype, Direction::InOut, Role::State, here);
  }
  Tensor output(std::string_view name, Shape shape, DType dtype, Here here = {}) {
    return param(name, std::move(shape), dtype, Direction::Out, Role::Activation, here);
  }
  Index scalar(std::string_view name, Here here = {});         // an INDEX parameter
  Scalar float_scalar(std::string_view name, Here here = {});  // an FP32 parameter

  // ---- arrays ----
  // Outside a scope: a GM tensor. Inside: an on-chip tile. Contents are undefined either way.
  Tensor tensor(std::string_view name, Shape shape, DType dtype, Here here = {});
  Tile tile(Shape shape, DType dtype, MemorySpace space, Here here = {});
  Tile accumulator(Shape shape, DType dtype = DType::F32, Here here = {}) {
    return tile(std::move(shape), dtype, MemorySpace::Acc, here);
  }
  Tile full(Shape shape, DType dtype, Scalar value, Here here = {});
  Tile arange(Index start, Shape shape, DType dtype, Here here = {});

  // ---- loops: `for (Index i : p.range(n))` ----
  LoopRange range(Index stop, RangeOptions o = {}, Here here = {}) {
    return range(0, std::move(stop), 1, o, here);
  }
  LoopRange range(Index start, Index stop, int64_t step = 1, RangeOptions o = {}, Here here = {});
  LoopRange parallel(Index stop, ParallelOptions o = {}, Here here = {}) {
    return parallel(0, std::move(stop), 1, o, here);
  }
  LoopRange parallel(Index start, Index stop, int64_t step = 1, ParallelOptions o = {},
                     Here here = {});
  LoopRange unroll(int64_t stop, Here here = {}) { return unroll(0, stop, 1, here); }
  LoopRange unroll(int64_t start, int64_t stop, int64_t step, Here here = {});
  LoopRange pipeline(Index stop, PipelineOptions o = {}, Here here = {}) {
    return pipeline(0, std::move(stop), 1, o, here);
  }
  LoopRange pipeline(Index start, Index stop, int64_t step = 1, PipelineOptions o = {},
                     Here here = {});
  LoopRange spmd(Index blocks, SpmdOptions o = {}, Here here = {});
  BlockGuard loop_while(const Condition& condition, Here here = {});
  void break_loop(Here here = {});
  void continue_loop(Here here = {});

  // ---- branches: { auto then = p.when(c); ... } { auto other = p.otherwise(); ... } ----
  BlockGuard when(const Condition& condition, Here here = {});
  BlockGuard otherwise(Here here = {});

  // ---- scopes: auto core = p.incore("name"); ----
  BlockGuard incore(std::string_view name = "", Here here = {});
  BlockGuard at(Level level, std::string_view name = "", AtOptions o = {}, Here here = {});
  BlockGuard auto_incore(std::string_view name = "", AutoOptions o = {}, Here here = {});
  BlockGuard cluster(std::string_view name = "", Here here = {});

  // ---- scalars ----
  Index read(const Tensor& t, const Indices& index, Here here = {});
  Scalar read_float(const Tensor& t, const Indices& index, Here here = {});
  // Names a scalar; `set` changes it later (a loop-carried scalar).
  Index let(std::string_view name, const Index& value, Here here = {});
  void set(const Index& variable, const Index& value, Here here = {});
  // The quotient; a remainder is recorded as an error with the numbers in it.
  int64_t exact_div(int64_t total, int64_t part, Here here = {});

  ir::Program finish(Here here = {});

  // ---- for the op functions ----
  Tensor emit(ir::Op op, const ir::ArrayType& declared, std::string_view name_hint, Here here);
  void emit_in_place(ir::Op op, Here here);
  // `temporary`: the author holds no handle to the value, so it need not exist beside dst.
  void assign(const Tensor& dst, const Tensor& value, bool temporary, Here here);
  void rename(ir::VarId var, std::string_view name);
  const ir::Program& program() const { return program_; }
  // The caller's mistake, recorded with the enclosing scope's name.
  void report(std::string code, std::string what, std::string law, std::string help, Here here);

 private:
  friend class LoopRange;
  friend class BlockGuard;
  struct Frame;

  ir::VarId new_var(ir::Var v);
  ir::VarId new_param(std::string_view name, ir::Var v, Direction direction, Role role, Here here);
  void append(ir::Stmt s);
  void open(ir::Stmt s);
  void close();
  bool in_scope() const;
  void require_usable(const ir::Stmt& s) const;
  LoopRange loop(ir::For f, Here here);
  BlockGuard open_scope(ir::Scope s, Here here);
  ir::VarId read_var(const Tensor& t, const Indices& index, bool want_float, Here here);

  ir::Program program_;
  std::vector<Frame> frames_;
  bool finished_ = false;
  ir::NameTable names_;
  std::vector<bool> auto_named_;  // per variable: the name came from the op, not from the author
};

}  // namespace tilewright::dsl
