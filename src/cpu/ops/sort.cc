// Family sort: (value, index) pairs in interleaved lanes, and gathers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tilewright/base/diagnostic.h"
#include "tilewright/cpu/ops/layout.h"
#include "tilewright/cpu/ops/makers.h"
#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/cpu/ops/tile_scalar.h"
#include "tilewright/ir/program.h"

namespace tilewright::cpu::ops {
namespace {

// Descending, NaN first.
bool before(float a, float b) { return std::isnan(a) ? !std::isnan(b) : a > b; }

class SortStep : public Step {
 public:
  explicit SortStep(const OpContext& c)
      : op_(c.op), dst_(c.dst), args_(c.args), strides_(dense_strides(dst_.rank, dst_.shape)) {}

 protected:
  View& result(Frame& f, const Dims& valid) const { return make_tile(f, dst_, strides_, valid); }
  const View& arg(const Frame& f, std::size_t n) const { return f.views[args_[n].var]; }
  const std::byte* at(const Frame& f, std::size_t n, int64_t row, int64_t col) const {
    const View& v = arg(f, n);
    return v.data + (row * v.stride[0] + col * v.stride[1]) * args_[n].bytes;
  }
  float number(const Frame& f, std::size_t n, int64_t row, int64_t col) const {
    float x = 0;
    std::memcpy(&x, at(f, n, row, col), sizeof x);
    return x;
  }

  const ir::Op& op_;
  Operand dst_;
  std::vector<Operand> args_;
  Dims strides_;
};

class Arange : public SortStep {
 public:
  explicit Arange(const OpContext& c) : SortStep(c), start_(c) {}
  Flow run(Frame& f) const override {
    const View& to = result(f, dst_.shape);
    const auto start = static_cast<uint64_t>(start_.as_whole(f));
    for (int64_t i = 0; i < dst_.elements(); ++i) {
      const int64_t v = wrapped(dst_.dtype, static_cast<int64_t>(start + static_cast<uint64_t>(i)));
      store_integers(dst_.dtype, &v, to.data + i * dst_.bytes, 1, 1);
    }
    return Flow::Next;
  }

 private:
  TileScalar start_;
};

class Sort32 : public SortStep {
 public:
  using SortStep::SortStep;
  Flow run(Frame& f) const override {
    constexpr int64_t kRun = 32;
    const Dims shape = args_[0].shape;
    auto* out = reinterpret_cast<uint32_t*>(result(f, dst_.shape).data);
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t first = 0; first < shape[1]; first += kRun) {
        std::array<int64_t, kRun> order;
        for (int64_t i = 0; i < kRun; ++i) order[static_cast<std::size_t>(i)] = first + i;
        std::ranges::sort(order, [&](int64_t p, int64_t q) {
          const float x = number(f, 0, row, p);
          const float y = number(f, 0, row, q);
          return before(x, y) || (!before(y, x) && p < q);
        });
        for (const int64_t from : order) {
          std::memcpy(out++, at(f, 0, row, from), sizeof(uint32_t));
          std::memcpy(out++, at(f, 1, row, from), sizeof(uint32_t));
        }
      }
    return Flow::Next;
  }
};

class MergeSort : public SortStep {
 public:
  using SortStep::SortStep;
  Flow run(Frame& f) const override {
    const View& to = result(f, dst_.shape);
    auto* out = reinterpret_cast<float*>(to.data);
    for (int64_t row = 0; row < args_[0].shape[0]; ++row) {
      if (args_.size() == 2) {
        out =
            merged(f, row,
                   {Run{0, 0, args_[0].shape[1]}, Run{1, 0, args_[1].shape[1]}, Run{}, Run{}}, out);
        continue;
      }
      const int64_t cols = args_[0].shape[1];
      const int64_t length = op_.block_length;
      for (int64_t first = 0; first < cols; first += 4 * length) {
        std::array<Run, 4> runs{};
        for (int64_t k = 0; k < 4 && first + k * length < cols; ++k)
          runs[static_cast<std::size_t>(k)] = {0, first + k * length, first + (k + 1) * length};
        out = merged(f, row, runs, out);
      }
    }
    return Flow::Next;
  }

