// What spec functions compute with torch, against numbers worked out by hand.
#include <gtest/gtest.h>

#include "support.h"
#include "tilewright/base/text.h"

namespace frontend_test {
namespace {

using Kind = frontend::Initialiser::Kind;
using Numbers = std::vector<double>;

// The elements that a body of Python returns.
Numbers made_by(const std::string& body) {
  const auto l = lower(
      "def f():\n" + indented(body, 4) +
      "@pl.jit\ndef p(x: pl.Tensor, y: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    return y\n"
      "def specs():\n    t = f()\n"
      "    return [TensorSpec(\"x\", list(t.shape), torch.float32, init_value=t)]\n");
  EXPECT_EQ(l.program.diagnostics.text(), "") << body;
  const auto it = l.inputs.find("x");
  if (it == l.inputs.end()) return {};
  const frontend::Initialiser& i = it->second;
  if (i.kind == Kind::Values) return *i.values;
  if (i.kind == Kind::Constant) return {i.scale * i.shift};
  Numbers out;
  for (int64_t k = 0; i.kind == Kind::Counting && k < element_count(l.program[*l.program.find("x")].shape);
       ++k)
    out.push_back(i.scale * (static_cast<double>(k) + i.shift));
  return out;
}

struct TorchCase {
  const char* body;
  Numbers want;
};

void expect_made(const std::vector<TorchCase>& cases) {
  for (const TorchCase& c : cases)
    EXPECT_EQ(made_by(c.body + std::string("\n")), c.want) << c.body;
}

TEST(Torch, MakesTensors) {
  expect_made({{"return torch.arange(2, 10, 3)", {2, 5, 8}},
               {"return torch.arange(4, dtype=torch.int32)", {0, 1, 2, 3}},
               {"return torch.linspace(0, 1, steps=5)", {0, .25, .5, .75, 1}},
               {"return torch.eye(2)", {1, 0, 0, 1}},
               {"t = torch.ones(2)\nreturn torch.tensor([t.dtype == torch.float32, t.to(torch.int8).dtype "
                "!= torch.int8])",
                {1, 0}},
               {"return torch.full((3,), 7) + torch.zeros_like(torch.ones(3))", {7, 7, 7}},
               {"return torch.tensor([torch.finfo(torch.float16).max, torch.iinfo(torch.int8).min])",
                {65504, -128}},
               {"return torch.sort(torch.randperm(5)).values", {0, 1, 2, 3, 4}}});
}

TEST(Torch, ComputesElementByElementWithBroadcasting) {
  expect_made({{"return torch.tensor([[1, 2], [3, 4]]) * torch.tensor([10, 100])", {10, 200, 30, 400}},
               {"return torch.tensor([1, 2]).unsqueeze(1) + torch.tensor([10, 20, 30])",
                {11, 21, 31, 12, 22, 32}},
               {"return torch.tensor([7, -7]) // 2", {3, -4}},
               {"return torch.tensor([7, -7]) % 4", {3, 1}},
               {"return torch.tensor([7.9, -7.9]).to(torch.int32)", {7, -7}},
               {"return torch.round(torch.tensor([0.5, 1.5, 2.5]))", {0, 2, 2}},
               {"return (torch.tensor([1, 2, 3]) > 1).to(torch.int32)", {0, 1, 1}},
               {"return torch.where(torch.tensor([1, 2, 3]) == 2, 9, torch.tensor([4, 5, 6]))", {4, 9, 6}},
               {"return torch.maximum(torch.tensor([1, 5]), torch.tensor([3, 2]))", {3, 5}},
               {"return torch.tensor([-2, 0, 8]).clamp(min=0, max=5)", {0, 0, 5}},
               {"return (~torch.tensor([True, False])).int() + 2", {2, 3}},
               {"return torch.tensor([5, 6]) & 3", {1, 2}}});
}

TEST(Torch, MovesElements) {
  expect_made({{"return torch.arange(6).reshape(2, 3).t()", {0, 3, 1, 4, 2, 5}},
               {"return torch.arange(6).view(1, 2, 3).permute(2, 0, 1)", {0, 3, 1, 4, 2, 5}},
               {"return torch.cat([torch.arange(4).view(2, 2), torch.tensor([[8], [9]])], dim=1)",
                {0, 1, 8, 2, 3, 9}},
               {"return torch.cat([torch.tensor([1]), torch.tensor([2, 3])])", {1, 2, 3}},
               {"return torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)", {1, 3, 2, 4}},
               {"return torch.tensor([1, 2]).repeat(2)", {1, 2, 1, 2}},
               {"return torch.tensor([1, 2]).repeat_interleave(2)", {1, 1, 2, 2}},
               {"return torch.tensor([[1], [2]]).expand(2, 2)", {1, 1, 2, 2}},
               {"return torch.arange(4).flip(0)", {3, 2, 1, 0}},
               {"return torch.roll(torch.arange(4), 1)", {3, 0, 1, 2}},
               {"a, b = torch.arange(6).split([2, 4])\nreturn b", {2, 3, 4, 5}},
               {"return torch.tensor([[1, 2], [3, 4]]).gather(1, torch.tensor([[1], [0]]))", {2, 3}},
               {"return torch.ones(2, 2).tril()", {1, 0, 1, 1}}});
}

TEST(Torch, ReducesSortsAndCounts) {
  expect_made({{"return torch.tensor([[1, 5], [7, 2]]).amax(dim=1, keepdim=True)", {5, 7}},
               {"return torch.tensor([[1, 5], [7, 2]]).sum(dim=0)", {8, 7}},
               {"v, i = torch.tensor([[1, 5], [7, 2]]).max(dim=1)\nreturn i", {1, 0}},
               {"return torch.tensor([3, 1, 2]).argsort()", {1, 2, 0}},
               {"return torch.topk(torch.tensor([3, 1, 2]), 2).indices", {0, 2}},
               {"return torch.tensor([1, 2, 3]).cumsum(0)", {1, 3, 6}},
               {"return torch.bincount(torch.tensor([0, 2, 2]), minlength=4)", {1, 0, 2, 0}},
               {"return torch.unique(torch.tensor([3, 1, 3]))", {1, 3}},
               {"return torch.nonzero(torch.tensor([0, 4, 5])).flatten()", {1, 2}},
               {"return torch.tensor([2.0, 4.0]).mean().reshape(1)", {3}}});
}

TEST(Torch, ReadsAndWritesParts) {
  expect_made({{"t = torch.zeros(2, 3)\nt[0] = torch.tensor([1, 2, 3])\nreturn t", {1, 2, 3, 0, 0, 0}},
               {"t = torch.zeros(4)\nt[1::2] = 5\nreturn t", {0, 5, 0, 5}},
               {"t = torch.arange(6).view(2, 3)\nreturn t[..., -1]", {2, 5}},
               {"t = torch.arange(4)\nreturn t[torch.tensor([3, 0])]", {3, 0}},
               {"t = torch.arange(4)\nreturn t[t > 1]", {2, 3}},
               {"t = torch.arange(4).float()\nt[t > 1] = -1\nreturn t", {0, 1, -1, -1}},
               {"t = torch.arange(2)\nreturn t[:, None] * torch.ones(2)", {0, 0, 1, 1}},
               {"t = torch.zeros(2, 2)\nt[1].fill_(4)\nreturn t", {0, 0, 4, 4}},
               {"t = torch.zeros(2, 2)\nt[:, 0].copy_(torch.tensor([1, 2]))\nreturn t", {1, 0, 2, 0}},
               {"t = torch.ones(2)\nu = t.clone()\nu.add_(1)\nreturn torch.stack([t, u])", {1, 1, 2, 2}},
               {"return torch.tensor([r.sum().item() for r in torch.arange(4).view(2, 2)])", {1, 5}}});
}

// Random lengths, and the table that is computed from them, are about the same numbers.
TEST(Torch, DrawsRandomNumbersOnce) {
  const auto n = made_by(
      "lens = torch.randint(1, 100, (4,))\nslots = lens - 1\nreturn torch.cat([lens, slots])\n");
  ASSERT_EQ(n.size(), 8u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(n[i] - 1, n[i + 4]);
    EXPECT_GE(n[i], 1);
    EXPECT_LT(n[i], 100);
  }
}

}  // namespace
}  // namespace frontend_test
