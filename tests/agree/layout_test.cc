// Memory, layout and sort: copies, windows, views that must not be views, casts of every mode.
#include "agree.h"

namespace agree_test {
namespace {

constexpr DType kTypes[] = {DType::F32, DType::BF16, DType::F16, DType::I8,  DType::I16, DType::I32,
                            DType::I64, DType::U8,   DType::U16, DType::U32, DType::U64};

void wide(const ir::Var& v, HostArray& a) {
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>((i * 7919) % 1000) - 500;
    a.set(i, is_float(v.dtype)    ? x * 0.37
             : is_signed(v.dtype) ? static_cast<double>(static_cast<int64_t>(x) % 120)
                                  : static_cast<double>((i * 7919) % 200));
  }
}

TEST(Layout, CastsBetweenAllTypesInAllModes) {
  for (const DType from : kTypes)
    for (const DType to : kTypes)
      for (const auto mode : {ir::CastMode::Rint, ir::CastMode::Round, ir::CastMode::Floor,
                              ir::CastMode::Ceil, ir::CastMode::Trunc}) {
        if (from == to) continue;
        expect_op(
            {{from, {3, 21}}}, {to, {3, 21}},
            [&](Builder&, const auto& x) { return cast(x[0], to, mode); }, wide);
      }
}

TEST(Layout, ReshapeConcatTransposeFillpad) {
  for (const DType t : {DType::F32, DType::BF16, DType::I8}) {
    expect_op({{t, {6, 10}}}, {t, {4, 15}}, [](Builder&, const auto& x) {
      return reshape(x[0], {4, 15});
    });
    expect_op({{t, {6, 10}}}, {t, {2, 15}}, [](Builder&, const auto& x) {
      return reshape(slice(x[0], {3, 10}, {2, 0}), {2, 15});
    });
    expect_op({{t, {5, 7}}, {t, {5, 9}}}, {t, {5, 16}},
              [](Builder&, const auto& x) { return concat(x[0], x[1]); });
    expect_op({{t, {5, 7}}}, {t, {7, 5}}, [](Builder&, const auto& x) { return transpose(x[0]); });
    for (const auto pad : {Pad::Zero, Pad::Max, Pad::Min})
      expect_op({{t, {5, 9}}}, {t, {5, 9}},
                [&](Builder&, const auto& x) { return fillpad(partly(x[0], 3, 4), pad); });
  }
}

TEST(Memory, WindowsAndAdditions) {
  expect_agreement([](Builder& p) {
    const Tensor x = p.input("x", {4, 6, 20}, DType::BF16);
    const Tensor y = p.state("y", {4, 6, 20}, DType::BF16);
    for (Index i : p.parallel(3).named("i")) {
      auto core = p.incore("move");
      assemble(y, slice(x, {2, 7}, {i, 3, 5}), {i + 1, 2, 9});
    }
    for (Index i : p.range(3).named("i")) {
      auto core = p.incore("add");
      assemble_add(y, slice(x, {2, 7}, {i, 3, 5}), {0, 1, 4});
    }
  });
}

TEST(Layout, AReshapeThatDropsOnesKeepsTheValidBlock) {
  expect_agreement([](Builder& p) {
    const Tensor x = p.input("x", {1, 6, 16}, DType::F32);
    const Tensor y = p.state("y", {6, 16}, DType::F32);
    auto core = p.incore("body");
    const Tile part = slice(x, {1, 6, 16}, {0, 0, 0}, {.valid_shape = {1, 4, 11}});
    assemble(y, reshape(mul(part, 2.0), {6, 16}), {0, 0});
    assemble(y, reshape(mul(reshape(part, {6, 1, 16}), 3.0), {6, 16}), {1, 5});
  });
}

TEST(Memory, LoadTransposed) {
  expect_op(
      {{DType::BF16, {8, 24}}, {DType::BF16, {5, 8}}}, {DType::F32, {5, 12}},
      [](Builder&, const auto& x) {
        const Tile b = load(x[0], {0, 6}, {12, 8}, {.target = MemorySpace::Mat, .transpose = true});
        return matmul(x[1], b, {.b_trans = true});
      });
}

// A slice keeps the values it was made from, whatever is written to its source afterwards.
TEST(Memory, SlicesAreValues) {
  expect_agreement([](Builder& p) {
    const Tensor x = p.input("x", {4, 8}, DType::F32);
    const Tensor y = p.state("y", {4, 8}, DType::F32);
    auto core = p.incore("body");
    const Tile before = slice(y, {4, 8}, {0, 0});
    const Tile work = p.tensor("work", {4, 8}, DType::F32);
    assign(work, add(x, 1.0));
    const Tile kept = slice(work, {2, 8}, {1, 0});
    assemble(work, mul(slice(x, {2, 8}, {0, 0}), 5.0), {1, 0});
    assemble(y, add(work, before), {0, 0});
    assemble(y, kept, {0, 0});
    assemble(y, slice(before, {1, 8}, {3, 0}), {2, 0});
  });
}

// The same in a loop: the slice of one trip is overwritten in the next.
TEST(Memory, SlicesOfWhatALoopChanges) {
  expect_agreement([](Builder& p) {
    const Tensor x = p.input("x", {4, 8}, DType::F32);
    const Tensor y = p.state("y", {4, 8}, DType::F32);
    auto core = p.incore("body");
    const Tile sum = p.tensor("sum", {1, 8}, DType::F32);
    assign(sum, slice(x, {1, 8}, {0, 0}));
    const Tile first = slice(sum, {1, 8}, {0, 0});
    for (Index i : p.range(4).named("i")) {
      const Tile old = slice(sum, {1, 4}, {0, 0});
      assign(sum, add(sum, slice(x, {1, 8}, {i, 0})));
      assemble(y, old, {i, 0});
      assemble(y, slice(first, {1, 4}, {0, 0}), {i, 4});
    }
  });
}

// A task that reads and writes the same memory through two names.
TEST(Memory, ArgumentsThatShareMemory) {
  expect_agreement([](Builder& p) {
    const Tensor y = p.state("y", {4, 8}, DType::F32);
    const Tensor top = slice(y, {2, 8}, {0, 0});
    const Tensor all = reshape(y, {2, 16});
    auto core = p.incore("swap");
    const Tile old = slice(top, {2, 8}, {0, 0});
    assemble(all, slice(all, {1, 16}, {1, 0}), {0, 0});
    assemble(all, reshape(old, {1, 16}), {1, 0});
  });
}

TEST(Sort, PairsAndGathers) {
  expect_op({{DType::F32, {3, 128}}}, {DType::F32, {3, 128}}, [](Builder& p, const auto& x) {
    const Tile row = p.arange(0, {1, 128}, DType::I32);
    const Tile index = p.tensor("index", {3, 128}, DType::I32);
    for (int64_t r = 0; r < 3; ++r) assemble(index, row, {r, 0});
    const Tile sorted = mrgsort(sort32(x[0], index), 64);
    return gather_mask(sorted, ir::MaskPattern::P0101, DType::F32);
  });
  expect_op({{DType::BF16, {3, 20}}, {DType::I32, {3, 7}}}, {DType::BF16, {3, 7}},
            [](Builder&, const auto& x) { return gather(x[0], x[1]); });
}

TEST(Sort, ScatterIsTheInverseOfAGatherByMask) {
  for (const DType t : {DType::F32, DType::BF16, DType::I8})
    expect_op({{t, {3, 20}}}, {t, {3, 20}}, [&](Builder& p, const auto& x) {
      const Tile even = gather_mask(x[0], ir::MaskPattern::P0101, t);
      const Tile odd = gather_mask(x[0], ir::MaskPattern::P1010, t);
      const Tile swapped = scatter_mask(odd, ir::MaskPattern::P0101, p.full({3, 20}, t, 0));
      return scatter_mask(even, ir::MaskPattern::P1010, swapped);
    });
}

}  // namespace
}  // namespace agree_test
