// The closed set of tile operations, and the table of what each of them is. Code that needs to know
// more of an op than the table says switches over OpKind without a default branch, so that the
// compiler lists what a new op still needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tilewright/base/memory_space.h"
#include "tilewright/base/place.h"
#include "tilewright/base/vector_class.h"
#include "tilewright/ir/expr.h"

namespace tilewright::ir {

enum class OpKind : uint8_t {
  // memory
  Create, Full, Slice, Assemble, Load, Store, Move, Copy,
  // layout
  Reshape, Concat, Transpose, FillPad, SetValid, Cast,
  // matmul
  Matmul, MatmulAcc, MatmulBias, Gemv,
  // elementwise
  Add, Sub, Mul, Div, Fmod, Maximum, Minimum, Cmp,
  Neg, Abs, Exp, Log, Sqrt, Recip, Rsqrt,
  RowExpand, RowExpandAdd, RowExpandSub, RowExpandMul, RowExpandDiv,
  ColExpand, ColExpandAdd, ColExpandSub, ColExpandMul, ColExpandDiv,
  // reduce
  RowSum, RowMax, RowMin, RowArgMax, RowArgMin, ColSum, ColMax, ColMin,
  // sort
  Arange, Sort32, MergeSort, GatherMask, Gather, ScatterMask,
};

inline constexpr int kOpCount = static_cast<int>(OpKind::ScatterMask) + 1;

enum class OpFamily : uint8_t { Memory, Layout, Matmul, Elementwise, Reduce, Sort };

// Which operands an op takes and what type it yields; ir/infer.cc has one function for each.
enum class TypeRule : uint8_t {
  Declared, Filled, Window, Insert, AsOperand, Reshape, Concat, Transpose, FillPad, SetValid, Cast,
  Matmul, MatmulAcc, MatmulBias, Gemv, Binary, Unary, RowExpand, ColExpand, Reduce, Arange, Sort32,
  MergeSort, GatherMask, Gather, ScatterMask,
};

// How much of the result is valid; ir/valid_extent.cc has one formula for each.
enum class ValidRule : uint8_t {
  Whole,      // all of it, whatever the operands are
  Reshaped,   // as the operand, if only dimensions of 1 come and go; else all of it
  Window,     // what the op asks for, else as much as its source has there
  Unchanged,  // as before: a window of the destination is written
  AsFirst,    // as the first operand
  AsSecond,   // as the second operand: the index of a gather, what a scatter writes into
  Broadcast,  // as the operands that are not broadcast from one element
  Product,    // rows of the left, columns of the right operand
  OneColumn, OneRow,  // as the operand, reduced along its rows or columns
  Swapped,    // rows and columns exchanged
  Joined,     // columns of both
  Halved,     // every second column
};

// Whether a result can share the storage of its source instead of being made anew.
enum class ViewKind : uint8_t {
  Never,
  Window,    // part of the source: slice, and load where GM is addressed like any memory
  Relabel,   // the same elements in another shape, if they lie without gaps
  Same,      // the same elements: copy, move between memories that are one, another valid shape
};

// What an op is, for everyone who asks. One row per op in op.cc.
struct OpInfo {
  std::string_view name;  // spelled pl.<name>
  OpFamily family;
  TypeRule type;
  ValidRule valid;
  ViewKind view = ViewKind::Never;
  VectorClass cost = VectorClass::Copy;         // on a vector core
  VectorClass scalar_cost = VectorClass::Copy;  // the same with a scalar as second operand
  bool row_local = false;  // row i of the result needs only row i of the operands
  bool in_place = false;   // element i of the result may overwrite element i of an operand
  bool on_cube = false;    // the cube core computes it; the rest is done where the operands are
};
const OpInfo& op_info(OpKind kind);
inline std::string_view op_name(OpKind kind) { return op_info(kind).name; }
inline OpFamily op_family(OpKind kind) { return op_info(kind).family; }
std::optional<OpKind> parse_op(std::string_view name);

enum class CastMode : uint8_t { Rint, Round, Floor, Ceil, Trunc };
std::string_view cast_mode_name(CastMode m);
std::optional<CastMode> parse_cast_mode(std::string_view name);

enum class Pad : uint8_t { Null, Zero, Max, Min };
std::string_view pad_name(Pad p);
std::optional<Pad> parse_pad(std::string_view name);

// Even lanes (values) or odd lanes (indices) of sort32's interleaved pairs.
enum class MaskPattern : uint8_t { P0101, P1010 };

// The second operand of a tensor-scalar op, or the value of a fill.
struct ScalarOperand {
  enum class Kind : uint8_t { Literal, Variable, Index };
  Kind kind = Kind::Literal;
  double literal = 0;
  bool integral = false;  // how the literal was written; matters for printing
  VarId variable;         // a scalar parameter or a scalar read
  Expr index;             // an integer expression

  friend bool operator==(const ScalarOperand&, const ScalarOperand&) = default;
};

struct Op {
  OpKind kind = OpKind::Create;
  VarId dst;                // the variable written; assemble, store, matmul_acc update it in place
  std::vector<VarId> args;  // variables read, in the order the language writes them, dst excluded
  std::vector<Expr> offset;            // slice, load, assemble, store: one per dimension of GM side
  std::vector<Expr> valid;             // slice, load, set_validshape: the real part, empty = all
  std::optional<ScalarOperand> scalar; // tensor-scalar ops, full; create: what the tensor is filled with
  CastMode cast_mode = CastMode::Rint;
  Pad pad = Pad::Null;
  Compare compare = Compare::Eq;
  MaskPattern mask = MaskPattern::P0101;
  bool a_trans = false;
  bool b_trans = false;
  bool transpose = false;        // load: result dimensions swapped
  bool atomic_add = false;       // assemble, store: add to the window instead of replacing it
  bool shared = false;           // assemble, store: x[a:b] = v, which every view of x sees
  bool high_precision = false;   // rsqrt
  // store: the whole tile leaves the kernel; elements never written stay undefined in GM, and only
  // reading them is a mistake.
  bool may_be_undefined = false;
  int64_t block_length = 0;      // merge sort
  std::optional<MemorySpace> space;  // create, load, move: asked for by the author or by a pass
  bool inserted = false;             // move: by a pass, which another pass may change
  Place place;
};

// assemble, store, matmul_acc: the old contents of dst matter (or survive outside the window).
bool updates_in_place(OpKind kind);
// matmul_acc also reads dst.
bool reads_dst(const Op& op);
// Operations the orchestrator may perform outside any scope.
bool allowed_in_orchestrator(OpKind kind);

}  // namespace tilewright::ir
