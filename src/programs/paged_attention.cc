#include "tilewright/programs/paged_attention.h"

#include <cmath>

namespace tilewright::programs {

using namespace dsl;

namespace {

constexpr float kMasked = -1e30f;  // of a score that must not count

// One KV head's share of some rows, and where it ends up: `total` of all their positions.
void write_heads(Builder& p, const PagedAttention& a, const PagedIo& io, const PagedRows& rows,
                 const Index& kv, const Partial& total) {
  const Tile o = as_type(row_expand_div(total.o, total.l), io.out.dtype()).named("heads");
  const int64_t width = a.group * a.head_dim;
  // The heads of a group lie side by side in the output. A reshape wants all of a tile.
  {
    auto whole = p.when(rows.count >= a.row_tile);
    assemble(io.out, reshape(o, {a.row_tile, width}), {rows.first, kv * width});
  }
  auto part = p.when(rows.count < a.row_tile);
  for (Index i : p.range(rows.count * a.group).named("i"))
    assemble(io.out, slice(o, {1, a.head_dim}, {i, 0}),
             {rows.first + i / a.group, kv * width + i % a.group * a.head_dim});
}

// One task's walk over pages of its sequence, for one KV head.
class Walk {
 public:
  Walk(Builder& p, const PagedAttention& a, const PagedIo& io, const PagedRows& rows,
       const Index& kv)
      : p_(p),
        a_(a),
        io_(io),
        count_(rows.count),
        kv_(kv),
        position_(p.let("position", p.read(io.positions, {rows.first}))),
        slot_(p.let("slot", p.read(io.slots, {rows.first}))),
        q_(slice(io.q, {a.row_tile * a.group, a.head_dim},
                 {(kv * a.rows + rows.first) * a.group, 0},
                 {.valid_shape = {count_ * a.group, a.head_dim}})
               .named("q")) {}

  Partial all() const {
    const Partial total = split(0);
    if (a_.splits > 1)
      for (Index s : p_.range(1, ceil_div(pages(), a_.split_pages)).named("split"))
        merge_partial(total, split(s));
    return total;
  }

  Partial split(const Index& s) const {
    const Index first = s * a_.split_pages;
    const Partial start = one_block(first);
    // The product is born in the accumulator; the running output lives on the vector side.
    const Partial running{start.m, start.l, p_.tensor("o", start.o.shape(), DType::F32)};
    assign(running.o, start.o.named("block_o"));
    const Index last = a_.splits > 1 ? min(pages(), first + a_.split_pages) : pages();
    for (Index block : p_.range(first + 1, last).named("block"))
      merge_partial(running, one_block(block));
    return running;
  }

 private:
  Index pages() const { return ceil_div(position_ + count_, a_.page); }

  Partial one_block(const Index& block) const {
    const Index begin = block * a_.page;
    const Index row = p_.let("page_row", a_.page_row(p_.read(io_.page_table, {slot_, block}), kv_));
    const Index cols = min(Index(a_.page), position_ + count_ - begin);
    const auto load = [&](const Tensor& cache) {
      return slice(cache, {a_.page, a_.head_dim}, {row, 0}, {.valid_shape = {cols, a_.head_dim}});
    };
    const Tile scores = matmul(q_, load(io_.k_cache), {.out_dtype = {}, .b_trans = true});
    {
      // Only where the block reaches beyond the first row.
      auto beyond = p_.when(begin + cols > position_ + 1);
      const Tile mask = slice(io_.causal, {a_.row_tile * a_.group, a_.page},
                              {0, a_.causal_origin() - (position_ - begin)},
                              {.valid_shape = {count_ * a_.group, cols}});
      assign(scores, add(scores, mask));
    }
    const double scale = 1.0 / std::sqrt(static_cast<double>(a_.head_dim));
    const SoftmaxWeights w = softmax_block(mul(scores, scale), io_.q.dtype());
    return {w.m, w.l, matmul(w.exponentials, load(io_.v_cache))};
  }

  Builder& p_;
  const PagedAttention& a_;
  const PagedIo& io_;
  Index count_, kv_, position_, slot_;
  Tile q_;
};

// Calls body(KV head) for every head of a task.
template <class Body>
void each_head(Builder& p, const PagedAttention& a, const Index& task, Body&& body) {
  if (a.task_heads == 1) return body(task);
  for (Index i : p.range(a.task_heads).named("head")) body(task * a.task_heads + i);
}

LoopRange head_tasks(Builder& p, const PagedAttention& a) {
  return p.parallel(p.exact_div(a.kv_heads, a.task_heads)).named(a.task_heads == 1 ? "kv" : "task");
}

}  // namespace

HostArray causal_mask(const PagedAttention& a) {
  HostArray mask(DType::F32, a.causal_shape());
  const int64_t cols = mask.shape()[1];
  const auto values = mask.as<float>();
  for (int64_t i = 0; i < mask.size(); ++i) {
    const int64_t row = i / cols / a.group;
    if (i % cols > a.causal_origin() + row) values[static_cast<std::size_t>(i)] = kMasked;
  }
  return mask;
}

void paged_attention(Builder& p, const PagedAttention& a, const PagedIo& io,
                     const PagedRows& rows) {
  for (Index task : head_tasks(p, a)) {
    auto core = p.incore("attention");
    each_head(p, a, task, [&](const Index& kv) {
      write_heads(p, a, io, rows, kv, Walk(p, a, io, rows, kv).all());
    });
  }
}

Partials make_partials(Builder& p, const PagedAttention& a) {
  return {p.tensor("partial_m", {a.partial_rows, 1}, DType::F32),
          p.tensor("partial_l", {a.partial_rows, 1}, DType::F32),
          p.tensor("partial_o", {a.partial_rows, a.head_dim}, DType::F32)};
}

void split_attention(Builder& p, const PagedAttention& a, const PagedIo& io, const PagedRows& rows,
                     const Partials& partials, const Index& splits, const Index& partial) {
  const Index valid = rows.count * a.group;
  const auto row_of = [&](const Index& split, const Index& kv) {
    return partial + (split * a.kv_heads + kv) * valid;
  };
  for (Index task : head_tasks(p, a)) {
    for (Index s : p.parallel(splits).named("split")) {
      auto core = p.incore("attention_split");
      each_head(p, a, task, [&](const Index& kv) {
        const Partial part = Walk(p, a, io, rows, kv).split(s);
        assemble(partials.m, part.m, {row_of(s, kv), 0});
        assemble(partials.l, part.l, {row_of(s, kv), 0});
        assemble(partials.o, part.o, {row_of(s, kv), 0});
      });
    }
    auto core = p.incore("attention_merge");
    each_head(p, a, task, [&](const Index& kv) {
      const auto load = [&](const Index& s) {
        const auto part = [&](const Tensor& of, int64_t width) {
          return slice(of, {a.row_tile * a.group, width}, {row_of(s, kv), 0},
                       {.valid_shape = {valid, width}});
        };
        return Partial{part(partials.m, 1), part(partials.l, 1), part(partials.o, a.head_dim)};
      };
      const Partial total = load(0);
      for (Index s : p.range(1, splits).named("split")) merge_partial(total, load(s));
      write_heads(p, a, io, rows, kv, total);
    });
  }
}

}  // namespace tilewright::programs
