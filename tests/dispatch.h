// A small mixture of experts: a task decides which expert a token goes to, and later tasks count
// the tokens of each expert, pack their rows and add them. Every loop and branch of these is
// decided by data that a task has computed. Used by the tests of every executor.
#pragma once

#include <vector>

#include "tilewright/dsl/ops.h"

namespace dispatch {

inline constexpr int64_t kTokens = 12, kChoices = 2, kExperts = 4, kRoom = 24, kWidth = 64;

// scores [tokens, choices] -> experts (0 to 3) -> counts [experts, 1], sums [experts, width].
inline void program(tilewright::dsl::Builder& p) {
  using namespace tilewright;
  using namespace tilewright::dsl;
  const Tensor scores = p.input("scores", {kTokens, kChoices}, DType::I32);
  const Tensor x = p.input("x", {kTokens, kWidth}, DType::F32);
  const Tensor counts = p.output("counts", {kExperts, 8}, DType::I32);
  const Tensor sums = p.output("sums", {kExperts, kWidth}, DType::F32);
  const Tensor experts = p.tensor("experts", {kTokens, 8}, DType::I32);
  const Tensor packed = p.tensor("packed", {kExperts * kRoom, kWidth}, DType::F32);
  {
    auto core = p.incore("route");
    const Tile padded = p.full({kTokens, 8}, DType::I32, 0);
    assemble(padded, slice(scores, {kTokens, kChoices}, {0, 0}), {0, 0});
    // Modulo the number of experts.
    assemble(experts, sub(padded, mul(div(padded, 4), 4)), {0, 0});
  }
  for (Index e : p.parallel(kExperts).named("e")) {
    auto core = p.incore("pack");
    const Index taken = p.let("taken", 0);
    for (Index t : p.range(kTokens))
      for (Index k : p.range(kChoices)) {
        auto mine = p.when(p.read(experts, {t, k}) == e);
        assemble(packed, slice(x, {1, kWidth}, {t, 0}), {e * kRoom + taken, 0});
        p.set(taken, taken + 1);
      }
    assemble(counts, p.full({1, 8}, DType::I32, Scalar(taken)), {e, 0});
  }
  for (Index e : p.parallel(kExperts).named("e")) {
    auto core = p.incore("add");
    const Tile sum = p.full({1, kWidth}, DType::F32, 0.0);
    for (Index i : p.range(min(p.read(counts, {e, 0}), kRoom)))
      assign(sum, add(sum, slice(packed, {1, kWidth}, {e * kRoom + i, 0})));
    assemble(sums, sum, {e, 0});
  }
}

struct Expected {
  std::vector<int64_t> counts;
  std::vector<float> sums;
};

// From the definition: every token's row is added to the sums of its experts, in order.
template <class Score, class Element>
Expected expected(Score score, Element x) {
  Expected out{std::vector<int64_t>(kExperts), std::vector<float>(kExperts * kWidth)};
  for (int64_t t = 0; t < kTokens; ++t)
    for (int64_t k = 0; k < kChoices; ++k) {
      const int64_t e = score(t, k) % kExperts;
      ++out.counts[static_cast<std::size_t>(e)];
      for (int64_t c = 0; c < kWidth; ++c)
        out.sums[static_cast<std::size_t>(e * kWidth + c)] += x(t, c);
    }
  return out;
}

}  // namespace dispatch
