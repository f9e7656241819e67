#include "tilewright/models/transformer/step_program.h"

#include <algorithm>
#include <optional>

#include "tilewright/programs/projection.h"
#include "tilewright/programs/rms_norm.h"
#include "tilewright/programs/rope.h"
#include "tilewright/programs/swiglu.h"

namespace tilewright::models::transformer {

using namespace dsl;
using namespace programs;

namespace {

// Measured; see docs/models.md.
constexpr int64_t kColumns = 256;       // of a task of the projections
constexpr int64_t kAttentionRows = 64;  // rows of Q in a task of attention
constexpr int64_t kHeadBlocks = 4;      // blocks of kColumns in a task of the LM head

// Columns of a block: a divisor of `total`, at most kColumns. Weights are packed in panels of 32,
// so whole panels come first.
int64_t columns_of(int64_t total) {
  constexpr int64_t kPanel = 32;
  for (int64_t n = kColumns; n >= kPanel; n -= kPanel)
    if (total % n == 0) return n;
  for (int64_t n = kColumns; n > 1; --n)
    if (total % n == 0) return n;
  return total;
}

// Blocks of whole heads.
int64_t heads_of_block(int64_t heads, int64_t head_dim) {
  int64_t n = std::max<int64_t>(1, kColumns / head_dim);
  while (heads % n != 0) --n;
  return n;
}

// The whole reduction at once, in as few trips as a loop can have: a loop is what the cpu takes for
// one long product, with one left operand for several weights. Trips are whole groups of 32 k, or
// AMX could not have the weights packed; a depth that no group divides is one trip.
Chain chain_of(int64_t depth) {
  constexpr int64_t kGroup = 32;
  int64_t k_tile = depth;
  for (int64_t trips = 2; trips * kGroup <= depth && k_tile == depth; ++trips)
    if (depth % (trips * kGroup) == 0) k_tile = depth / trips;
  return {.depth = depth, .k_tile = k_tile, .stages = 2, .transposed = true};
}

// Calls body(rows) in a parallel loop over tiles of the real rows; what a tile has more in storage
// is never touched.
template <class Body>
void each_row_tile(Builder& p, int64_t row_tile, const Index& read_rows, Body&& body) {
  const Index rows = p.let("rows", read_rows);
  for (Index tile : p.parallel(ceil_div(rows, row_tile)).named("tile")) {
    const Index first = tile * row_tile;
    body(Rows{first, row_tile, min(Index(row_tile), rows - first), true});
  }
}

RmsNorm norm_of(const checkpoint::ModelConfig& m) {
  return {.width = m.hidden, .k_tile = m.hidden, .stages = 1, .eps = m.rms_norm_eps};
}

Tile columns(const Tile& x, const Rows& rows, int64_t cols, int64_t col) {
  return slice(x, {rows.tile, cols}, {0, col}, {.valid_shape = {rows.valid, cols}});
}

// The parameters and tensors of the layer, and its stages over one tile of rows.
class Layer {
 public:
  Layer(Builder& p, const StepSizes& s)
      : p_(p),
        s_(s),
        m_(s.model),
        a_(s.attention()),
        hidden_(p.state("hidden", {s.rows, m_.hidden}, DType::F32)),
        counts_(p.input("counts", {2}, DType::I32)),
        tiles_(p.input("tiles", {s.rows, 2}, DType::I32)),
        positions_(p.input("positions", {s.rows}, DType::I32)),
        slots_(p.input("slots", {s.rows}, DType::I32)),
        cache_rows_(p.input("cache_rows", {s.rows}, DType::I32)),
        page_table_(p.input("page_table", {s.slots, s.slot_pages}, DType::I32)),
        cos_(p.input("cos", {s.rows, m_.head_dim / 2}, DType::F32)),
        sin_(p.input("sin", {s.rows, m_.head_dim / 2}, DType::F32)),
        causal_(p.input("causal", a_.causal_shape(), DType::F32)),
        k_cache_(p.state("k_cache", s.cache_shape(), s.type)),
        v_cache_(p.state("v_cache", s.cache_shape(), s.type)),
        input_norm_(norm("input_norm", m_.hidden)),
        wq_(matrix("wq", m_.q_width(), m_.hidden)),
        wk_(matrix("wk", m_.kv_width(), m_.hidden)),
        wv_(matrix("wv", m_.kv_width(), m_.hidden)),
        wo_(matrix("wo", m_.hidden, m_.q_width())),
        post_norm_(norm("post_norm", m_.hidden)),
        w_gate_(matrix("w_gate", m_.intermediate, m_.hidden)),
        w_up_(matrix("w_up", m_.intermediate, m_.hidden)),
        w_down_(matrix("w_down", m_.hidden, m_.intermediate)),
        normed_(p.tensor("normed", {s.rows, m_.hidden}, s.type)),
        q_(p.tensor("q", {m_.kv_heads * s.rows, a_.group * m_.head_dim}, s.type)),
        attention_(p.tensor("attention", {s.rows, m_.q_width()}, s.type)),
        post_normed_(p.tensor("post_normed", {s.rows, m_.hidden}, s.type)),
        mlp_(p.tensor("mlp", {s.rows, m_.intermediate}, s.type)) {
    if (!m_.qk_norm()) return;
    q_norm_.emplace(norm("q_norm", m_.head_dim));
    k_norm_.emplace(norm("k_norm", m_.head_dim));
  }

