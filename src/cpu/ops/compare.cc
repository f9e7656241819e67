// Comparisons of elements, as FP32 or as integers.
#include "tilewright/base/check.h"
#include "tilewright/cpu/ops/makers.h"
#include "tilewright/cpu/ops/pairwise.h"

namespace tilewright::cpu::ops {
namespace {

bool holds(ir::Compare op, auto x, auto y) {
  switch (op) {
    case ir::Compare::Eq: return x == y;
    case ir::Compare::Ne: return x != y;
    case ir::Compare::Lt: return x < y;
    case ir::Compare::Le: return x <= y;
    case ir::Compare::Gt: return x > y;
    case ir::Compare::Ge: return x >= y;
  }
  bug("comparison");
}

class FloatCompare : public Pairwise {
 public:
  explicit FloatCompare(const OpContext& c) : Pairwise(c), op_(c.op.compare) {}
  Flow run(Frame& f) const override {
    for_each_floats(f, float_scalar(f),
                    [&](const Row& r, const float* a, int64_t a_step, const float* b,
                        int64_t b_step) {
                      for (int64_t i = 0; i < r.n; ++i)
                        r.out[i] = static_cast<std::byte>(holds(op_, a[i * a_step], b[i * b_step]));
                    });
    return Flow::Next;
  }

 private:
  ir::Compare op_;
};

class IntegerCompare : public Pairwise {
 public:
  explicit IntegerCompare(const OpContext& c) : Pairwise(c), op_(c.op.compare) {}
  Flow run(Frame& f) const override {
    combine_integers(f, [&](int64_t x, int64_t y) {
      return int64_t{common_ == DType::U64
                         ? holds(op_, static_cast<uint64_t>(x), static_cast<uint64_t>(y))
                         : holds(op_, x, y)};
    });
    return Flow::Next;
  }

 private:
  ir::Compare op_;
};

}  // namespace

StepPtr compare_step(const OpContext& c) {
  if (is_float(common_type(c))) return std::make_unique<FloatCompare>(c);
  return std::make_unique<IntegerCompare>(c);
}

}  // namespace tilewright::cpu::ops
