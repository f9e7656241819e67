// Many tasks: out = silu(gate) * up, the gate of an MLP. A parallel loop around a scope gives one
// task per iteration, which cores take in any order. Values are stored in BF16 and computed in
// FP32: `cast` says where the rounding is. `exact_div` refuses a tile that leaves rows over.
#include <cmath>

#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

ir::Program build(const catalog::Config& c) {
  const int64_t rows = c["rows"], cols = c["cols"], row_tile = c["row_tile"];
  Builder p("elementwise");
  const Tensor gate = p.input("gate", {rows, cols}, DType::BF16);
  const Tensor up = p.input("up", {rows, cols}, DType::BF16);
  const Tensor out = p.output("out", {rows, cols}, DType::BF16);
  for (Index rb : p.parallel(p.exact_div(rows, row_tile)).named("rb")) {
    auto core = p.incore("silu_mul");
    const Shape tile{row_tile, cols};
    const Tile g = cast(slice(gate, tile, {rb * row_tile, 0}), DType::F32).named("g");
    const Tile u = cast(slice(up, tile, {rb * row_tile, 0}), DType::F32).named("u");
    const Tile sigmoid = recip(add(exp(neg(g)), 1.0)).named("sigmoid");
    const Tile y = mul(mul(g, sigmoid), u).named("y");
    assemble(out, cast(y, DType::BF16), {rb * row_tile, 0});
  }
  return p.finish();
}

void formula(const catalog::Config&, catalog::Arrays& io) {
  for (int64_t i = 0; i < io["gate"].size(); ++i) {
    const double g = io["gate"].at(i);
    io["out"].set(i, g / (1 + std::exp(-g)) * io["up"].at(i));
  }
}

catalog::ProgramDef elementwise() {
  catalog::ProgramDef def;
  def.name = "elementwise";
  def.summary = "out = silu(gate) * up, one task per block of rows";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"rows", 64, "rows of the batch"},
            {"cols", 256, "columns"},
            {"row_tile", 16, "rows per task; divides rows"}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config&) -> std::map<std::string, catalog::Init> {
    return {{"gate", catalog::normal(2)}, {"up", catalog::normal(1)}};
  };
  def.formula = formula;
  // FP32 errors of a few parts in 10^7 may push a value over a rounding boundary of BF16, whose
  // neighbours are 2^-7 of the value apart at most.
  def.tolerances = {{"out", {.rtol = 0x1p-7, .atol = 0}}};
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {elementwise()}); }