  void write() {
    each_row_tile(p_, s_.row_tile, p_.read(counts_, {0}), [&](const Rows& r) {
      rms_norm(p_, "input_norm", normed_, hidden_, input_norm_, r, norm_of(m_));
      key_value_tasks(r);
      query_tasks(r);
    });
    const Tensor q = reshape(q_, {m_.heads * s_.rows, m_.head_dim});
    const PagedIo io{q, k_cache_, v_cache_, attention_, positions_, slots_, page_table_, causal_};
    for (Index t : p_.parallel(p_.read(counts_, {1})).named("t")) {
      const Index first = p_.let("first", p_.read(tiles_, {t, 0}));
      paged_attention(p_, a_, io, first, p_.let("count", p_.read(tiles_, {t, 1})));
    }
    each_row_tile(p_, s_.row_tile, p_.read(counts_, {0}), [&](const Rows& r) {
      projection_residual(p_, "out_proj", hidden_, attention_, r, wo_, hidden_,
                          chain_of(m_.q_width()), {columns_of(m_.hidden), 1}, Epilogue::Fused);
      rms_norm(p_, "post_norm", post_normed_, hidden_, post_norm_, r, norm_of(m_));
      swiglu(p_, mlp_, post_normed_, r, w_gate_, w_up_, chain_of(m_.hidden),
             {columns_of(m_.intermediate), 1}, SwigluForm::OneTask);
      projection_residual(p_, "down", hidden_, mlp_, r, w_down_, hidden_, chain_of(m_.intermediate),
                          {columns_of(m_.hidden), 1}, Epilogue::Fused);
    });
  }

 private:
  Tensor matrix(const char* name, int64_t out, int64_t in) {
    return p_.weight(name, {out, in}, s_.type);
  }
  Tensor norm(const char* name, int64_t width) { return p_.weight(name, {1, width}, DType::F32); }

  RopeTable rope_table(const Rows& r) const {
    const int64_t half = m_.head_dim / 2;
    const Tile cos = load_rows(cos_, r, half, 0).named("cos_rows");
    const Tile sin = load_rows(sin_, r, half, 0).named("sin_rows");
    return {{cos, cos}, {sin, sin}};
  }

  // Head `head` of a tile of projection sums, [rows, D].
  Tile rotated(const Tile& sums, int64_t head, const Rows& r, const RopeTable& t,
               const std::optional<Tensor>& gamma) const {
    const int64_t half = m_.head_dim / 2;
    const Tile low = columns(sums, r, half, head * m_.head_dim);
    const Halves u{low, columns(sums, r, half, head * m_.head_dim + half)};
    return joined(rotate(gamma ? normalise_heads(u, *gamma, m_.rms_norm_eps) : u, t), s_.type);
  }

