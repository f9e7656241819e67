#include "tilewright/models/transformer/step_program.h"

#include <algorithm>
#include <map>
#include <optional>

#include "tilewright/base/check.h"
#include "tilewright/checkpoint/family.h"
#include "tilewright/ir/program.h"
#include "tilewright/models/transformer/step_cut.h"
#include "tilewright/programs/experts.h"
#include "tilewright/programs/paged_attention.h"
#include "tilewright/programs/projection.h"
#include "tilewright/programs/rms_norm.h"
#include "tilewright/programs/rope.h"
#include "tilewright/programs/swiglu.h"

namespace tilewright::models::transformer {

using namespace dsl;
using namespace programs;

namespace {

Tile columns(const Tile& x, const Rows& rows, int64_t cols, int64_t col) {
  return slice(x, {rows.tile, cols}, {0, col}, {.valid_shape = {rows.valid, cols}});
}

// The weights of the layer by role: those of its experts, or the others. Matrices are [out, in] as in
// checkpoints; what multiplies a row stays FP32.
std::map<std::string_view, Tensor> make_weights(Builder& p, const StepSizes& s, bool of_experts) {
  std::map<std::string_view, Tensor> all;
  for (const checkpoint::LayerTensor& t : checkpoint::layer_tensors()) {
    if (!t.is_in(s.model) || t.of_experts != of_experts) continue;
    const tilewright::Shape shape = t.shape(s.model);
    const DType type = t.in_f32 ? DType::F32 : s.types.weight(t.role);
    all.emplace(t.role, shape.size() == 2 ? p.weight(t.role, shape, type)
                                          : p.weight(t.role, {1, shape[0]}, DType::F32));
  }
  return all;
}

// The parameters and tensors of the layer, and its stages over one tile of rows.
class Layer {
 public:
  Layer(Builder& p, const StepSizes& s)
      : p_(p),
        s_(s),
        m_(s.model),
        cut_{s.tiles, s.model},
        a_(s.attention()),
        hidden_(m_.has_experts() ? p.input("hidden", {s.rows, m_.hidden}, DType::F32)
                                 : p.state("hidden", {s.rows, m_.hidden}, DType::F32)),
        counts_(p.input("counts", {2}, DType::I32)),
        tiles_(p.input("tiles", {s.rows, 4}, DType::I32)),
        positions_(p.input("positions", {s.rows}, DType::I32)),
        slots_(p.input("slots", {s.rows}, DType::I32)),
        cache_rows_(p.input("cache_rows", {s.rows}, DType::I32)),
        page_table_(p.input("page_table", {s.slots, s.slot_pages}, DType::I32)),
        cos_(p.input("cos", {s.rows, m_.head_dim / 2}, DType::F32)),
        sin_(p.input("sin", {s.rows, m_.head_dim / 2}, DType::F32)),
        causal_(p.input("causal", a_.causal_shape(), DType::F32)),
        k_cache_(p.state("k_cache", s.cache_shape(), s.types.cache)),
        v_cache_(p.state("v_cache", s.cache_shape(), s.types.cache)),
        weights_(make_weights(p, s, false)),
        normed_(p.tensor("normed", {s.rows, m_.hidden}, s.types.activations)),
        q_(p.tensor("q", {m_.kv_heads * s.rows, a_.group * m_.head_dim}, s.types.attention())),
        attention_(p.tensor("attention", {s.rows, m_.q_width()}, s.types.activations)),
        attended_(kept("attended", {s.rows, m_.hidden}, DType::F32)),
        post_normed_(kept("post_normed", {s.rows, m_.hidden}, s.types.activations)) {}

  void write() {
    each_row_tile(p_, s_.tiles.rows, p_.read(counts_, {0}), [&](const Rows& r) {
      rms_norm(p_, "input_norm", normed_, hidden_, weight("input_norm"), r, cut_.norm());
      key_value_tasks(r);
      query_tasks(r);
    });
    const Tensor q = reshape(q_, {m_.heads * s_.rows, m_.head_dim});
    const PagedIo io{q, k_cache_, v_cache_, attention_, positions_, slots_, page_table_, causal_};
    attention_tasks(io);
    each_row_tile(p_, s_.tiles.rows, p_.read(counts_, {0}), [&](const Rows& r) {
      // A tensor of its own: a runtime that orders whole tensors would run the tasks of a stage
      // that reads and writes the same one after the other.
      projection_residual(p_, "out_proj", attended_, attention_, r, weight("wo"), hidden_,
                          cut_.chain(m_.q_width()), cut_.blocks(m_.hidden), Epilogue::Fused);
      rms_norm(p_, "post_norm", post_normed_, attended_, weight("post_norm"), r, cut_.norm());
      if (m_.has_experts())
        choose_experts(r);
      else
        dense_mlp(r);
    });
  }

