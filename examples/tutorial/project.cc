// The program of docs/tutorial.md in C++: y = x w. Tile sizes and the depth of the pipeline are
// keys, so every step of the tutorial is a --set.
#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

struct Operands {
  Tile left, right;
};

ir::Program build(const catalog::Config& c) {
  const int64_t rows = 16, k = c["k"], n = c["n"], k_tile = c["k_tile"], n_tile = c["n_tile"];
  Builder p("project");
  const Tensor x = p.input("x", {rows, k}, DType::BF16);
  const Tensor w = p.weight("w", {k, n}, DType::BF16);
  const Tensor y = p.output("y", {rows, n}, DType::F32);
  for (Index nb : p.parallel(p.exact_div(n, n_tile)).named("nb")) {
    auto core = p.incore("project");
    const auto load = [&](const Index& kb) -> Operands {
      const Tile left = slice(x, {rows, k_tile}, {0, kb * k_tile}).named("left");
      return {left, slice(w, {k_tile, n_tile}, {kb * k_tile, nb * n_tile}).named("right")};
    };
    const Operands first = load(0);
    const Tile acc = matmul(first.left, first.right).named("acc");
    const int64_t blocks = p.exact_div(k, k_tile);
    const int stages = static_cast<int>(c["stages"]);
    for (Index kb : (stages > 1 ? p.pipeline(1, blocks, 1, {.stages = stages}) : p.range(1, blocks))
                        .named("kb")) {
      const Operands next = load(kb);
      matmul_acc(acc, next.left, next.right);
    }
    assemble(y, acc, {0, nb * n_tile});
  }
  return p.finish();
}

void formula(const catalog::Config& c, catalog::Arrays& io) {
  const int64_t rows = 16, k = c["k"], n = c["n"];
  const auto x = catalog::doubles(io["x"]), w = catalog::doubles(io["w"]);
  std::vector<double> row(static_cast<std::size_t>(n));
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j) row[j] += x[i * k + l] * w[l * n + j];
    for (int64_t j = 0; j < n; ++j) io["y"].set(i * n + j, row[j]);
  }
}

int main(int argc, char** argv) {
  catalog::ProgramDef def;
  def.name = "project";
  def.summary = "y = x w for 16 rows, sums in the cube accumulator";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"k", 4096, "columns of x, rows of w"},
            {"n", 4096, "columns of w and y"},
            {"k_tile", 64, "terms added per iteration; divides k"},
            {"n_tile", 32, "columns of y per task; divides n"},
            {"stages", 1, "iterations whose loads are in flight", 1, 4}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config&) -> std::map<std::string, catalog::Init> {
    return {{"x", catalog::normal(1)}, {"w", catalog::normal(1)}};
  };
  def.formula = formula;
  // Sums of 4096 products of size one: an rms error of about 0.4 * 2^-24 * 4096 in FP32, 1e-4; the
  // worst of 65536 sums stays below ten times that.
  def.tolerances = {{"y", {.rtol = 0, .atol = 1e-3}}};
  return cli::main(argc, argv, {def});
}
