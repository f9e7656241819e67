// Many layers, one after the other: the weights and caches of all layers lie under each other in one
// tensor each, and a loop over the layers takes its part of them.
#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

using namespace dsl;
using namespace programs;

namespace {

// A parameter of every layer: `rows` rows each.
struct Stacked {
  Tensor all;
  int64_t rows, cols;

  Tensor of(const Index& layer) const { return slice(all, {rows, cols}, {layer * rows, 0}); }
};

class StackParams {
 public:
  StackParams(Builder& p, const Choice& c)
      : p_(p),
        layers_(c.tiling.layers),
        hidden(p.input("hidden_states", {c.tiling.batch, c.model.hidden}, DType::BF16)),
        gamma(weight("input_rms_weight", 1, c.model.hidden, DType::F32)),
        wq(weight("wq", c.model.hidden, c.model.q_width())),
        wk(weight("wk", c.model.hidden, c.model.kv_width())),
        wv(weight("wv", c.model.hidden, c.model.kv_width())),
        q_gamma(head_weight("q_norm_weight", c)),
        k_gamma(head_weight("k_norm_weight", c)),
        seq_lens(p.input("seq_lens", {c.tiling.batch}, DType::I32)),
        cos(p.weight("rope_cos", {c.tiling.max_seq, c.model.head_dim}, DType::F32)),
        sin(p.weight("rope_sin", {c.tiling.max_seq, c.model.head_dim}, DType::F32)),
        k_cache(cache("k_cache", c)),
        v_cache(cache("v_cache", c)),
        wo(weight("wo", c.model.q_width(), c.model.hidden)),
        post_gamma(weight("post_rms_weight", 1, c.model.hidden, DType::F32)),
        w_gate(weight("w_gate", c.model.hidden, c.model.intermediate)),
        w_up(weight("w_up", c.model.hidden, c.model.intermediate)),
        w_down(weight("w_down", c.model.intermediate, c.model.hidden)),
        out(p.output("out", {c.tiling.batch, c.model.hidden}, DType::BF16)) {}

 private:
  Stacked weight(const char* name, int64_t rows, int64_t cols, DType dtype = DType::BF16) {
    return {p_.weight(name, {layers_ * rows, cols}, dtype), rows, cols};
  }
  std::optional<Stacked> head_weight(const char* name, const Choice& c) {
    if (!c.qk_norm) return std::nullopt;
    return weight(name, 1, c.model.head_dim, DType::F32);
  }
  Stacked cache(const char* name, const Choice& c) {
    const int64_t rows = c.tiling.batch * c.model.kv_heads * c.tiling.max_seq;
    return {p_.state(name, {layers_ * rows, c.model.head_dim}, DType::BF16), rows, c.model.head_dim};
  }

  Builder& p_;
  int64_t layers_;

 public:
  Tensor hidden;
  Stacked gamma, wq, wk, wv;
  std::optional<Stacked> q_gamma, k_gamma;
  Tensor seq_lens, cos, sin;
  Stacked k_cache, v_cache, wo, post_gamma, w_gate, w_up, w_down;
  Tensor out;
};

// Whole rows of one tensor into another.
void copy_rows(Builder& p, const Choice& c, const char* name, const Tensor& to, const Tensor& from) {
  const int64_t columns = c.tiling.norm_k;
  each_row_tile(p, c, [&](const Rows& rows) {
    auto core = p.incore(name);
    for (Index k : p.range(c.model.hidden / columns).named("k"))
      assemble(to, load_rows(from, rows, columns, k * columns), {rows.first, k * columns});
  });
}

ir::Program build_stack(const Choice& c) {
  Builder p("qwen3/stack");
  const StackParams in(p, c);
  const int64_t batch = c.tiling.batch;
  const int64_t hidden = c.model.hidden;
  // The residual stream before every layer, and after the last.
  const Tensor stream = p.tensor("stream", {(c.tiling.layers + 1) * batch, hidden}, DType::BF16);
  copy_rows(p, c, "enter", slice(stream, {batch, hidden}, {0, 0}), in.hidden);
  for (Index l : p.range(c.tiling.layers).named("layer")) {
    const Tensor before = slice(stream, {batch, hidden}, {l * batch, 0});
    const Tensor after = slice(stream, {batch, hidden}, {(l + 1) * batch, 0});
    const auto gamma_of = [&](const std::optional<Stacked>& s) {
      return s ? std::optional<Tensor>(s->of(l)) : std::nullopt;
    };
    const Qkv qkv = qkv_tensors(p, c);
    const Tensor attn_out = attention_tensor(p, c);
    scope1(p, c, {before, in.gamma.of(l), in.wq.of(l), in.wk.of(l), in.wv.of(l)}, qkv);
    scope2(p, c, qkv,
           {gamma_of(in.q_gamma), gamma_of(in.k_gamma), in.seq_lens, in.cos, in.sin,
            in.k_cache.of(l), in.v_cache.of(l)},
           attn_out);
    scope3(p, c, attn_out, before,
           {in.wo.of(l), in.post_gamma.of(l), in.w_gate.of(l), in.w_up.of(l), in.w_down.of(l), after});
  }
  copy_rows(p, c, "leave", in.out, slice(stream, {batch, hidden}, {c.tiling.layers * batch, 0}));
  return p.finish();
}

// A BF16 step in the output of one layer moves everything after it, by about 0.5 % of what a layer
// adds; in random directions, so that it grows with the square root of the layers, to 1 % after 8.
// The largest of a million random errors is five times their RMS: 0.02 where values are about 0.4,
// 0.1 for K, whose RMS is 1.8. A mistake moves values by tens of percent.
constexpr catalog::Tolerance kStackTolerance{2e-2, 2e-2};
constexpr catalog::Tolerance kStackKeyTolerance{2e-2, 0.1};

}  // namespace

catalog::ProgramDef stack_program() {
  catalog::ProgramDef def =
      define({.name = "qwen3/stack",
              .summary = "one decode step through several layers",
              .default_shape = "qwen3-32b",
              .tiling = {.groups = kRun | kStackKeys | kContext | kProjectionKeys | kGroupKeys |
                                   kStagedKeys | kScope3Keys},
              .build = build_stack,
              .inputs = decode_inputs,
              .reference = reference::stack,
              .tolerance = kStackTolerance});
  def.tolerances["k_cache"] = kStackKeyTolerance;
  return def;
}

}  // namespace tilewright::models::qwen3