 private:
  void dense_mlp(const Rows& r) {
    const Tensor mlp = p_.tensor("mlp", {s_.rows, m_.intermediate}, s_.types.activations);
    swiglu(p_, mlp, post_normed_, r, weight("w_gate"), weight("w_up"), cut_.chain(m_.hidden),
           cut_.blocks(m_.intermediate), SwigluForm::OneTask);
    projection_residual(p_, "down", hidden_, mlp, r, weight("w_down"), attended_,
                        cut_.chain(m_.intermediate), cut_.blocks(m_.hidden), Epilogue::Fused);
  }

  // In FP32: a probability that rounding moves past another would be another expert.
  void choose_experts(const Rows& r) {
    const Experts e = s_.experts();
    const Tensor rows = p_.tensor("router_rows", {s_.rows, m_.hidden}, DType::F32);
    rms_norm(p_, "router_norm", rows, attended_, weight("post_norm"), r, cut_.norm());
    const RouterIo out{
        p_.param("chosen", e.choice_shape(), DType::I32, Direction::InOut, Role::Activation),
        p_.param("expert_weights", e.choice_shape(), DType::F32, Direction::InOut,
                 Role::Activation)};
    route(p_, e, out, rows, r, weight("w_router"), cut_.chain(m_.hidden), cut_.norm().task_rows);
  }

  // What the experts' program reads is a parameter; rows beyond those of a step stay as they are.
  Tensor kept(const char* name, const tilewright::Shape& shape, DType type) {
    return m_.has_experts() ? p_.param(name, shape, type, Direction::InOut, Role::Activation)
                            : p_.tensor(name, shape, type);
  }
  const Tensor& weight(std::string_view role) const { return weights_.at(role); }
  std::optional<Tensor> optional_weight(std::string_view role) const {
    const auto at = weights_.find(role);
    return at == weights_.end() ? std::nullopt : std::optional(at->second);
  }

  // Columns of a projection from `n0` on, with their bias where the family has one.
  Tile biased(const Tile& sums, std::string_view bias, const Index& n0) const {
    const auto b = optional_weight(bias);
    return b ? col_expand_add(sums, slice(*b, {1, sums.dim(1)}, {0, n0})) : sums;
  }

  RopeTable rope_table(const Rows& r) const {
    const int64_t half = m_.head_dim / 2;
    const Tile cos = load_rows(cos_, r, half, 0).named("cos_rows");
    const Tile sin = load_rows(sin_, r, half, 0).named("sin_rows");
    return {{cos, cos}, {sin, sin}};
  }

  // Head `head` of a tile of projection sums, [rows, D].
  Tile rotated(const Tile& sums, int64_t head, const Rows& r, const RopeTable& t,
               const std::optional<Tensor>& gamma, DType type) const {
    const int64_t half = m_.head_dim / 2;
    const Tile low = columns(sums, r, half, head * m_.head_dim);
    const Halves u{low, columns(sums, r, half, head * m_.head_dim + half)};
    return joined(rotate(gamma ? normalise_heads(u, *gamma, m_.rms_norm_eps) : u, t), type);
  }

  void attention_tasks(const PagedIo& io) {
    std::optional<Partials> partials;
    if (a_.partial_rows > 0) partials.emplace(make_partials(p_, a_));
    for (Index t : p_.parallel(p_.read(counts_, {1})).named("t")) {
      const PagedRows rows{p_.let("first", p_.read(tiles_, {t, 0})),
                           p_.let("count", p_.read(tiles_, {t, 1}))};
      if (!partials) {
        paged_attention(p_, a_, io, rows);
        continue;
      }
      const Index splits = p_.let("splits", p_.read(tiles_, {t, 2}));
      {
        auto whole = p_.when(splits == 0);
        paged_attention(p_, a_, io, rows);
      }
      auto split = p_.otherwise();
      split_attention(p_, a_, io, rows, *partials, splits,
                      p_.let("partial", p_.read(tiles_, {t, 3})));
    }
  }

  // Q lies by KV head, row and Q head of the group, so that a task of attention reads one block.
  void query_tasks(const Rows& r) {
    const int64_t heads = cut_.heads_of_block(m_.heads);
    const int64_t n = heads * m_.head_dim;
    block_tasks(p_, "q_rope", m_.heads / heads, cut_.blocks(m_.q_width(), n).per_task,
                [&](const Index& block) {
                  const Tile sums = biased(
                      project(p_, normed_, r, weight("wq"), block * n, n, cut_.chain(m_.hidden)),
                      "bq", block * n);
                  const RopeTable table = rope_table(r);
                  for (int64_t i = 0; i < heads; ++i) {
                    const Index head = block * heads + i;
                    assemble(q_,
                             rotated(sums, i, r, table, optional_weight("q_norm"),
                                     s_.types.attention()),
                             {head / a_.group * s_.rows + r.first, head % a_.group * m_.head_dim});
                  }
                });
  }

