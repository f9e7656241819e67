#include "tilewright/programs/paged_attention.h"

#include <cmath>

namespace tilewright::programs {

using namespace dsl;

namespace {

constexpr float kMasked = -1e30f;  // of a score that must not count

// One task's walk over the pages of its sequence.
class Walk {
 public:
  Walk(Builder& p, const PagedAttention& a, const PagedIo& io, const Index& first,
       const Index& count, const Index& kv)
      : p_(p),
        a_(a),
        io_(io),
        first_(first),
        count_(count),
        kv_(kv),
        position_(p.let("position", p.read(io.positions, {first}))),
        slot_(p.let("slot", p.read(io.slots, {first}))),
        q_(slice(io.q, {a.row_tile * a.group, a.head_dim}, {(kv * a.rows + first) * a.group, 0},
                 {.valid_shape = {count * a.group, a.head_dim}})
               .named("q")) {}

  void go() const {
    const Partial start = one_block(0);
    // The product is born in the accumulator; the running output lives on the vector side.
    const Partial running{start.m, start.l, p_.tensor("o", start.o.shape(), DType::F32)};
    assign(running.o, start.o.named("block_o"));
    for (Index block : p_.range(1, ceil_div(position_ + count_, a_.page)).named("block"))
      merge_partial(running, one_block(block));
    write_heads(as_type(row_expand_div(running.o, running.l), io_.out.dtype()).named("heads"));
  }

 private:
  // The heads of a group lie side by side in the output. A reshape wants all of a tile.
  void write_heads(const Tile& o) const {
    const int64_t width = a_.group * a_.head_dim;
    {
      auto whole = p_.when(count_ >= a_.row_tile);
      assemble(io_.out, reshape(o, {a_.row_tile, width}), {first_, kv_ * width});
    }
    auto part = p_.when(count_ < a_.row_tile);
    for (Index i : p_.range(count_ * a_.group).named("i"))
      assemble(io_.out, slice(o, {1, a_.head_dim}, {i, 0}),
               {first_ + i / a_.group, kv_ * width + i % a_.group * a_.head_dim});
  }

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
  Index first_, count_, kv_, position_, slot_;
  Tile q_;
};

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

void paged_attention(Builder& p, const PagedAttention& a, const PagedIo& io, const Index& first,
                     const Index& count) {
  if (a.task_heads == 1) {
    for (Index kv : p.parallel(a.kv_heads).named("kv")) {
      auto core = p.incore("attention");
      Walk(p, a, io, first, count, kv).go();
    }
    return;
  }
  for (Index task : p.parallel(p.exact_div(a.kv_heads, a.task_heads)).named("task")) {
    auto core = p.incore("attention");
    for (Index i : p.range(a.task_heads).named("head"))
      Walk(p, a, io, first, count, task * a.task_heads + i).go();
  }
}

}  // namespace tilewright::programs
