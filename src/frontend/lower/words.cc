#include "tilewright/frontend/lower/words.h"

#include <algorithm>
#include <map>
#include <string>

#include "tilewright/base/check.h"

namespace tilewright::frontend {

using ir::OpKind;

Signature op_signature(OpKind kind, bool tile_load) {
  switch (kind) {
    case OpKind::Create:
      return {{"shape", "dtype", "target_memory"},
              {"layout", "manual_dep", "init_value", "valid_shape"}};
    case OpKind::Full: return {{"shape", "dtype", "value"}, {}};
    case OpKind::Slice: return {{"x", "shape", "offset", "valid_shape"}, {"pad_value"}};
    case OpKind::Load:
      if (tile_load)
        return {{"x", "offset", "shape", "valid_shape", "target_memory"},
                {"valid_shapes", "transpose"}};
      return {{"x", "offset", "shape", "target_memory"},
              {"valid_shapes", "valid_shape", "transpose"}};
    case OpKind::Assemble: return {{"dst", "src", "offset"}, {"atomic"}};
    case OpKind::Store: return {{"tile", "offset", "dst", "shapes"}, {"atomic"}};
    case OpKind::Move: return {{"x", "target_memory"}, {}};
    case OpKind::Reshape: return {{"x", "shape"}, {}};
    case OpKind::Transpose: return {{"x", "axis1", "axis2"}, {}};
    case OpKind::FillPad: return {{"x", "pad_value"}, {}};
    case OpKind::SetValid: return {{"x", "d0", "d1", "d2", "d3", "d4", "d5"}, {}};
    case OpKind::Matmul:
    case OpKind::Gemv: return {{"a", "b", "out_dtype"}, {"a_trans", "b_trans", "c_matrix_nz"}};
    case OpKind::MatmulBias: return {{"a", "b", "bias", "out_dtype"}, {"a_trans", "b_trans"}};
    case OpKind::MatmulAcc: return {{"acc", "a", "b"}, {"a_trans", "b_trans"}};
    case OpKind::Concat:
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Fmod:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::RowExpand:
    case OpKind::RowExpandAdd:
    case OpKind::RowExpandSub:
    case OpKind::RowExpandMul:
    case OpKind::RowExpandDiv:
    case OpKind::ColExpand:
    case OpKind::ColExpandAdd:
    case OpKind::ColExpandSub:
    case OpKind::ColExpandMul:
    case OpKind::ColExpandDiv: return {{"a", "b"}, {}};
    case OpKind::Cmp: return {{"a", "b", "cmp_type"}, {}};
    case OpKind::Neg:
    case OpKind::Abs:
    case OpKind::Exp:
    case OpKind::Sqrt:
    case OpKind::Recip: return {{"x"}, {}};
    case OpKind::Log:
    case OpKind::Rsqrt: return {{"x"}, {"high_precision"}};
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin:
    case OpKind::RowArgMax:
    case OpKind::RowArgMin:
    case OpKind::ColSum:
    case OpKind::ColMax:
    case OpKind::ColMin: return {{"x", "tmp"}, {}};
    case OpKind::Arange: return {{"start", "shape", "dtype"}, {}};
    case OpKind::Sort32: return {{"a", "b"}, {}};
    case OpKind::MergeSort: return {{"a", "b", "c", "d"}, {"block_len"}};
    case OpKind::Gather:
    case OpKind::GatherMask:
      return {{"x", "index", "tmp"}, {"dim", "mask_pattern", "output_dtype"}};
    case OpKind::ScatterMask: return {{"x"}, {"mask_pattern", "dst"}};
    case OpKind::Cast:  // of its own, since it may be a scalar cast
    case OpKind::Copy: break;
  }
  return {};
}

std::optional<ir::OpKind> op_spelled(std::string_view word) {
  static const std::map<std::string_view, OpKind> kOtherNames{
      {"adds", OpKind::Add},           {"subs", OpKind::Sub}, {"muls", OpKind::Mul},
      {"divs", OpKind::Div},           {"cmps", OpKind::Cmp}, {"fmods", OpKind::Fmod},
      {"scatter", OpKind::ScatterMask}};
  const auto it = kOtherNames.find(word);
  return it != kOtherNames.end() ? it->second : ir::parse_op(word);
}

std::string_view replacement_for(std::string_view word) {
  static const std::map<std::string_view, std::string_view> kReplacements{
      {"argmax", "pl.row_argmax"},
      {"astype", "pl.cast"},
      {"cat", "pl.concat"},
      {"divide", "pl.div"},
      {"dot", "pl.matmul"},
      {"layer_norm", "pl.row_sum, pl.row_expand_sub, pl.mul, pl.rsqrt and pl.row_expand_mul"},
      {"max", "pl.row_max along rows, or pl.maximum of two tiles"},
      {"mean", "pl.row_sum and pl.mul"},
      {"min", "pl.row_min along rows, or pl.minimum of two tiles"},
      {"multiply", "pl.mul"},
      {"negative", "pl.neg"},
      {"ones", "pl.full"},
      {"permute", "pl.transpose"},
      {"pow", "pl.mul"},
      {"reciprocal", "pl.recip"},
      {"rms_norm", "pl.mul, pl.row_sum, pl.rsqrt, pl.row_expand_mul and pl.col_expand_mul"},
      {"sigmoid", "pl.neg, pl.exp, pl.add and pl.recip"},
      {"silu", "pl.neg, pl.exp, pl.add, pl.recip and pl.mul"},
      {"softmax", "pl.row_max, pl.row_expand_sub, pl.exp, pl.row_sum and pl.row_expand_div"},
      {"square", "pl.mul"},
      {"subtract", "pl.sub"},
      {"sum", "pl.row_sum or pl.col_sum"},
      {"swish", "pl.neg, pl.exp, pl.add, pl.recip and pl.mul"},
      {"zeros", "pl.full"},
      {"zeros_like", "pl.full"}};
  const auto it = kReplacements.find(word);
  return it != kReplacements.end() ? it->second : std::string_view();
}

const std::vector<PlWord>& pl_words() {
  static const std::vector<PlWord> kWords{
      {"range",
       {{"start", "stop", "step"}, {"init_values", "attrs", "chunk", "chunk_policy"}},
       "a loop with ordered trips"},
      {"parallel",
       {{"start", "stop", "step"}, {"init_values", "attrs", "chunk", "chunk_policy"}},
       "a loop whose trips are independent: the runtime may execute their tasks in any order"},
      {"pipeline",
       {{"start", "stop", "step"}, {"init_values", "attrs", "stage"}},
       "an ordered loop in a scope; the loads of `stage` trips are in flight at a time"},
      {"unroll",
       {{"start", "stop", "step"}, {"init_values", "attrs"}},
       "a loop that the compiler replaces by copies of its body"},
      {"spmd",
       {{"start", "stop", "step"},
        {"core_num", "name_hint", "sync_start", "optimizations", "deps", "allow_early_resolve",
         "no_dep_args"}},
       "one submission of so many tasks; the body is a scope"},
      {"at",
       {{"level"},
        {"name_hint", "optimization", "optimizations", "deps", "allow_early_resolve",
         "no_dep_args"}},
       "a scope: its statements run on one core, as one task each time it is executed"},
      {"incore", {{}, {"split", "name_hint"}}, "a scope: one kernel, one task each time"},
      {"auto_incore",
       {{}, {"split", "name_hint"}},
       "a scope that the compiler cuts into tasks: one for each chunk of its chunked loops"},
      {"cluster",
       {{}, {"split", "name_hint"}},
       "a scope on the cube and vector cores of a cluster"},
      {"read", {{"x", "index"}, {}}, "one element of a tensor as a scalar"},
      {"write", {{"x", "index", "value"}, {}}, "one element of a tensor becomes a scalar"},
      {"min", {{"a", "b"}, {}}, "the smaller of two scalars"},
      {"max", {{"a", "b"}, {}}, "the larger of two scalars"},
      {"dim", {{"x", "axis"}, {}}, "the size of one dimension of a tensor"},
      {"const", {{"value", "dtype"}, {}}, "a number with an element type"},
      {"get_block_idx", {{}, {}}, "the number of this block of a pl.spmd launch"},
      {"get_block_num", {{}, {}}, "the number of blocks of a pl.spmd launch"},
      {"cast", {{"x", "target_type", "mode"}, {}}, "a tile or a scalar in another element type"},
      {"array.create", {{"extent", "dtype"}, {}}, "a few numbers, or task ids, of one kernel"},
      {"no_dep", {{"tensor"}, {}}, "an argument by which the runtime does not order the task"},
  };
  return kWords;
}

const Signature& word_signature(std::string_view word) {
  const auto it = std::ranges::find(pl_words(), word, &PlWord::name);
  check(it != pl_words().end(), "a word of the table");
  return it->signature;
}

}  // namespace tilewright::frontend
