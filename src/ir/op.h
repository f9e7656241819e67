// The closed set of tile operations. Adding one makes every switch without a default branch list
// what is still to be written: type rule, printer, golden, lowering, cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tilewright/base/memory_space.h"
#include "tilewright/base/place.h"
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
  Add, Sub, Mul, Div, Maximum, Minimum, Cmp,
  Neg, Exp, Sqrt, Recip, Rsqrt,
  RowExpandAdd, RowExpandSub, RowExpandMul, RowExpandDiv,
  ColExpandAdd, ColExpandSub, ColExpandMul, ColExpandDiv,
  // reduce
  RowSum, RowMax, RowMin, ColSum,
  // sort
  Arange, Sort32, MergeSort, GatherMask, Gather,
};

inline constexpr int kOpCount = static_cast<int>(OpKind::Gather) + 1;

enum class OpFamily : uint8_t { Memory, Layout, Matmul, Elementwise, Reduce, Sort };

struct OpInfo {
  std::string_view name;  // spelled pl.<name>
  OpFamily family;
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
  std::optional<ScalarOperand> scalar; // tensor-scalar ops, full
  CastMode cast_mode = CastMode::Rint;
  Pad pad = Pad::Null;
  Compare compare = Compare::Eq;
  MaskPattern mask = MaskPattern::P0101;
  bool a_trans = false;
  bool b_trans = false;
  bool transpose = false;        // load: result dimensions swapped
  bool atomic_add = false;       // assemble, store: add to the window instead of replacing it
  bool high_precision = false;   // rsqrt
  // store: the whole tile leaves the kernel; elements never written stay undefined in GM, and only
  // reading them is a mistake.
  bool may_be_undefined = false;
  int64_t block_length = 0;      // merge sort
  std::optional<MemorySpace> space;  // create, load, move: asked for by the author or by a pass
  Place place;
};

// assemble, store, matmul_acc: the old contents of dst matter (or survive outside the window).
bool updates_in_place(OpKind kind);
// matmul_acc also reads dst.
bool reads_dst(const Op& op);
// Operations the orchestrator may perform outside any scope.
bool allowed_in_orchestrator(OpKind kind);

}  // namespace tilewright::ir