 private:
  struct Run {
    std::size_t arg = 0;
    int64_t at = 0, end = 0;
  };
  // The best head again and again; of equal ones that of the earlier run.
  float* merged(const Frame& f, int64_t row, std::array<Run, 4> runs, float* out) const {
    for (;;) {
      Run* best = nullptr;
      for (Run& r : runs)
        if (r.at < r.end &&
            (!best || before(number(f, r.arg, row, r.at), number(f, best->arg, row, best->at))))
          best = &r;
      if (!best) return out;
      *out++ = number(f, best->arg, row, best->at);
      *out++ = number(f, best->arg, row, best->at + 1);
      best->at += 2;
    }
  }
};

class GatherMask : public SortStep {
 public:
  using SortStep::SortStep;
  Flow run(Frame& f) const override {
    const Dims from = arg(f, 0).valid;
    const View& to = result(f, {from[0], from[1] / 2});
    const int64_t lane = op_.mask == ir::MaskPattern::P0101 ? 0 : 1;
    for (int64_t row = 0; row < from[0]; ++row)
      for (int64_t i = 0; i < from[1] / 2; ++i)
        std::memcpy(to.data + (row * strides_[0] + i) * dst_.bytes, at(f, 0, row, 2 * i + lane),
                    static_cast<std::size_t>(dst_.bytes));
    return Flow::Next;
  }
};

class ScatterMask : public LayoutStep {
 public:
  explicit ScatterMask(const OpContext& c)
      : LayoutStep(c), lane_(c.op.mask == ir::MaskPattern::P0101 ? 0 : 1) {}
  Flow run(Frame& f) const override {
    const View from = arg(f, 0);
    const View old = arg(f, 1);
    const View& to = result(f, old.valid);
    copy_rows(old, 1, to.data);
    for (int64_t row = 0; row < from.valid[0]; ++row)
      for (int64_t i = 0; i < from.valid[1]; ++i)
        std::memcpy(to.data + (row * strides_[0] + 2 * i + lane_) * dst_.bytes,
                    from.data + (row * from.stride[0] + i * from.stride[1]) * dst_.bytes,
                    static_cast<std::size_t>(dst_.bytes));
    return Flow::Next;
  }

 private:
  int64_t lane_;
};

class Gather : public SortStep {
 public:
  explicit Gather(const OpContext& c)
      : SortStep(c),
        name_(c.program[c.op.args[0]].name),
        index_(c.program[c.op.args[1]].name),
        where_(where(c)) {}
  Flow run(Frame& f) const override {
    const Dims valid = arg(f, 1).valid;
    const View& to = result(f, valid);
    for (int64_t row = 0; row < valid[0]; ++row)
      for (int64_t i = 0; i < valid[1]; ++i) {
        int64_t from = 0;
        integer_row(args_[1].dtype, at(f, 1, row, i), 1, 1, &from);
        if (from < 0 || from >= args_[0].shape[1])
          program_error("bounds",
                        fmt::format("gather from {} by {}[{}, {}] = {}, but it has {} columns",
                                    name_, index_, row, i, from, args_[0].shape[1]),
                        where_, "every access stays inside its tensor",
                        "check how the indices are computed");
        std::memcpy(to.data + (row * strides_[0] + i) * dst_.bytes, at(f, 0, row, from),
                    static_cast<std::size_t>(dst_.bytes));
      }
    return Flow::Next;
  }

 private:
  std::string name_, index_, where_;
};

}  // namespace

StepPtr arange_step(const OpContext& c) { return std::make_unique<Arange>(c); }
StepPtr sort32_step(const OpContext& c) { return std::make_unique<Sort32>(c); }
StepPtr merge_sort_step(const OpContext& c) { return std::make_unique<MergeSort>(c); }
StepPtr gather_mask_step(const OpContext& c) { return std::make_unique<GatherMask>(c); }
StepPtr gather_step(const OpContext& c) { return std::make_unique<Gather>(c); }
StepPtr scatter_mask_step(const OpContext& c) { return std::make_unique<ScatterMask>(c); }

}  // namespace tilewright::cpu::ops
