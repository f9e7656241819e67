#include "tilewright/published/measurements.h"

#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/programs/calibration.h"

namespace tilewright::published {
namespace {

using programs::calibration_down;
using programs::calibration_int8;
using programs::calibration_lm_head;
using programs::calibration_rope;

constexpr double kNear = 0.10;   // whole programs
constexpr double kFair = 0.20;   // single kernels
constexpr int64_t kSteps = 256;  // long enough that the ends of the loop do not count
constexpr const char* kFirst = "april-2026";
constexpr const char* kUnified = "2026-04-27";  // of pypto-lib#185
constexpr const char* k185 = "pypto-lib#185";
constexpr const char* kLater = "june-2026";

MeasuredCase improves(const char* before, MeasuredCase c) {
  c.before = before;
  return c;
}

catalog::ProgramDef qwen3(const std::string& name) {
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return std::move(def);
  return {};
}

Measurement exec(const char* kernel, double us) { return {Quantity::Exec, us, kFair, kernel, 1}; }
Measurement step(double ns) { return {Quantity::ExecPerStep, ns, kFair, "int8", kSteps}; }

MeasuredCase attention(int64_t tile, std::vector<Measurement> m, int row, const char* what) {
  return {row,
          what,
          qwen3("qwen3/scope2"),
          {{"ctx", 4096}, {"seq_tile", tile}, {"group_batch", 1}},
          k185,
          kUnified,
          std::move(m)};
}

MeasuredCase out_projection(int64_t depth, double us) {
  return {8,
          depth == 128 ? "o-proj, 64 steps of 128x64" : "o-proj, 16 steps of 512x64",
          qwen3("qwen3/scope3-fused"),
          {{"o_n", 64}, {"o_k", depth}, {"o_chunk", 6}, {"mlp_stages", 2}},
          k185,
          kUnified,
          {exec("out_proj", us)}};
}

// The whole layer; means over records.
MeasuredCase layer(int64_t seq_tile, int64_t o_k, int64_t kv_fused, const char* what, double exec_us,
                   double latency_us) {
  return {15,
          what,
          qwen3("qwen3/decode"),
          {{"form", 964}, {"ctx", 4096}, {"seq_tile", seq_tile}, {"o_k", o_k}, {"kv_fused", kv_fused}},
          k185,
          kUnified,
          {{Quantity::Tasks, 964, 0, "", 1},
           {Quantity::RecordExec, exec_us, kNear, "", 1},
           {Quantity::RecordLatency, latency_us, kNear, "", 1}},
          "qwen3-32b-wide"};
}

}  // namespace

const char* quantity_name(Quantity q) {
  switch (q) {
    case Quantity::Tasks: return "tasks";
    case Quantity::Total: return "total us";
    case Quantity::Latency: return "mean latency us";
    case Quantity::Exec: return "exec us";
    case Quantity::Head: return "head us";
    case Quantity::ExecPerStep: return "ns per step";
    case Quantity::RecordExec: return "mean exec us";
    case Quantity::RecordLatency: return "mean latency us";
  }
  return "";
}

std::vector<MeasuredCase> measured_cases() {
  const auto total = [](double us) { return Measurement{Quantity::Total, us, kNear, "", 1}; };
  const auto latency = [](double us) { return Measurement{Quantity::Latency, us, kNear, "", 1}; };
  const auto tasks = [](double n) { return Measurement{Quantity::Tasks, n, 0, "", 1}; };
  const auto head = [](double us) { return Measurement{Quantity::Head, us, kFair, "down", 1}; };
  const std::string p90 = "pypto-lib#90", p94 = "pypto-lib#94", p102 = "pypto-lib#102",
                    p104 = "pypto-lib#104";
  return {
      {1, "scope 3 before", qwen3("qwen3/scope3-before"), {}, p90, kFirst,
       {tasks(33411), total(63044.26), latency(3.93)}},
      improves("scope 3 before",
               {2, "scope 3 after", qwen3("qwen3/scope3"), {}, p90, kFirst,
                {tasks(1651), total(3284.44), latency(44.58)}}),
      {3, "scope 1", qwen3("qwen3/scope1"), {}, p104, kFirst, {tasks(161), total(525.04)}},
      {4, "rope, head by head", calibration_rope(false), {}, k185, kFirst, {exec("rope", 25)}},
      improves("rope, head by head",
               {4, "rope, 8 heads at once", calibration_rope(true), {}, k185, kFirst,
                {exec("rope", 9.5)}}),
      attention(64, {exec("qk", 36.83)}, 5, "QK, 64 tiles of 64x128"),
      improves("QK, 64 tiles of 64x128",
               attention(256, {exec("qk", 22.80)}, 5, "QK, 16 tiles of 256x128")),
      attention(64, {exec("sv", 35.41)}, 6, "SV, 64 tiles of 64x128"),
      improves("SV, 64 tiles of 64x128",
               attention(256, {exec("sv", 22.38)}, 6, "SV, 16 tiles of 256x128")),
      attention(64, {exec("merge", 20.65)}, 7, "merge, 63 steps"),
      improves("merge, 63 steps", attention(256, {exec("merge", 6.97)}, 7, "merge, 15 steps")),
      out_projection(128, 222.92),
      improves("o-proj, 64 steps of 128x64", out_projection(512, 153.31)),
      {9, "down, 40 tasks of 256x128", calibration_down(128), {}, "down", kLater,
       {exec("down", 135), head(55.05)}},
      improves("down, 40 tasks of 256x128",
               {9, "down, 20 tasks of 256x256", calibration_down(256), {}, "down", kLater,
                {exec("down", 180), head(3.92)}}),
      {10, "LM head, 297 tasks", calibration_lm_head(), {}, "LM head", kLater,
       {{Quantity::Total, 1447, kFair, "", 1}}},
      {11, "INT8 loop", calibration_int8(kSteps, 1), {}, "score_mat", kLater, {step(650)}},
      improves("INT8 loop",
               {11, "INT8 loop, pipelined", calibration_int8(kSteps, 2), {}, "score_mat", kLater,
                {step(490)}}),
      improves("scope 1",
               {12, "scope 1, K 512", qwen3("qwen3/scope1"), {{"form", 37}}, p104, kFirst,
                {tasks(37), total(350.02)}}),
      {13, "scope 3, nothing cleared", qwen3("qwen3/scope3"), {{"zero_init", 0}}, p94, kFirst,
       {tasks(1585), total(3295.18)}},
      improves("scope 3, nothing cleared",
               {13, "scope 3, gate and up together", qwen3("qwen3/scope3"),
                {{"zero_init", 0}, {"mlp_fused", 2}}, p94, kFirst, {tasks(1185), total(3038.68)}}),
      improves("scope 3, gate and up together",
               {13, "scope 3, and down in pairs", qwen3("qwen3/scope3"),
                {{"zero_init", 0}, {"mlp_fused", 2}, {"down_fused", 2}}, p94, kFirst,
                {tasks(1121), total(2822.68)}}),
      {14, "scope 1, normed on demand", qwen3("qwen3/scope1-fused-norm"), {}, p102, kFirst,
       {tasks(58), total(412.72)}},
      layer(64, 128, 1, "layer, blocks of 64", 77.46, 123.20),
      improves("layer, blocks of 64", layer(256, 512, 2, "layer, blocks of 256", 68.15, 113.0)),
  };
}

}  // namespace tilewright::published
