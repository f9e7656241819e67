#include "tilewright/programs/attention.h"

#include <cmath>

namespace tilewright::programs {

using namespace dsl;

SoftmaxWeights softmax_block(const Tile& scaled_scores, DType dtype) {
  const Tile m = row_max(scaled_scores);
  const Tile e = as_type(exp(row_expand_sub(scaled_scores, m)), dtype).named("weights");
  return {e, m, row_sum(as_type(e, DType::F32))};
}

void merge_partial(const Partial& running, const Partial& block) {
  const Tile m = maximum(running.m, block.m).named("m_new");
  const Tile alpha = exp(sub(running.m, m)).named("alpha");
  const Tile beta = exp(sub(block.m, m)).named("beta");
  const Tile old_l = mul(alpha, running.l);
  assign(running.l, add(old_l, mul(beta, block.l)));
  const Tile old_o = row_expand_mul(running.o, alpha);
  assign(running.o, add(old_o, row_expand_mul(block.o, beta)));
  assign(running.m, m);
}

namespace {

// The GM buffers between the stages of the groups of one task, a slot per context block.
struct Exchange {
  Tensor scores;   // [slots * q_stride, seq_tile] FP32
  Tensor weights;  // [slots * q_stride, seq_tile] BF16
  Tensor m, l;     // [slots * q_rows, 1] FP32
  Tensor o;        // [slots * q_stride, D] FP32
};

class Stages {
 public:
  Stages(Builder& p, const Attention& a, const AttentionIo& io, const BatchRow& c,
         const Index& first_group)
      : p_(p),
        a_(a),
        io_(io),
        c_(c),
        first_group_(first_group),
        max_blocks_((a.h.max_seq + a.seq_tile - 1) / a.seq_tile),
        blocks_(ceil_div(c.length, a.seq_tile)),
        x_(exchange()) {}

  Index batches() const { return ceil_div(blocks_, a_.block_batch); }

  void clear(const Index& batch) {
    auto core = p_.incore("clear_blocks");
    each_group([&](const Index& gi, const Index&) {
      for (Index sb : blocks_of(batch)) {
        const Index slot = gi * max_blocks_ + sb;
        const Tile scores = p_.full({a_.q_stride, a_.seq_tile}, DType::F32, 0.0);
        assemble(x_.scores, scores, {slot * a_.q_stride, 0});
        assemble(x_.weights, cast(scores, DType::BF16), {slot * a_.q_stride, 0});
        const Tile column = p_.full({a_.h.q_rows, 1}, DType::F32, 0.0);
        assemble(x_.m, column, {slot * a_.h.q_rows, 0});
        assemble(x_.l, column, {slot * a_.h.q_rows, 0});
        assemble(x_.o, p_.full({a_.q_stride, a_.h.head_dim}, DType::F32, 0.0),
                 {slot * a_.q_stride, 0});
      }
    });
  }

  void qk(const Index& batch) {
    auto core = p_.incore("qk");
    each_group([&](const Index& gi, const Index& group) {
      const Tile q = slice(io_.q, {a_.q_stride, a_.h.head_dim},
                           {(c_.b * a_.h.groups + group) * a_.q_stride, 0});
      for (Index sb : blocks_of(batch)) {
        const Tile k = load_block(io_.k_cache, group, sb);
        assemble(x_.scores, matmul(q, k, {.out_dtype = {}, .b_trans = true}),
                 {(gi * max_blocks_ + sb) * a_.q_stride, 0});
      }
    });
  }

  void softmax(const Index& batch) {
    auto core = p_.incore("softmax");
    const double scale = 1.0 / std::sqrt(static_cast<double>(a_.h.head_dim));
    each_group([&](const Index& gi, const Index&) {
      for (Index sb : blocks_of(batch)) {
        const Index slot = gi * max_blocks_ + sb;
        const Tile raw = slice(x_.scores, {a_.h.q_rows, a_.seq_tile}, {slot * a_.q_stride, 0},
                               {.valid_shape = {a_.h.q_rows, valid_rows(sb)}, .pad = Pad::Min});
        const SoftmaxWeights w = softmax_block(mul(fillpad(raw, Pad::Min), scale));
        assemble(x_.weights, w.exponentials, {slot * a_.q_stride, 0});
        assemble(x_.m, w.m, {slot * a_.h.q_rows, 0});
        assemble(x_.l, w.l, {slot * a_.h.q_rows, 0});
      }
    });
  }

  void sv(const Index& batch) {
    auto core = p_.incore("sv");
    each_group([&](const Index& gi, const Index& group) {
      for (Index sb : blocks_of(batch)) {
        const Index row = (gi * max_blocks_ + sb) * a_.q_stride;
        // Only q_rows of the q_stride rows hold weights, and only the block's real positions count:
        // what lies beyond is never multiplied, whatever the cache holds there.
        const Tile e = slice(x_.weights, {a_.q_stride, a_.seq_tile}, {row, 0},
                             {.valid_shape = {a_.h.q_rows, valid_rows(sb)}});
        assemble(x_.o, matmul(e, load_block(io_.v_cache, group, sb)), {row, 0});
      }
    });
  }

  void merge() {
    auto core = p_.incore("merge");
    each_group([&](const Index& gi, const Index& group) {
      const Partial running = load_partial(gi * max_blocks_);
      for (Index sb : p_.range(1, blocks_).named("sb"))
        merge_partial(running, load_partial(gi * max_blocks_ + sb));
      finish(running, group);
    });
  }

