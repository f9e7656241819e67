// Softmax of rows of any width: a ragged tail. The last block of a row has fewer real columns than
// storage: its slice carries a valid shape, `fillpad` turns the rest into -inf where whole tiles
// are combined, and `assemble` writes only what is valid. `assign` carries a tile through a loop.
#include <cmath>

#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

ir::Program build(const catalog::Config& c) {
  const int64_t rows = c["rows"], cols = c["cols"], row_tile = c["row_tile"], tile = c["tile"];
  Builder p("softmax");
  const Tensor x = p.input("x", {rows, cols}, DType::F32);
  const Tensor y = p.output("y", {rows, cols}, DType::F32);
  const Index blocks = ceil_div(cols, tile);
  for (Index rb : p.parallel(p.exact_div(rows, row_tile)).named("rb")) {
    auto core = p.incore("softmax");
    const auto block = [&](const Index& cb) {
      const Index real = min(Index(tile), cols - cb * tile);
      return slice(x, {row_tile, tile}, {rb * row_tile, cb * tile},
                   {.valid_shape = {row_tile, real}})
          .named("block");
    };
    // Whole tiles are combined in the loops and reduced along the row once, after them.
    const Tile highest = p.full({row_tile, tile}, DType::F32, -HUGE_VAL).named("highest");
    for (Index cb : p.range(blocks).named("cb"))
      assign(highest, maximum(highest, fillpad(block(cb), Pad::Min)));
    const Tile top = row_max(highest).named("top");

    const Tile sums = p.full({row_tile, tile}, DType::F32, 0.0).named("sums");
    for (Index cb : p.range(blocks).named("cb"))
      assign(sums, add(sums, exp(row_expand_sub(fillpad(block(cb), Pad::Min), top))));
    const Tile total = row_sum(sums).named("total");

    for (Index cb : p.range(blocks).named("cb"))
      assemble(y, row_expand_div(exp(row_expand_sub(block(cb), top)), total),
               {rb * row_tile, cb * tile});
  }
  return p.finish();
}

void formula(const catalog::Config& c, catalog::Arrays& io) {
  const int64_t rows = c["rows"], cols = c["cols"];
  const auto x = catalog::doubles(io["x"]);
  for (int64_t r = 0; r < rows; ++r) {
    double total = 0;
    for (int64_t k = 0; k < cols; ++k) total += std::exp(x[r * cols + k]);
    for (int64_t k = 0; k < cols; ++k) io["y"].set(r * cols + k, std::exp(x[r * cols + k]) / total);
  }
}

catalog::ProgramDef softmax() {
  catalog::ProgramDef def;
  def.name = "softmax";
  def.summary = "softmax of rows whose width is no multiple of the tile";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"rows", 32, "rows of x"},
            {"cols", 1000, "columns of x, any number"},
            {"row_tile", 8, "rows per task; divides rows"},
            {"tile", 256, "columns per block"}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config&) -> std::map<std::string, catalog::Init> {
    return {{"x", catalog::normal(4)}};
  };
  def.formula = formula;
  // The exponent is a difference of numbers up to 32, so it is wrong by 2^-20 at most.
  def.tolerances = {{"y", {.rtol = 4e-6, .atol = 0}}};
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {softmax()}); }
