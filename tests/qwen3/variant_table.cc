#include "variant_table.h"

#include <fmt/format.h>

#include "support.h"

namespace qwen3_test {
namespace {

struct Row {
  const char* program;
  Set set;
  const char* shape;
};

// B = 16 and, where there is a context, 4096 positions in every row.
const std::vector<Row>& rows() {
  static const char* const kWide = "qwen3-32b-wide";
  static const char* const kReal = "qwen3-32b";
  static const std::vector<Row> kRows{
      {"scope1", {}, kWide},
      {"scope1", {{"form", 37}}, kWide},
      {"scope1-split", {}, kWide},
      {"scope1-split", {{"proj_k", 512}}, kWide},
      {"scope1-split", {{"proj_k", 512}, {"k_splits", 2}}, kWide},
      {"scope1-fused-norm", {}, kWide},
      {"scope2-before", {}, kWide},
      {"scope2", {}, kWide},
      {"scope2", {{"seq_tile", 256}}, kWide},
      {"scope12", {}, kWide},
      {"scope3-before", {}, "qwen3-32b-narrow"},
      {"scope3", {}, "qwen3-32b-narrow"},
      {"scope3", {}, kWide},
      {"scope3-fused", {}, kWide},
      {"decode", {{"form", 1503}}, kWide},
      {"decode", {{"form", 1379}}, kWide},
      {"decode", {{"form", 1251}}, kWide},
      {"decode", {{"form", 964}}, kWide},
      {"decode", {{"form", 642}}, kWide},
      {"decode-fused-qkrope", {{"form", 1359}}, kWide},
      {"decode-fused-qkrope", {}, kWide},
      {"decode-flash", {}, kWide},
      {"decode-flash", {{"split_blocks", 4}}, kWide},
      {"decode-tilelet", {}, kWide},
      {"decode", {}, kReal},
      {"decode-fused-qkrope", {}, kReal},
      {"decode-flash", {}, kReal},
      {"decode-a8w8", {}, kReal},
      {"decode-a8w8-best", {}, kReal},
      {"lm-head", {}, kReal},
      {"embed", {}, kReal},
  };
  return kRows;
}

std::string mib(int64_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / 0x1p20);
}

}  // namespace

std::string variant_table() {
  std::string out =
      "| program | keys | shape | tasks | kernels | GM read MiB | GM written MiB |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Row& r : rows()) {
    Case c{.program = r.program, .set = r.set, .platform = "a2a3sim", .shape = r.shape};
    if (has_key(program(r.program), "ctx")) c.set["ctx"] = 4096;
    const Cost cost = cost_of(c);
    std::string keys;
    for (const auto& [key, value] : r.set) keys += fmt::format(" {}={}", key, value);
    out += fmt::format("| `{}` |{} | {} | {} | {} | {} | {} |\n", r.program, keys, r.shape,
                       cost.tasks, cost.kernels, mib(cost.gm_read), mib(cost.gm_written));
  }
  return out;
}

}  // namespace qwen3_test
