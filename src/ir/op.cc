#include "tilewright/ir/op.h"

#include <array>

namespace tilewright::ir {
namespace {

using enum OpFamily;

constexpr std::array<OpInfo, kOpCount> kOps{{
    {"create_tensor", Memory},
    {"full", Memory},
    {"slice", Memory},
    {"assemble", Memory},
    {"load", Memory},
    {"store", Memory},
    {"move", Memory},
    {"copy", Memory},
    {"reshape", Layout},
    {"concat", Layout},
    {"transpose", Layout},
    {"fillpad", Layout},
    {"set_validshape", Layout},
    {"cast", Layout},
    {"matmul", Matmul},
    {"matmul_acc", Matmul},
    {"matmul_bias", Matmul},
    {"gemv", Matmul},
    {"add", Elementwise},
    {"sub", Elementwise},
    {"mul", Elementwise},
    {"div", Elementwise},
    {"maximum", Elementwise},
    {"minimum", Elementwise},
    {"cmp", Elementwise},
    {"neg", Elementwise},
    {"exp", Elementwise},
    {"sqrt", Elementwise},
    {"recip", Elementwise},
    {"rsqrt", Elementwise},
    {"row_expand_add", Elementwise},
    {"row_expand_sub", Elementwise},
    {"row_expand_mul", Elementwise},
    {"row_expand_div", Elementwise},
    {"col_expand_add", Elementwise},
    {"col_expand_sub", Elementwise},
    {"col_expand_mul", Elementwise},
    {"col_expand_div", Elementwise},
    {"row_sum", Reduce},
    {"row_max", Reduce},
    {"row_min", Reduce},
    {"col_sum", Reduce},
    {"arange", Sort},
    {"sort32", Sort},
    {"mrgsort", Sort},
    {"gather_mask", Sort},
    {"gather", Sort},
}};

constexpr std::array<std::string_view, 5> kCastModes{"rint", "round", "floor", "ceil", "trunc"};
constexpr std::array<std::string_view, 4> kPads{"null", "zero", "max", "min"};

}  // namespace

const OpInfo& op_info(OpKind kind) { return kOps[static_cast<std::size_t>(kind)]; }

std::optional<OpKind> parse_op(std::string_view name) {
  for (std::size_t i = 0; i < kOps.size(); ++i)
    if (kOps[i].name == name) return static_cast<OpKind>(i);
  return std::nullopt;
}

std::string_view cast_mode_name(CastMode m) { return kCastModes[static_cast<std::size_t>(m)]; }

std::optional<CastMode> parse_cast_mode(std::string_view name) {
  for (std::size_t i = 0; i < kCastModes.size(); ++i)
    if (kCastModes[i] == name) return static_cast<CastMode>(i);
  return std::nullopt;
}

std::string_view pad_name(Pad p) { return kPads[static_cast<std::size_t>(p)]; }

std::optional<Pad> parse_pad(std::string_view name) {
  for (std::size_t i = 0; i < kPads.size(); ++i)
    if (kPads[i] == name) return static_cast<Pad>(i);
  return std::nullopt;
}

bool updates_in_place(OpKind kind) {
  return kind == OpKind::Assemble || kind == OpKind::Store || kind == OpKind::MatmulAcc;
}

bool reads_dst(const Op& op) { return op.kind == OpKind::MatmulAcc || op.atomic_add; }

bool allowed_in_orchestrator(OpKind kind) {
  return kind == OpKind::Create || kind == OpKind::Slice || kind == OpKind::Reshape ||
         kind == OpKind::Assemble;
}

}  // namespace tilewright::ir
