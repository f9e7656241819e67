#include "tilewright/programs/tour.h"

#include <cmath>
#include <vector>

#include "tilewright/dsl/ops.h"

namespace tilewright::programs {
namespace {

using namespace dsl;  // NOLINT: a tile program reads like the maths

constexpr double kEpsilon = 1e-6;

// out = x + rms_norm(x, gamma) * w
ir::Program build(const catalog::Config& c) {
  const int64_t rows = c["rows"], hidden = c["hidden"], k_tile = c["k_tile"], n_tile = c["n_tile"];
  Builder p("tour");
  const Tensor x = p.input("x", {rows, hidden}, DType::BF16);
  const Tensor gamma = p.weight("gamma", {1, hidden}, DType::F32);
  const Tensor w = p.weight("w", {hidden, hidden}, DType::BF16);
  const Tensor out = p.output("out", {rows, hidden}, DType::F32);
  const int64_t k_blocks = p.exact_div(hidden, k_tile);

  // One task: the mean square of each row. The result is used by other scopes, so it escapes to GM.
  const Tile scale = [&] {
    auto core = p.incore("mean_square");
    const Tile sum = p.full({1, rows}, DType::F32, 0.0).named("sum");
    for (Index kb : p.range(k_blocks)) {
      const Tile part = cast(slice(x, {rows, k_tile}, {0, kb * k_tile}), DType::F32);
      assign(sum, add(sum, reshape(row_sum(mul(part, part)), {1, rows})));
    }
    const Tile mean = mul(sum, 1.0 / static_cast<double>(hidden));
    return Tile(recip(sqrt(add(mean, kEpsilon))).named("scale"));
  }();

  // One task per block of columns, all independent of each other.
  const Tensor normed = p.tensor("normed", {rows, hidden}, DType::BF16);
  for (Index kb : p.parallel(k_blocks)) {
    auto core = p.incore("normalise");
    const Tile part = cast(slice(x, {rows, k_tile}, {0, kb * k_tile}), DType::F32);
    const Tile scaled = row_expand_mul(part, reshape(scale, {rows, 1}));
    const Tile weighted = col_expand_mul(scaled, slice(gamma, {1, k_tile}, {0, kb * k_tile}));
    assemble(normed, cast(weighted, DType::BF16), {0, kb * k_tile});
  }

  // A matmul on the cube core and the residual on the vector cores of the same task.
  for (Index nb : p.parallel(p.exact_div(hidden, n_tile))) {
    auto core = p.incore("project");
    const Tile a = slice(normed, {rows, k_tile}, {0, 0});
    const Tile b = slice(w, {k_tile, n_tile}, {0, nb * n_tile});
    const Tile acc = matmul(a, b).named("acc");
    for (Index kb : p.pipeline(1, k_blocks, 1, {.stages = 2})) {
      const Tile next_a = slice(normed, {rows, k_tile}, {0, kb * k_tile});
      const Tile next_b = slice(w, {k_tile, n_tile}, {kb * k_tile, nb * n_tile});
      matmul_acc(acc, next_a, next_b);
    }
    const Tile residual = cast(slice(x, {rows, n_tile}, {0, nb * n_tile}), DType::F32);
    assemble(out, add(acc, residual), {0, nb * n_tile});
  }
  return p.finish();
}

void formula(const catalog::Config& c, catalog::Arrays& io) {
  const auto rows = static_cast<std::size_t>(c["rows"]);
  const auto hidden = static_cast<std::size_t>(c["hidden"]);
  const auto x = catalog::doubles(io["x"]), gamma = catalog::doubles(io["gamma"]);
  const auto w = catalog::doubles(io["w"]);
  for (std::size_t r = 0; r < rows; ++r) {
    const double* row = &x[r * hidden];
    double squares = 0;
    for (std::size_t k = 0; k < hidden; ++k) squares += row[k] * row[k];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(hidden) + kEpsilon);
    std::vector<double> sum(row, row + hidden);
    for (std::size_t k = 0; k < hidden; ++k)
      for (std::size_t n = 0; n < hidden; ++n)
        sum[n] += row[k] * scale * gamma[k] * w[k * hidden + n];
    for (std::size_t n = 0; n < hidden; ++n)
      io["out"].set(static_cast<int64_t>(r * hidden + n), sum[n]);
  }
}

}  // namespace

catalog::ProgramDef tour() {
  catalog::ProgramDef def;
  def.name = "tour";
  def.summary = "RMSNorm, then a matmul with a residual: one of everything";
  def.shapes = {"small", "wide"};
  def.keys = [](const std::string& shape, const catalog::Machine&) {
    const bool wide = shape == "wide";
    return std::vector<catalog::Key>{{"rows", 16, "rows of the batch", 1, 1024},
                                     {"hidden", wide ? 1024 : 256, "width of a row", 1, 1 << 16},
                                     {"k_tile", 128, "columns summed at a time; divides hidden"},
                                     {"n_tile", 64,
                                      "columns of the result per task; divides hidden"}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config& c) {
    const double w_scale = 1 / std::sqrt(static_cast<double>(c["hidden"]));
    return std::map<std::string, catalog::Init>{{"x", catalog::normal(1)},
                                                {"gamma", catalog::uniform(0.5, 1.5)},
                                                {"w", catalog::uniform(-w_scale, w_scale)}};
  };
  def.formula = formula;
  // The norm is rounded to BF16: relative error up to 2^-8, rms 1.6e-3. In the sum its terms weigh
  // sqrt(1/3) together, so the error of an output has rms 1e-3 at any width; the worst of 10^6
  // outputs stays below six times that.
  def.tolerances = {{"out", {.rtol = 1e-5, .atol = 6e-3}}};
  return def;
}

}  // namespace tilewright::programs
