// A8W8 projections: the stages that quantise and multiply against the formula of the quantised
// layer, rows of zeros and of tiny numbers, mutants that the tolerance of a layer would hide, and
// the distance to the layer with BF16 weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"
#include "tilewright/models/qwen3/define.h"

namespace qwen3_test {
namespace {

using namespace models::qwen3;

// Codes are integers and sums are exact: FP32 outputs differ from the formula by a few roundings,
// unless a code lies on the edge between two integers. None of these inputs has such a code.
constexpr catalog::Tolerance kExact{2e-6, 2e-6};

catalog::ProgramDef scope1_of_codes() {
  return define({.name = "scope1-a8w8",
                 .summary = "",
                 .default_shape = "tiny",
                 .tiling = {.groups = kRun | kNormKeys | kProjectionKeys, .a8w8 = true},
                 .build =
                     [](const Choice& c) {
                       dsl::Builder p("scope1-a8w8");
                       const ProjectionParams in = projection_params(p, c);
                       scope1(p, c, in, qkv_outputs(p, c));
                       return p.finish();
                     },
                 .inputs = scope1_inputs,
                 .reference = reference::scope1,
                 .tolerance = kExact});
}

// The tolerance of the BF16 scope: attention is an input, so nothing comes before its codes.
catalog::ProgramDef scope3_of_codes() {
  return define({.name = "scope3-a8w8",
                 .summary = "",
                 .default_shape = "tiny",
                 .tiling = {.groups = kRun | kScope3Keys | kQuantKeys, .a8w8 = true},
                 .build = [](const Choice& c) { return scope3_alone("scope3-a8w8", c); },
                 .inputs = scope3_inputs,
                 .reference = reference::scope3});
}

void expect_match(const Case& c) {
  const Outcome o = run(c);
  EXPECT_TRUE(o.passed()) << o.text();
}

TEST(A8w8, ProjectionsMatchTheFormulaOfTheirCodes) {
  const catalog::ProgramDef def = scope1_of_codes();
  for (const char* platform : {"cpu", "a2a3sim", "a5sim"})
    for (const int64_t kv_fused : {0, 1, 2})
      for (const int64_t batch : {16, 5})
        expect_match({.set = {{"kv_fused", kv_fused}, {"batch", batch}, {"norm_rows", 4}},
                      .platform = platform,
                      .own = &def});
}

TEST(A8w8, EveryFormOfTheMlpMatches) {
  const catalog::ProgramDef def = scope3_of_codes();
  for (const int64_t mlp_fused : {0, 1, 2})
    for (const int64_t down_fused : {0, 1, 2})
      for (const int64_t quant_rows : {3, 16})
        expect_match({.set = {{"mlp_fused", mlp_fused},
                              {"down_fused", down_fused},
                              {"down_n", 32},
                              {"o_fused", down_fused == 1},
                              {"quant_rows", quant_rows}},
                      .own = &def,
                      .order = 5});
}

// A row of zeros has codes of 0. A row below the least magnitude has small codes, not large ones.
TEST(A8w8, RowsOfZerosAndOfTinyNumbers) {
  const catalog::ProgramDef def = scope1_of_codes();
  const Outcome o = run({.inputs =
                             [](catalog::Arrays& io) {
                               HostArray& x = io["hidden_states"];
                               const int64_t width = x.shape()[1];
                               for (int64_t i = 0; i < width; ++i) {
                                 x.set(i, 0.0);
                                 x.set(width + i, x.at(width + i) * 1e-5);
                               }
                             },
                         .own = &def});
  EXPECT_TRUE(o.passed()) << o.text();
  double largest = 0;
  for (int64_t i = 0; i < o.actual["q_proj"].shape()[1]; ++i) {
    EXPECT_EQ(o.actual["q_proj"].at(i), 0.0);
    largest = std::max(largest, std::abs(o.actual["q_proj"].at(o.actual["q_proj"].shape()[1] + i)));
  }
  EXPECT_GT(largest, 100 * kExact.atol);
}

// Changes ops of a program for which `match` holds; the comparison must then fail.
void expect_mismatch(const char* what,
                     const std::function<bool(const ir::Program&, ir::Op&)>& edit) {
  SCOPED_TRACE(what);
  const catalog::ProgramDef def = scope1_of_codes();
  int hits = 0;
  const Outcome o = run({.mutate =
                             [&](ir::Program& p) {
                               ir::for_each_op(p.body, [&](ir::Op& op) { hits += edit(p, op); });
                             },
                         .own = &def});
  EXPECT_GT(hits, 0);
  EXPECT_FALSE(o.passed()) << o.text();
}

TEST(A8w8, MutantsOfTheStagesAreNoticed) {
  const auto becomes_copy = [](ir::OpKind kind) {
    return [=](const ir::Program&, ir::Op& op) {
      if (op.kind != kind) return false;
      op.kind = ir::OpKind::Copy;
      op.args.resize(1);
      return true;
    };
  };
  expect_mismatch("codes are cut off, not rounded", [](const ir::Program& p, ir::Op& op) {
    if (op.kind != ir::OpKind::Cast || p[op.dst].dtype != DType::I32) return false;
    op.cast_mode = ir::CastMode::Trunc;
    return true;
  });
  expect_mismatch("magnitudes without abs", becomes_copy(ir::OpKind::Abs));
  expect_mismatch("only the last block's magnitude", [](const ir::Program&, ir::Op& op) {
    if (op.kind != ir::OpKind::Maximum) return false;
    op.args[0] = op.args[1];
    return true;
  });
  expect_mismatch("127 as 128", [](const ir::Program&, ir::Op& op) {
    if (op.kind != ir::OpKind::Full || op.scalar->literal != 127.0) return false;
    op.scalar->literal = 128.0;
    return true;
  });
  expect_mismatch("scales of rows dropped", [](const ir::Program& p, ir::Op& op) {
    if (op.kind != ir::OpKind::RowExpandMul || p[op.args[1]].name == "per_scale") return false;
    op.kind = ir::OpKind::Copy;
    op.args.resize(1);
    return true;
  });
}

// ---- beside the BF16 layer ---------------------------------------------------------------------

const std::vector<std::string> kWeights{"wq", "wk", "wv", "wo", "w_gate", "w_up", "w_down"};

// Every column divided by its scale, the largest magnitude / 127, and rounded.
void quantise_columns(const HostArray& from, HostArray& codes, HostArray& scales) {
  const int64_t rows = from.shape()[0], columns = from.shape()[1];
  for (int64_t n = 0; n < columns; ++n) {
    double largest = 0;
    for (int64_t k = 0; k < rows; ++k)
      largest = std::max(largest, std::abs(from.at(k * columns + n)));
    scales.set(n, largest / 127);
    for (int64_t k = 0; k < rows; ++k)
      codes.set(k * columns + n, std::nearbyint(from.at(k * columns + n) * 127 / largest));
  }
}

// docs/qwen3.md states this distance.
TEST(A8w8, IsWithinThreePercentOfWhatTheBf16LayerAdds) {
  const Outcome exact = run({.program = "decode"});
  const Outcome coded = run({.program = "decode-a8w8", .inputs = [&](catalog::Arrays& io) {
                               for (const auto& [name, from] : exact.before.all())
                                 if (std::ranges::find(kWeights, name) == kWeights.end())
                                   io.add(name, from.clone());
                               for (const std::string& w : kWeights)
                                 quantise_columns(exact.before[w], io[w], io[w + "_scale"]);
                             }});
  ASSERT_TRUE(coded.passed()) << coded.text();
  double error = 0, added = 0;
  for (int64_t i = 0; i < coded.actual["out"].size(); ++i) {
    error += std::pow(coded.actual["out"].at(i) - exact.expected["out"].at(i), 2);
    added += std::pow(exact.expected["out"].at(i) - exact.before["hidden_states"].at(i), 2);
  }
  const double distance = std::sqrt(error / added);
  EXPECT_LT(distance, 0.03);
  EXPECT_GT(distance, 0.003);  // or nothing was quantised
}

// One byte per weight and four per column; four tasks more per stage that makes codes.
TEST(A8w8, BytesAndTasksFollowFromTheShape) {
  const catalog::Config config = catalog::configure(program("decode-a8w8"), "qwen3-32b", {});
  const ir::Program p = program("decode-a8w8").build(config);
  const int64_t h = 5120, q = 64 * 128, kv = 8 * 128, mlp = 25600;
  int64_t bytes = 0;
  for (const ir::Param& param : p.params)
    for (const std::string& w : kWeights)
      if (p[param.var].name == w || p[param.var].name == w + "_scale")
        bytes += bytes_of(p[param.var].dtype, element_count(p[param.var].shape));
  EXPECT_EQ(bytes, h * (q + 2 * kv) + q * h + 3 * h * mlp + 4 * (q + 2 * kv + 2 * h + 2 * mlp));

  const Set blocks{{"q_n", 512},    {"kv_n", 512},  {"o_n", 512},     {"mlp_n", 512},
                   {"down_n", 512}, {"o_chunk", 1}, {"down_chunk", 1}};
  const auto tasks = [&](const char* name) {
    return task_count(
        {.program = name, .set = blocks, .platform = "a2a3sim", .shape = "qwen3-32b"});
  };
  EXPECT_EQ(tasks("decode-a8w8"), tasks("decode") + 2 * (16 / 4));
}

}  // namespace
}  // namespace qwen3_test
