// Attention over a KV cache by online softmax: the context is walked in blocks, and what was summed
// so far is rescaled when a larger score turns up. The bound of the loop is read at run time, and
// valid shapes travel with the values, so rows of the cache past the end are never touched.
#include <cmath>

#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"

using namespace tilewright;
using namespace tilewright::dsl;

ir::Program build(const catalog::Config& c) {
  const int64_t batch = c["batch"], rows = c["rows"], d = c["head_dim"];
  const int64_t max_seq = c["max_seq"], tile = c["tile"];
  Builder p("attention");
  const Tensor q = p.input("q", {batch, rows, d}, DType::BF16);
  const Tensor keys = p.input("keys", {batch, max_seq, d}, DType::BF16);
  const Tensor values = p.input("values", {batch, max_seq, d}, DType::BF16);
  const Tensor seq_lens = p.input("seq_lens", {batch}, DType::I32);
  const Tensor out = p.output("out", {batch, rows, d}, DType::F32);
  for (Index b : p.parallel(batch).named("b")) {
    const Index length = p.read(seq_lens, {b});
    auto core = p.incore("attention");
    const Tile query = slice(q, {rows, d}, {b, 0, 0}).named("query");
    const Tile top = p.full({rows, 1}, DType::F32, -HUGE_VAL).named("top");
    const Tile total = p.full({rows, 1}, DType::F32, 0.0).named("total");
    const Tile sum = p.full({rows, d}, DType::F32, 0.0).named("sum");
    for (Index sb : p.range(ceil_div(length, tile)).named("sb")) {
      const SliceOptions real{.valid_shape = {min(Index(tile), length - sb * tile), d}};
      const Tile k = slice(keys, {tile, d}, {b, sb * tile, 0}, real).named("k");
      const Tile scores = matmul(query, k, {.b_trans = true}).named("scores");
      const Tile scaled = mul(scores, 1 / std::sqrt(static_cast<double>(d))).named("scaled");
      const Tile new_top = maximum(top, row_max(scaled)).named("new_top");
      // The weights are rounded once, before both sums, so that they still add up to one.
      const Tile weights = cast(exp(row_expand_sub(scaled, new_top)), DType::BF16).named("weights");
      const Tile part_total = row_sum(cast(weights, DType::F32)).named("part_total");
      const Tile v = slice(values, {tile, d}, {b, sb * tile, 0}, real).named("v");
      const Tile part_sum = matmul(weights, v).named("part_sum");
      const Tile rescale = exp(sub(top, new_top)).named("rescale");
      assign(total, add(mul(total, rescale), part_total));
      assign(sum, add(row_expand_mul(sum, rescale), part_sum));
      assign(top, new_top);
    }
    assemble(out, row_expand_div(sum, total), {b, 0, 0});
  }
  return p.finish();
}

void formula(const catalog::Config& c, catalog::Arrays& io) {
  const int64_t rows = c["rows"], d = c["head_dim"], max_seq = c["max_seq"];
  const auto q = catalog::doubles(io["q"]), k = catalog::doubles(io["keys"]),
             v = catalog::doubles(io["values"]), lengths = catalog::doubles(io["seq_lens"]);
  for (int64_t row = 0; row < c["batch"] * rows; ++row) {
    const int64_t first = row / rows * max_seq;  // the row of the cache where this context starts
    std::vector<double> sum(static_cast<std::size_t>(d));
    double total = 0;
    for (int64_t s = first; s < first + static_cast<int64_t>(lengths[row / rows]); ++s) {
      double score = 0;
      for (int64_t i = 0; i < d; ++i) score += q[row * d + i] * k[s * d + i];
      const double weight = std::exp(score / std::sqrt(static_cast<double>(d)));
      for (int64_t i = 0; i < d; ++i) sum[i] += weight * v[s * d + i];
      total += weight;
    }
    for (int64_t i = 0; i < d; ++i) io["out"].set(row * d + i, sum[i] / total);
  }
}

catalog::ProgramDef attention() {
  catalog::ProgramDef def;
  def.name = "attention";
  def.summary = "attention over a cache, one task per batch row, online softmax";
  def.keys = [](const std::string&, const catalog::Machine&) -> std::vector<catalog::Key> {
    return {{"batch", 4, "independent contexts", 2},
            {"rows", 16, "query rows that share a context"},
            {"head_dim", 128, "width of a head"},
            {"max_seq", 256, "rows of the cache per context"},
            {"tile", 64, "context rows per block"}};
  };
  def.build = build;
  def.inputs = [](const catalog::Config& c) -> std::map<std::string, catalog::Init> {
    const auto longest = static_cast<double>(c["max_seq"]);
    return {{"q", catalog::normal(2)},  // large enough for peaked weights
            {"keys", catalog::normal(1)},
            {"values", catalog::normal(1)},
            {"seq_lens", [longest](HostArray& lengths, Rng& rng) {
               for (int64_t b = 0; b < lengths.size(); ++b)
                 lengths.set(b, 1 + std::floor(longest * rng.uniform()));
               lengths.set(0, longest);
               lengths.set(1, 1);
             }}};
  };
  def.formula = formula;
  // Weights rounded to BF16 are off by up to 2^-9 of themselves, which moves a weighted mean by up
  // to 2^-9 of the values' mean distance from it; that is below 2 for normal values.
  def.tolerances = {{"out", {.rtol = 0, .atol = 2 * 0x1p-9}}};
  return def;
}

int main(int argc, char** argv) { return cli::main(argc, argv, {attention()}); }