  void merge_batch(const Index& batch, const Partial& gm) {
    auto core = p_.incore("merge");
    const Partial running = load_running(gm);
    for (Index sb : blocks_of(batch)) {
      const Partial block = load_partial(sb);
      {
        auto first = p_.when(sb == 0);
        assign(running.m, block.m);
        assign(running.l, block.l);
        assign(running.o, block.o);
      }
      {
        auto later = p_.otherwise();
        merge_partial(running, block);
      }
    }
    assemble(gm.m, running.m, {0, 0});
    assemble(gm.l, running.l, {0, 0});
    assemble(gm.o, running.o, {0, 0});
  }

  void divide(const Partial& gm) {
    auto core = p_.incore("normalise");
    finish(load_running(gm), first_group_);
  }

 private:
  Exchange exchange() {
    const int64_t slots = a_.groups_per_task * max_blocks_;
    return {p_.tensor("scores", {slots * a_.q_stride, a_.seq_tile}, DType::F32),
            p_.tensor("weights", {slots * a_.q_stride, a_.seq_tile}, DType::BF16),
            p_.tensor("block_m", {slots * a_.h.q_rows, 1}, DType::F32),
            p_.tensor("block_l", {slots * a_.h.q_rows, 1}, DType::F32),
            p_.tensor("block_o", {slots * a_.q_stride, a_.h.head_dim}, DType::F32)};
  }

  template <class Body>
  void each_group(Body&& body) {
    if (a_.groups_per_task == 1) return body(Index(0), first_group_);
    for (Index gi : p_.range(a_.groups_per_task).named("gi")) body(gi, first_group_ + gi);
  }

  LoopRange blocks_of(const Index& batch) {
    return p_.range(batch * a_.block_batch, min(blocks_, (batch + 1) * a_.block_batch)).named("sb");
  }

  Index valid_rows(const Index& sb) const {
    return min(Index(a_.seq_tile), c_.length - sb * a_.seq_tile);
  }

  Tile load_block(const Tensor& cache, const Index& group, const Index& sb) const {
    return slice(cache, {a_.seq_tile, a_.h.head_dim},
                 {a_.h.cache_row(c_.b, a_.h.kv_head_of(group)) + sb * a_.seq_tile, 0},
                 {.valid_shape = {valid_rows(sb), a_.h.head_dim}});
  }

  Partial load_partial(const Index& slot) const {
    return {slice(x_.m, {a_.h.q_rows, 1}, {slot * a_.h.q_rows, 0}),
            slice(x_.l, {a_.h.q_rows, 1}, {slot * a_.h.q_rows, 0}),
            slice(x_.o, {a_.h.q_rows, a_.h.head_dim}, {slot * a_.q_stride, 0})};
  }

  Partial load_running(const Partial& gm) const {
    return {slice(gm.m, {a_.h.q_rows, 1}, {0, 0}), slice(gm.l, {a_.h.q_rows, 1}, {0, 0}),
            slice(gm.o, {a_.h.q_rows, a_.h.head_dim}, {0, 0})};
  }

  void finish(const Partial& total, const Index& group) const {
    assemble(io_.out, cast(row_expand_div(total.o, total.l), DType::BF16),
             {a_.h.q_row(c_.b, group), 0});
  }

  Builder& p_;
  const Attention& a_;
  const AttentionIo& io_;
  const BatchRow& c_;
  Index first_group_;
  int64_t max_blocks_;
  Index blocks_;
  Exchange x_;
};

}  // namespace

void attention(Builder& p, const Attention& a, const AttentionIo& io, const BatchRow& c) {
  for (Index g : p.parallel(p.exact_div(a.h.groups, a.groups_per_task)).named("g")) {
    Stages stages(p, a, io, c, g * a.groups_per_task);
    for (Index batch : p.parallel(stages.batches()).named("batch")) {
      if (a.zero_fill) stages.clear(batch);
      stages.qk(batch);
      stages.softmax(batch);
      stages.sv(batch);
    }
    stages.merge();
  }
}

void attention_merging_in_gm(Builder& p, const Attention& a, const AttentionIo& io,
                             const BatchRow& c) {
  for (Index g : p.parallel(a.h.groups).named("g")) {
    Stages stages(p, a, io, c, g);
    const Partial gm{p.tensor("running_m", {a.h.q_rows, 1}, DType::F32),
                     p.tensor("running_l", {a.h.q_rows, 1}, DType::F32),
                     p.tensor("running_o", {a.h.q_rows, a.h.head_dim}, DType::F32)};
    {
      auto core = p.incore("clear_running");
      const Tile column = p.full({a.h.q_rows, 1}, DType::F32, 0.0);
      assemble(gm.m, column, {0, 0});
      assemble(gm.l, column, {0, 0});
      assemble(gm.o, p.full({a.h.q_rows, a.h.head_dim}, DType::F32, 0.0), {0, 0});
    }
    for (Index batch : p.range(stages.batches()).named("batch")) {
      if (a.zero_fill) stages.clear(batch);
      stages.qk(batch);
      stages.softmax(batch);
      stages.sv(batch);
      stages.merge_batch(batch, gm);
    }
    stages.divide(gm);
  }
}

}  // namespace tilewright::programs
