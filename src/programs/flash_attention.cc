#include "tilewright/programs/flash_attention.h"

#include <cmath>

namespace tilewright::programs {

using namespace dsl;

namespace {

class Flash {
 public:
  Flash(Builder& p, const FlashAttention& f, const AttentionIo& io, const Context& c,
        const Index& group)
      : p_(p), f_(f), io_(io), c_(c), group_(group) {}

  Tile load_q() const {
    return slice(io_.q, {f_.h.q_rows, f_.h.head_dim}, {f_.h.q_row(c_.b, group_), 0});
  }

  // In a scope: blocks first .. last - 1, of which there is at least one.
  Partial walk(const Tile& q, const Index& first, const Index& last) const {
    const Partial start = block(q, first);
    // The product is born in the accumulator; the running output lives on the vector side.
    const Partial running{start.m, start.l, p_.tensor("o", start.o.shape(), DType::F32)};
    assign(running.o, start.o.named("block_o"));
    for (Index sb : staged_loop(p_, first + 1, last, f_.stages).named("sb"))
      merge_partial(running, block(q, sb));
    return running;
  }

  void finish(const Partial& total) const {
    assemble(io_.out, cast(row_expand_div(total.o, total.l), DType::BF16),
             {f_.h.q_row(c_.b, group_), 0});
  }

 private:
  Partial block(const Tile& q, const Index& sb) const {
    const Index rows = min(Index(f_.seq_tile), c_.length - sb * f_.seq_tile);
    const Index first_row = f_.h.cache_row(c_.b, f_.h.kv_head_of(group_)) + sb * f_.seq_tile;
    const SliceOptions real{.valid_shape = {rows, f_.h.head_dim}};
    const Shape shape{f_.seq_tile, f_.h.head_dim};
    const Tile k = slice(io_.k_cache, shape, {first_row, 0}, real);
    // The valid columns of the scores are the real positions: nothing to mask.
    const Tile scores = mul(matmul(q, k, {.out_dtype = {}, .b_trans = true}),
                            1.0 / std::sqrt(static_cast<double>(f_.h.head_dim)));
    const Weights w = softmax_block(scores);
    const Tile v = slice(io_.v_cache, shape, {first_row, 0}, real);
    return {w.m, w.l, matmul(w.exponentials, v)};
  }

  Builder& p_;
  const FlashAttention& f_;
  const AttentionIo& io_;
  const Context& c_;
  Index group_;
};

void whole_context(Builder& p, const FlashAttention& f, const AttentionIo& io, const Context& c) {
  for (Index group : p.parallel(f.h.groups).named("g")) {
    const Flash flash(p, f, io, c, group);
    auto core = p.incore("flash");
    flash.finish(flash.walk(flash.load_q(), 0, ceil_div(c.length, f.seq_tile)));
  }
}

void split_context(Builder& p, const FlashAttention& f, const AttentionIo& io, const Context& c) {
  const int64_t span = f.split_blocks * f.seq_tile;
  const int64_t max_splits = (f.h.max_seq + span - 1) / span;
  const Index splits = ceil_div(c.length, span);
  const Index blocks = ceil_div(c.length, f.seq_tile);
  for (Index group : p.parallel(f.h.groups).named("g")) {
    const Flash flash(p, f, io, c, group);
    const Tensor m = p.tensor("split_m", {max_splits * f.h.q_rows, 1}, DType::F32);
    const Tensor l = p.tensor("split_l", {max_splits * f.h.q_rows, 1}, DType::F32);
    const Tensor o = p.tensor("split_o", {max_splits * f.h.q_rows, f.h.head_dim}, DType::F32);
    for (Index s : p.parallel(splits).named("split")) {
      auto core = p.incore("flash_split");
      const Partial part =
          flash.walk(flash.load_q(), s * f.split_blocks, min(blocks, (s + 1) * f.split_blocks));
      assemble(m, part.m, {s * f.h.q_rows, 0});
      assemble(l, part.l, {s * f.h.q_rows, 0});
      assemble(o, part.o, {s * f.h.q_rows, 0});
    }
    auto core = p.incore("flash_merge");
    const auto load = [&](const Index& s) {
      return Partial{slice(m, {f.h.q_rows, 1}, {s * f.h.q_rows, 0}),
                     slice(l, {f.h.q_rows, 1}, {s * f.h.q_rows, 0}),
                     slice(o, {f.h.q_rows, f.h.head_dim}, {s * f.h.q_rows, 0})};
    };
    const Partial total = load(0);
    for (Index s : p.range(1, splits).named("split")) merge_partial(total, load(s));
    flash.finish(total);
  }
}

}  // namespace

void flash_attention(Builder& p, const FlashAttention& f, const AttentionIo& io, const Context& c) {
  if (f.split_blocks == 0) return whole_context(p, f, io, c);
  split_context(p, f, io, c);
}

}  // namespace tilewright::programs
