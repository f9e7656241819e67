// A mixed scope: out = x W + residual. The matmul runs on the cube core, cast and add on the vector
// cores of the same cluster, in one task; the sum crosses between them without a task of its own.
// `Split::UpDown` asks that the two vector cores take half of its rows each.
#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

struct Operands {
  Tile left, right;
};

ir::Program build(const catalog::Config& c) {
  const int64_t rows = c["rows"], k = c["k"], n = c["n"];
  const int64_t k_tile = c["k_tile"], n_tile = c["n_tile"];
  Builder p("gemm_residual");
  const Tensor x = p.input("x", {rows, k}, DType::BF16);
  const Tensor w = p.weight("w", {k, n}, DType::BF16);
  const Tensor residual = p.input("residual", {rows, n}, DType::BF16);
  const Tensor out = p.output("out", {rows, n}, DType::BF16);
  for (Index nb : p.parallel(p.exact_div(n, n_tile)).named("nb")) {
    auto core = p.at(Level::CoreGroup, "gemm_residual", {.split = Split::UpDown});
    const auto block = [&](const Index& kb) -> Operands {
      return {slice(x, {rows, k_tile}, {0, kb * k_tile}).named("left"),
              slice(w, {k_tile, n_tile}, {kb * k_tile, nb * n_tile}).named("right")};
    };
    const Operands first = block(0);
    const Tile acc = matmul(first.left, first.right).named("acc");
    for (Index kb : p.pipeline(1, p.exact_div(k, k_tile), 1, {.stages = 2}).named("kb")) {
      const Operands next = block(kb);
      matmul_acc(acc, next.left, next.right);
    }
    const Tile base = cast(slice(residual, {rows, n_tile}, {0, nb * n_tile}), DType::F32);
    const Tile sum = add(acc, base.named("base")).named("sum");
    assemble(out, cast(sum, DType::BF16), {0, nb * n_tile});
  }
  return p.finish();
}

void formula(const catalog::Config& c, catalog::Arrays& io) {
  const int64_t rows = c["rows"], k = c["k"], n = c["n"];
  const auto x = catalog::doubles(io["x"]), w = catalog::doubles(io["w"]);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < n; ++j) {
      double sum = io["residual"].at(r * n + j);
      for (int64_t l = 0; l < k; ++l) sum += x[r * k + l] * w[l * n + j];
      io["out"].set(r * n + j, sum);
    }
}

catalog::ProgramDef gemm_residual() {
  catalog::ProgramDef def;
  def.name = "gemm_residual";
  def.summary = "matmul and residual in one task on cube and vector cores";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"rows", 16, "rows of the batch"},
            {"k", 512, "columns of x"},
            {"n", 256, "columns of the result"},
            {"k_tile", 128, "terms added per trip; divides k"},
            {"n_tile", 64, "columns per task; divides n"}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config&) -> std::map<std::string, catalog::Init> {
    return {{"x", catalog::normal(1)},
            {"w", catalog::normal(0.05)},
            {"residual", catalog::normal(1)}};
  };
  def.formula = formula;
  // One rounding to BF16, which may go to the other neighbour; near 0 the FP32 sum is what counts.
  def.tolerances = {{"out", {.rtol = 0x1p-7, .atol = 1e-5}}};
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {gemm_residual()}); }
