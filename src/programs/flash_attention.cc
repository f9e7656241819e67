#include "tilewright/programs/flash_attention.h"

#include <cmath>

namespace tilewright::programs {

using namespace dsl;

namespace {

constexpr double kLowest = -3e38;  // any score is above it, and exp of the difference is zero

class Flash {
 public:
  Flash(Builder& p, const FlashAttention& f, const AttentionIo& io, const BatchRow& c,
        const Index& group)
      : p_(p), f_(f), io_(io), c_(c), group_(group) {}

  Tile load_q() const {
    return slice(io_.q, {f_.h.q_rows, f_.h.head_dim}, {f_.h.q_row(c_.b, group_), 0});
  }

  // In a scope: blocks first .. last - 1, of which there is at least one.
  Partial walk(const Tile& q, const Index& first, const Index& last) const {
    return f_.ahead ? walk_ahead(q, first, last) : walk_in_turn(q, first, last);
  }

  void finish(const Partial& total) const {
    assemble(io_.out, cast(row_expand_div(total.o, total.l), DType::BF16),
             {f_.h.q_row(c_.b, group_), 0});
  }

 private:
  Partial walk_in_turn(const Tile& q, const Index& first, const Index& last) const {
    const Partial start = block(q, first);
    // The product is born in the accumulator; the running output lives on the vector side.
    const Partial running{start.m, start.l, p_.tensor("o", start.o.shape(), DType::F32)};
    assign(running.o, start.o.named("block_o"));
    for (Index sb : staged_loop(p_, first + 1, last, f_.stages).named("sb"))
      merge_partial(running, block(q, sb));
    return running;
  }

  // Carries the weights of one block into the next step. A running maximum of -inf and sums of zero
  // merge with the first block to that block itself.
  Partial walk_ahead(const Tile& q, const Index& first, const Index& last) const {
    const int64_t rows = f_.h.q_rows;
    const Partial running{p_.full({rows, 1}, DType::F32, kLowest), p_.full({rows, 1}, DType::F32, 0.0),
                          p_.full({rows, f_.h.head_dim}, DType::F32, 0.0)};
    const SoftmaxWeights carried{p_.tensor("carried", {rows, f_.seq_tile}, DType::BF16),
                          p_.tensor("carried_m", {rows, 1}, DType::F32),
                          p_.tensor("carried_l", {rows, 1}, DType::F32)};
    const auto carry_sums = [&](const SoftmaxWeights& w) {
      assign(carried.m, w.m);
      assign(carried.l, w.l);
    };
    const SoftmaxWeights start = softmax(scores(q, first));
    assign(carried.exponentials, start.exponentials);
    carry_sums(start);
    for (Index sb : staged_loop(p_, first, last - 1, f_.stages).named("sb")) {
      // Both products before either is used, and the weights on their way to the cube before the
      // merge: neither side waits for the other within a step.
      const Tile next_scores = scores(q, sb + 1);
      const Tile o = product(carried, sb);
      const SoftmaxWeights next = softmax(next_scores);
      assign(carried.exponentials, next.exponentials);
      merge_partial(running, {carried.m, carried.l, o});
      carry_sums(next);
    }
    merge_partial(running, {carried.m, carried.l, product(carried, last - 1)});
    return running;
  }

  Partial block(const Tile& q, const Index& sb) const {
    const SoftmaxWeights w = softmax(scores(q, sb));
    return {w.m, w.l, product(w, sb)};
  }

  // The valid columns of the scores are the real positions: nothing to mask.
  Tile scores(const Tile& q, const Index& sb) const {
    const Tile k = cache_block(io_.k_cache, sb);
    return matmul(q, k, {.out_dtype = {}, .b_trans = true});
  }

  SoftmaxWeights softmax(const Tile& scores) const {
    return softmax_block(mul(scores, 1.0 / std::sqrt(static_cast<double>(f_.h.head_dim))));
  }

  Tile product(const SoftmaxWeights& w, const Index& sb) const {
    return matmul(w.exponentials, cache_block(io_.v_cache, sb));
  }

  Tile cache_block(const Tensor& cache, const Index& sb) const {
    const Index rows = min(Index(f_.seq_tile), c_.length - sb * f_.seq_tile);
    const Index first_row = f_.h.cache_row(c_.b, f_.h.kv_head_of(group_)) + sb * f_.seq_tile;
    return slice(cache, {f_.seq_tile, f_.h.head_dim}, {first_row, 0},
                 {.valid_shape = {rows, f_.h.head_dim}});
  }

  Builder& p_;
  const FlashAttention& f_;
  const AttentionIo& io_;
  const BatchRow& c_;
  Index group_;
};

void whole_context(Builder& p, const FlashAttention& f, const AttentionIo& io, const BatchRow& c) {
  const auto one = [&](const Index& group) {
    const Flash flash(p, f, io, c, group);
    flash.finish(flash.walk(flash.load_q(), 0, ceil_div(c.length, f.seq_tile)));
  };
  for (Index g : p.parallel(0, f.h.groups, f.groups_per_task).named("g")) {
    auto core = p.incore("flash");
    if (f.groups_per_task == 1)
      one(g);
    else
      for (Index i : p.range(f.groups_per_task).named("gi")) one(g + i);
  }
}

void split_context(Builder& p, const FlashAttention& f, const AttentionIo& io, const BatchRow& c) {
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

void flash_attention(Builder& p, const FlashAttention& f, const AttentionIo& io, const BatchRow& c) {
  if (f.split_blocks == 0) return whole_context(p, f, io, c);
  split_context(p, f, io, c);
}

}  // namespace tilewright::programs
