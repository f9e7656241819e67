// RMSNorm: y = x / sqrt(mean(x^2) + eps) * gamma. A value made in one scope and used in another
// escapes: it travels through global memory, and `check` lists it with its bytes. The tasks that
// use it wait for the one that makes it, because they read what it writes.
#include <cmath>

#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

constexpr double kEpsilon = 1e-6;

ir::Program build(const catalog::Config& c) {
  const int64_t rows = c["rows"], width = c["width"], tile = c["tile"];
  Builder p("rms_norm");
  const Tensor x = p.input("x", {rows, width}, DType::BF16);
  const Tensor gamma = p.weight("gamma", {1, width}, DType::F32);
  const Tensor y = p.output("y", {rows, width}, DType::BF16);
  const int64_t blocks = p.exact_div(width, tile);
  const auto block = [&](const Index& kb) {
    return cast(slice(x, {rows, tile}, {0, kb * tile}), DType::F32).named("block");
  };

  const Tile inverse_rms = [&] {
    auto core = p.incore("inverse_rms");
    const Tile sum = p.full({rows, 1}, DType::F32, 0.0).named("sum");
    for (Index kb : p.range(blocks).named("kb")) {
      const Tile part = block(kb);
      assign(sum, add(sum, row_sum(mul(part, part))));
    }
    const Tile mean = mul(sum, 1.0 / static_cast<double>(width)).named("mean");
    return recip(sqrt(add(mean, kEpsilon))).named("inverse_rms");
  }();

  for (Index kb : p.parallel(blocks).named("kb")) {
    auto core = p.incore("scale");
    const Tile scaled = row_expand_mul(block(kb), inverse_rms).named("scaled");
    const Tile weights = slice(gamma, {1, tile}, {0, kb * tile}).named("weights");
    assemble(y, cast(col_expand_mul(scaled, weights), DType::BF16), {0, kb * tile});
  }
  return p.finish();
}

void formula(const catalog::Config& c, catalog::Arrays& io) {
  const int64_t rows = c["rows"], width = c["width"];
  const auto x = catalog::doubles(io["x"]), gamma = catalog::doubles(io["gamma"]);
  for (int64_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (int64_t k = 0; k < width; ++k) squares += x[r * width + k] * x[r * width + k];
    const double rms = std::sqrt(squares / static_cast<double>(width) + kEpsilon);
    for (int64_t k = 0; k < width; ++k)
      io["y"].set(r * width + k, x[r * width + k] / rms * gamma[k]);
  }
}

catalog::ProgramDef rms_norm() {
  catalog::ProgramDef def;
  def.name = "rms_norm";
  def.summary = "RMSNorm of rows, one task for the scales and one per block of columns";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"rows", 16, "rows of the batch"},
            {"width", 1024, "columns of a row"},
            {"tile", 256, "columns per block; divides width"}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config&) -> std::map<std::string, catalog::Init> {
    return {{"x", catalog::normal(3)}, {"gamma", catalog::uniform(0.5, 1.5)}};
  };
  def.formula = formula;
  // FP32 throughout and one rounding to BF16, which may go to the other neighbour: 2^-7 apart.
  def.tolerances = {{"y", {.rtol = 0x1p-7, .atol = 0}}};
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {rms_norm()}); }
