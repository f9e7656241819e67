#include "tilewright/runtime/load.h"

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/checkpoint/family.h"
#include "tilewright/checkpoint/mapped_file.h"
#include "tilewright/ir/program.h"

namespace tilewright::runtime {
namespace {

using checkpoint::TensorView;

// Rows [first, last), in the element type of the array; those that are stored in it as they are.
void read_rows(const TensorView& t, HostArray& to, int64_t first, int64_t last) {
  const auto cols = static_cast<std::size_t>(t.cols());
  for (int64_t row = first; row < last; ++row) {
    const auto at = static_cast<std::size_t>(row) * cols;
    if (to.dtype() == t.type)
      std::ranges::copy(t.row_bytes(row), to.data() + bytes_of(to.dtype(), row * t.cols()));
    else if (to.dtype() == DType::BF16)
      read_row_bf16(t, row, to.as<uint16_t>().subspan(at, cols));
    else
      read_row(t, row, to.as<float>().subspan(at, cols));
  }
}

// Whether a weight can be packed from the file's own bytes: they are of the parameter's type, in
// its order, and elements of 16 bits lie at even addresses. Packing fills up missing rows.
bool can_be_read_in_place(const TensorView& t, const ir::Var& v) {
  return t.type == v.dtype && t.interleaved_head_dim == 0 && t.parts.empty() &&
         reinterpret_cast<std::uintptr_t>(t.bytes.data()) % 2 == 0;
}

}  // namespace

int64_t BoundWeights::bytes() const {
  int64_t sum = packed.bytes();
  for (const HostArray& a : arrays) sum += a.byte_size();
  return sum;
}

WeightLoader::WeightLoader(BoundProgram& program, cpu::Pool& pool,
                           std::function<void(int64_t)> loaded)
    : program_(program),
      pool_(pool),
      loaded_(std::move(loaded)),
      read_(program.program().params.size()) {}

BoundWeights WeightLoader::load(const std::vector<WeightSource>& sources) {
  const ir::Program& program = program_.program();
  BoundWeights bound;
  bound.arrays.resize(program.params.size());
  const int64_t threads = pool_.threads();
  for (const WeightSource& s : sources) {
    const std::size_t p = program_.index(s.parameter);
    const TensorView& t = *s.tensor;
    const ir::Var& v = program[program.params[p].var];
    check(v.shape.back() == t.cols() && v.shape[0] >= t.rows(), "a weight of another shape");
    check(!is_encoded(v.dtype) || v.dtype == t.type, "a weight of another encoding");
    HostArray& array = program_.packs(p) ? read_[p] : bound.arrays[p];
    if (program_.packs(p) && can_be_read_in_place(t, v)) {
      array = HostArray::borrowing(v.dtype, t.shape, t.bytes.data());
    } else {
      if (!array.data() || array.is_borrowed()) array = HostArray(v.dtype, v.shape);
      pool_.run([&](int thread) {
        read_rows(t, array, t.rows() * thread / threads, t.rows() * (thread + 1) / threads);
      });
    }
    program_.bind(s.parameter, array);
    loaded_(t.byte_size());
  }
  bound.packed = program_.pack(pool_);
  for (const WeightSource& s : sources) checkpoint::release_pages(*s.tensor);
  return bound;
}

std::vector<WeightSource> layer_sources(const checkpoint::ModelConfig& config,
                                        const checkpoint::LayerWeights& w, bool of_experts) {
  std::vector<WeightSource> sources;
  for (const checkpoint::LayerTensor& t : checkpoint::layer_tensors())
    if (t.is_in(config) && t.of_experts == of_experts) sources.push_back({t.role, &(w.*t.member)});
  return sources;
}

std::vector<WeightSource> head_sources(const checkpoint::Weights& w) {
  std::vector<WeightSource> sources;
  for (const auto* t : {&checkpoint::final_norm_tensor(), &checkpoint::lm_head_tensor()})
    sources.push_back({t->role, &(w.*t->member)});
  return sources;
}

}  // namespace tilewright::runtime
