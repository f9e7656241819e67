// Matrix multiply: c = a b. The long dimension K is cut into blocks: `matmul` starts the sum in the
// cube core's accumulator and `matmul_acc` adds to it in place. A pipelined loop keeps the loads of
// `stages` iterations in flight. One task per block of the result; nobody wrote down an order.
#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

struct Operands {
  Tile left, right;
};

ir::Program build(const catalog::Config& c) {
  const int64_t m = c["m"], k = c["k"], n = c["n"];
  const int64_t m_tile = c["m_tile"], k_tile = c["k_tile"], n_tile = c["n_tile"];
  Builder p("matmul");
  const Tensor a = p.input("a", {m, k}, DType::BF16);
  const Tensor b = p.weight("b", {k, n}, DType::BF16);
  const Tensor out = p.output("c", {m, n}, DType::F32);
  for (Index mb : p.parallel(p.exact_div(m, m_tile)).named("mb"))
    for (Index nb : p.parallel(p.exact_div(n, n_tile)).named("nb")) {
      auto core = p.incore("matmul");
      const auto block = [&](const Index& kb) -> Operands {
        return {slice(a, {m_tile, k_tile}, {mb * m_tile, kb * k_tile}).named("left"),
                slice(b, {k_tile, n_tile}, {kb * k_tile, nb * n_tile}).named("right")};
      };
      const Operands first = block(0);
      const Tile acc = matmul(first.left, first.right).named("acc");
      const int stages = static_cast<int>(c["stages"]);
      for (Index kb : p.pipeline(1, p.exact_div(k, k_tile), 1, {.stages = stages}).named("kb")) {
        const Operands next = block(kb);
        matmul_acc(acc, next.left, next.right);
      }
      assemble(out, acc, {mb * m_tile, nb * n_tile});
    }
  return p.finish();
}

void formula(const catalog::Config& c, catalog::Arrays& io) {
  const int64_t m = c["m"], k = c["k"], n = c["n"];
  const auto a = catalog::doubles(io["a"]), b = catalog::doubles(io["b"]);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      io["c"].set(i * n + j, sum);
    }
}

catalog::ProgramDef matmul_program() {
  catalog::ProgramDef def;
  def.name = "matmul";
  def.summary = "c = a b in BF16 with FP32 sums, one task per block of c";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"m", 32, "rows of a and c"},
            {"k", 512, "columns of a, rows of b"},
            {"n", 256, "columns of b and c"},
            {"m_tile", 16, "rows of c per task; divides m"},
            {"k_tile", 128, "terms added per trip; divides k"},
            {"n_tile", 64, "columns of c per task; divides n"},
            {"stages", 2, "iterations whose loads are in flight", 1, 8}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config&) -> std::map<std::string, catalog::Init> {
    return {{"a", catalog::normal(1)}, {"b", catalog::normal(1)}};
  };
  def.formula = formula;
  // Products of BF16 are exact in FP32; each of the k additions rounds a partial sum, which grows
  // like sqrt(k). Together that is an rms error of about 0.4 * 2^-24 * k, 1.2e-5 at k = 512; the
  // worst of 10^4 sums stays below eight times that.
  def.tolerances = {{"c", {.rtol = 0, .atol = 1e-4}}};
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {matmul_program()}); }