  // Q lies by KV head, row and Q head of the group, so that a task of attention reads one block.
  void query_tasks(const Rows& r) {
    const int64_t heads = heads_of_block(m_.heads, m_.head_dim);
    const int64_t n = heads * m_.head_dim;
    block_tasks(p_, "q_rope", m_.heads / heads, 1, [&](const Index& block) {
      const Tile sums = project(p_, normed_, r, wq_, block * n, n, chain_of(m_.hidden));
      const RopeTable table = rope_table(r);
      for (int64_t i = 0; i < heads; ++i) {
        const Index head = block * heads + i;
        assemble(q_, rotated(sums, i, r, table, q_norm_),
                 {head / a_.group * s_.rows + r.first, head % a_.group * m_.head_dim});
      }
    });
  }

  void key_value_tasks(const Rows& r) {
    const int64_t heads = heads_of_block(m_.kv_heads, m_.head_dim);
    const int64_t n = heads * m_.head_dim;
    block_tasks(p_, "kv_rope", m_.kv_heads / heads, 1, [&](const Index& block) {
      const auto sums = project(p_, rows_of(normed_, r, chain_of(m_.hidden).k_tile), r, {wk_, wv_},
                                block * n, n, chain_of(m_.hidden));
      const RopeTable table = rope_table(r);
      std::vector<Tile> k, v;
      for (int64_t i = 0; i < heads; ++i) {
        k.push_back(rotated(sums[0], i, r, table, k_norm_).named("k_rows"));
        v.push_back(as_type(columns(sums[1], r, m_.head_dim, i * m_.head_dim), s_.type));
      }
      for (Index row : p_.range(r.valid).named("row")) {
        const Index cache_row = p_.let("cache_row", p_.read(cache_rows_, {r.first + row}));
        for (int64_t i = 0; i < heads; ++i) {
          const Index at = cache_row + (block * heads + i) * a_.page;
          const auto at_i = static_cast<std::size_t>(i);
          assemble(k_cache_, slice(k[at_i], {1, m_.head_dim}, {row, 0}), {at, 0});
          assemble(v_cache_, slice(v[at_i], {1, m_.head_dim}, {row, 0}), {at, 0});
        }
      }
    });
  }

  Builder& p_;
  const StepSizes& s_;
  const checkpoint::ModelConfig& m_;
  PagedAttention a_;
  Tensor hidden_, counts_, tiles_, positions_, slots_, cache_rows_, page_table_, cos_, sin_,
      causal_, k_cache_, v_cache_;
  Tensor input_norm_, wq_, wk_, wv_, wo_, post_norm_, w_gate_, w_up_, w_down_;
  Tensor normed_, q_, attention_, post_normed_, mlp_;
  std::optional<Tensor> q_norm_, k_norm_;
};

}  // namespace

int64_t StepSizes::padded_vocab() const {
  return (model.vocab + kColumns - 1) / kColumns * kColumns;
}

PagedAttention StepSizes::attention() const {
  const int64_t group = model.heads / model.kv_heads;
  return {.kv_heads = model.kv_heads,
          .group = group,
          .head_dim = model.head_dim,
          .rows = rows,
          .row_tile = std::clamp<int64_t>(kAttentionRows / group, 1, rows),
          .page = page};
}

ir::Program layer_program(const StepSizes& s) {
  Builder p("whole/layer");
  Layer(p, s).write();
  return p.finish();
}

ir::Program head_program(const StepSizes& s) {
  Builder p("whole/head");
  const checkpoint::ModelConfig& m = s.model;
  const Tensor counts = p.input("counts", {1}, DType::I32);
  const Tensor hidden = p.input("hidden", {s.rows, m.hidden}, DType::F32);
  const Tensor gamma = p.weight("final_norm", {1, m.hidden}, DType::F32);
  const Tensor w = p.weight("lm_head", {s.padded_vocab(), m.hidden}, s.type);
  // Rows beyond the count are left as they are.
  const Tensor logits =
      p.param("logits", {s.rows, s.padded_vocab()}, DType::F32, Direction::InOut, Role::Activation);
  const Tensor normed = p.tensor("normed", {s.rows, m.hidden}, s.type);
  each_row_tile(p, s.row_tile, p.read(counts, {0}), [&](const Rows& rows) {
    rms_norm(p, "final_norm", normed, hidden, gamma, rows, norm_of(m));
    projection(p, "lm_head", logits, normed, rows, w, chain_of(m.hidden), {kColumns, kHeadBlocks});
  });
  return p.finish();
}

}  // namespace tilewright::models::transformer
