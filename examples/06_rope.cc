// Rotary embedding: each head turns by angles that depend on its row's position. A number known
// only when the program runs, `read` from a tensor, becomes an offset into the tables; it is proved
// in range before any task starts. `reshape` and `slice` outside a scope are views and cost
// nothing.
#include <cmath>

#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

ir::Program build(const catalog::Config& c) {
  const int64_t batch = c["batch"], heads = c["heads"], half = c["half"];
  Builder p("rope");
  const Tensor x = p.input("x", {batch, heads * 2 * half}, DType::F32);
  const Tensor positions = p.input("positions", {batch}, DType::I32);
  const Tensor cos_table = p.weight("cos", {c["max_position"], half}, DType::F32);
  const Tensor sin_table = p.weight("sin", {c["max_position"], half}, DType::F32);
  const Tensor y = p.output("y", {batch, heads * 2 * half}, DType::F32);
  // The same memory with one head per row.
  const Tensor x_heads = reshape(x, {batch * heads, 2 * half}).named("x_heads");
  const Tensor y_heads = reshape(y, {batch * heads, 2 * half}).named("y_heads");
  for (Index b : p.parallel(batch).named("b")) {
    const Index position = p.read(positions, {b});
    auto core = p.incore("rotate");
    const Tile cos = slice(cos_table, {1, half}, {position, 0}).named("cos_row");
    const Tile sin = slice(sin_table, {1, half}, {position, 0}).named("sin_row");
    const Tile low = slice(x_heads, {heads, half}, {b * heads, 0}).named("low");
    const Tile high = slice(x_heads, {heads, half}, {b * heads, half}).named("high");
    const Tile low_cos = col_expand_mul(low, cos).named("low_cos");
    const Tile high_sin = col_expand_mul(high, sin).named("high_sin");
    assemble(y_heads, sub(low_cos, high_sin), {b * heads, 0});
    const Tile high_cos = col_expand_mul(high, cos).named("high_cos");
    const Tile low_sin = col_expand_mul(low, sin).named("low_sin");
    assemble(y_heads, add(high_cos, low_sin), {b * heads, half});
  }
  return p.finish();
}

double angle(double position, int64_t i, int64_t half) {
  return position / std::pow(1e4, static_cast<double>(i) / static_cast<double>(half));
}

catalog::Init table(int64_t half, double (*wave)(double)) {
  return [=](HostArray& t, Rng&) {
    for (int64_t i = 0; i < t.size(); ++i)
      t.set(i, wave(angle(static_cast<double>(i / half), i % half, half)));
  };
}

// From the definition: pair (i, i + half) of a head at position t turns by t * 10000^(-i / half).
void formula(const catalog::Config& c, catalog::Arrays& io) {
  const int64_t half = c["half"];
  const auto x = catalog::doubles(io["x"]);
  for (int64_t row = 0; row < c["batch"] * c["heads"]; ++row)
    for (int64_t i = 0; i < half; ++i) {
      const int64_t at = row * 2 * half + i;
      const double t = angle(io["positions"].at(row / c["heads"]), i, half);
      io["y"].set(at, x[at] * std::cos(t) - x[at + half] * std::sin(t));
      io["y"].set(at + half, x[at + half] * std::cos(t) + x[at] * std::sin(t));
    }
}

catalog::ProgramDef rope() {
  catalog::ProgramDef def;
  def.name = "rope";
  def.summary = "rotary position embedding with positions known at run time";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"batch", 8, "rows, each at its own position"},
            {"heads", 8, "heads per row"},
            {"half", 64, "half the width of a head"},
            {"max_position", 512, "rows of the tables"}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config& c) -> std::map<std::string, catalog::Init> {
    return {{"x", catalog::normal(1)},
            {"positions", catalog::integers(0, c["max_position"])},
            {"cos", table(c["half"], std::cos)},
            {"sin", table(c["half"], std::sin)}};
  };
  def.formula = formula;
  // Tables, products and sums are rounded to FP32: a few 2^-24 of values up to 6.
  def.tolerances = {{"y", {.rtol = 0, .atol = 2e-6}}};
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {rope()}); }
