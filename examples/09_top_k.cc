// Top-k: the largest values of each row and where they are. `sort32` sorts runs of 32 and keeps
// each value beside its index; `mrgsort` merges four runs at a time until one is left;
// `gather_mask` takes the values or the indices out of the pairs. C++ is the macro language: the
// levels of the merge are a C++ recursion, not a loop of the program.
#include <algorithm>
#include <numeric>

#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

constexpr int64_t kRun = 32;

// Runs of `lanes` lanes (two per pair) become one run.
Tile merge_all(const Tile& pairs, int64_t lanes) {
  if (lanes >= pairs.dim(1)) return pairs;
  return merge_all(mrgsort(pairs, lanes).named("merged"), 4 * lanes);
}

ir::Program build(const catalog::Config& c) {
  const int64_t rows = c["rows"], n = c["n"], k = c["k"];
  int64_t storage = kRun;  // merging by fours needs 32, 128, 512, ... columns
  while (storage < n) storage *= 4;
  Builder p("top_k");
  const Tensor x = p.input("x", {rows, n}, DType::F32);
  const Tensor values = p.output("values", {rows, k}, DType::F32);
  const Tensor indices = p.output("indices", {rows, k}, DType::I32);
  for (Index r : p.parallel(rows).named("r")) {
    auto core = p.incore("top_k");
    const Tile row = slice(x, {1, storage}, {r, 0}, {.valid_shape = {1, n}}).named("row");
    const Tile padded = fillpad(row, Pad::Min).named("padded");
    const Tile index = p.arange(0, {1, storage}, DType::I32).named("index");
    const Tile sorted = merge_all(sort32(padded, index).named("pairs"), 2 * kRun);
    const Tile best = slice(sorted, {1, 2 * k}, {0, 0}).named("best");
    assemble(values, gather_mask(best, ir::MaskPattern::P0101, DType::F32), {r, 0});
    assemble(indices, gather_mask(best, ir::MaskPattern::P1010, DType::I32), {r, 0});
  }
  return p.finish();
}

// Equal values keep their order.
void formula(const catalog::Config& c, catalog::Arrays& io) {
  const int64_t n = c["n"], k = c["k"];
  const auto x = catalog::doubles(io["x"]);
  std::vector<int64_t> order(static_cast<std::size_t>(n));
  for (int64_t r = 0; r < c["rows"]; ++r) {
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order,
                             [&](int64_t a, int64_t b) { return x[r * n + a] > x[r * n + b]; });
    for (int64_t i = 0; i < k; ++i) {
      io["values"].set(r * k + i, x[r * n + order[i]]);
      io["indices"].set(r * k + i, static_cast<double>(order[i]));
    }
  }
}

catalog::ProgramDef top_k() {
  catalog::ProgramDef def;
  def.name = "top_k";
  def.summary = "the k largest values of each row, with their indices";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"rows", 8, "rows of x"},
            {"n", 1000, "columns of x", 1, 2048},
            {"k", 16, "how many of them; at most n"}};
  };
  def.build = build;
  // Whole numbers, so that many values are equal.
  def.inputs = [](const catalog::Config&) -> std::map<std::string, catalog::Init> {
    return {{"x", catalog::integers(-200, 200)}};
  };
  def.formula = formula;
  def.tolerances = {{"", {.rtol = 0, .atol = 0}}};  // nothing is computed
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {top_k()}); }