  void key_value_tasks(const Rows& r) {
    const int64_t heads = cut_.heads_of_block(m_.kv_heads);
    const int64_t n = heads * m_.head_dim;
    block_tasks(
        p_, "kv_rope", m_.kv_heads / heads, cut_.blocks(m_.kv_width(), n).per_task,
        [&](const Index& block) {
          const auto sums =
              project(p_, rows_of(normed_, r, cut_.chain(m_.hidden).k_tile), r,
                      {weight("wk"), weight("wv")}, block * n, n, cut_.chain(m_.hidden));
          const Tile k_sums = biased(sums[0], "bk", block * n);
          const Tile v_sums = biased(sums[1], "bv", block * n);
          const RopeTable table = rope_table(r);
          std::vector<Tile> k, v;
          for (int64_t i = 0; i < heads; ++i) {
            k.push_back(rotated(k_sums, i, r, table, optional_weight("k_norm"), s_.types.cache)
                            .named("k_rows"));
            v.push_back(as_type(columns(v_sums, r, m_.head_dim, i * m_.head_dim), s_.types.cache));
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
  Cut cut_;
  PagedAttention a_;
  Tensor hidden_, counts_, tiles_, positions_, slots_, cache_rows_, page_table_, cos_, sin_,
      causal_, k_cache_, v_cache_;
  std::map<std::string_view, Tensor> weights_;  // by role
  Tensor normed_, q_, attention_, attended_, post_normed_;
};

}  // namespace

PagedAttention StepSizes::attention() const {
  const int64_t group = model.heads / model.kv_heads;
  return {.kv_heads = model.kv_heads,
          .group = group,
          .head_dim = model.head_dim,
          .rows = rows,
          .row_tile = std::clamp<int64_t>(tiles.attention_rows / group, 1, rows),
          .page = page,
          .split_pages = split / page,
          .splits = splits(slot_pages * page),
          .partial_rows = partial_rows(),
          .task_heads = tiles.attention_heads};
}

// All that the rows of a step could have, but no more than 32 MiB, unless one row alone has more.
int64_t StepSizes::partial_rows() const {
  constexpr int64_t kMost = int64_t{32} << 20;
  const int64_t of_a_row = model.heads * splits(slot_pages * page);
  if (of_a_row == model.heads) return 0;  // a context of one split
  const int64_t fit = kMost / bytes_of(DType::F32, model.head_dim + 2);
  return std::clamp(fit, of_a_row, rows * of_a_row);
}

Experts StepSizes::experts() const {
  constexpr int64_t kMostRows = 64;  // more are seldom found together
  return {.count = model.experts,
          .per_row = model.experts_per_token,
          .rows = rows,
          .group_rows = std::min({tiles.rows, rows, kMostRows}),
          .hidden = model.hidden,
          .inner = model.intermediate,
          .renormalises = model.renormalises};
}

ir::Program experts_program(const StepSizes& s) {
  const Experts e = s.experts();
  const Cut cut{s.tiles, s.model};
  Builder p("whole/experts");
  const Tensor hidden = p.state("hidden", {s.rows, e.hidden}, DType::F32);
  const Tensor counts = p.input("counts", {2}, DType::I32);
  const Tensor groups = p.input("groups", e.groups_shape(), DType::I32);
  const Tensor members = p.input("members", e.members_shape(), DType::I32);
  const Tensor places = p.input("places", e.choice_shape(), DType::I32);
  const Tensor attended = p.input("attended", {s.rows, e.hidden}, DType::F32);
  const Tensor normed = p.input("post_normed", {s.rows, e.hidden}, s.types.activations);
  const Tensor shares = p.input("expert_weights", e.choice_shape(), DType::F32);
  const auto weights = make_weights(p, s, true);
  const ExpertsIo io{.out = hidden,
                     .x = normed,
                     .residual = attended,
                     .weights = reshape(shares, {s.rows * e.per_row, 1}),
                     .groups = groups,
                     .members = members,
                     .places = places,
                     .gate = weights.at("w_gate"),
                     .up = weights.at("w_up"),
                     .down = weights.at("w_down")};
  experts(p, e, io, p.let("rows", p.read(counts, {0})), p.let("group_count", p.read(counts, {1})),
          {.chain = cut.chain(e.hidden),
           .down_chain = cut.chain(e.inner),
           .blocks = cut.blocks(e.inner),
           .down_blocks = cut.blocks(e.hidden),
           .sum_rows = cut.norm().task_rows});
  return p.finish();
}

ir::Program layer_program(const StepSizes& s) {
  check(s.split % s.page == 0, "splits are whole pages");
  Builder p("whole/layer");
  Layer(p, s).write();
  return p.finish();
}

}  // namespace tilewright::models::transformer
