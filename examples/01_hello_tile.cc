// Hello, tile: y = 2 x + 1, one task on one core. A scope is what one core does: `slice` brings a
// window of a tensor on chip, operations make new tiles, `assemble` writes a tile back. The rest of
// the file is what makes a program runnable: sizes, inputs, and the formula it is compared with.
#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

ir::Program build(const catalog::Config& c) {
  const int64_t rows = c["rows"], cols = c["cols"];
  Builder p("hello");
  const Tensor x = p.input("x", {rows, cols}, DType::F32);
  const Tensor y = p.output("y", {rows, cols}, DType::F32);
  {
    auto core = p.incore("hello");
    const Tile tile = slice(x, {rows, cols}, {0, 0}).named("tile");
    assemble(y, add(mul(tile, 2.0), 1.0), {0, 0});
  }
  return p.finish();
}

void formula(const catalog::Config&, catalog::Arrays& io) {
  for (int64_t i = 0; i < io["x"].size(); ++i) io["y"].set(i, 2 * io["x"].at(i) + 1);
}

catalog::ProgramDef hello() {
  catalog::ProgramDef def;
  def.name = "hello";
  def.summary = "y = 2 x + 1 in one task";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"rows", 16, "rows of x"}, {"cols", 128, "columns of x"}};
  };
  def.build = build;
  def.formula = formula;
  // 2 x is exact; the sum is rounded once, as the formula's result is when it is stored.
  def.tolerances = {{"y", {.rtol = 0, .atol = 0}}};
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {hello()}); }
