#include "tilewright/runtime/load.h"

#include "tilewright/base/check.h"

namespace tilewright::runtime {
namespace {

using checkpoint::TensorView;

// Rows [first, last), in the element type of the array.
void read_rows(const TensorView& t, HostArray& to, int64_t first, int64_t last) {
  const auto cols = static_cast<std::size_t>(t.cols());
  for (int64_t row = first; row < last; ++row) {
    const auto at = static_cast<std::size_t>(row) * cols;
    if (to.dtype() == DType::BF16)
      read_row_bf16(t, row, to.as<uint16_t>().subspan(at, cols));
    else
      read_row(t, row, to.as<float>().subspan(at, cols));
  }
}

HostArray read_weight(const ir::Var& v, const TensorView& t, cpu::Pool& pool) {
  check(v.shape.back() == t.cols() && v.shape[0] >= t.rows(), "a weight of another shape");
  HostArray array(v.dtype, v.shape);
  const int64_t threads = pool.threads();
  pool.run([&](int thread) {
    read_rows(t, array, t.rows() * thread / threads, t.rows() * (thread + 1) / threads);
  });
  return array;
}

}  // namespace

BoundWeights load_weights(Stage& stage, const std::vector<WeightSource>& sources, cpu::Pool& pool,
                          const std::function<void(int64_t)>& loaded) {
  const ir::Program& program = stage.program();
  BoundWeights bound;
  bound.arrays.resize(program.params.size());
  for (const WeightSource& s : sources) {
    const std::size_t p = stage.index(s.parameter);
    bound.arrays[p] = read_weight(program[program.params[p].var], *s.tensor, pool);
    stage.bind(s.parameter, bound.arrays[p]);
    loaded(static_cast<int64_t>(s.tensor->bytes.size()));
  }
  bound.packed = stage.pack(pool);
  return bound;
}

std::vector<WeightSource> layer_sources(const checkpoint::LayerWeights& w) {
  std::vector<WeightSource> sources{
      {"input_norm", &w.input_norm}, {"wq", &w.q},           {"wk", &w.k},
      {"wv", &w.v},                  {"wo", &w.o},           {"post_norm", &w.post_norm},
      {"w_gate", &w.gate},           {"w_up", &w.up},        {"w_down", &w.down}};
  if (!w.q_norm.name.empty()) {
    sources.push_back({"q_norm", &w.q_norm});
    sources.push_back({"k_norm", &w.k_norm});
  }
  return sources;
}

std::vector<WeightSource> head_sources(const checkpoint::Weights& w) {
  return {{"final_norm", &w.final_norm}, {"lm_head", &w.lm_head}};
}

}  // namespace tilewright::runtime
