// Programs of several ranks: what a host function and each word of pld become.
#include "support.h"

namespace frontend_test {
namespace {

// A host that starts `step` on two ranks; `body` stands in the kernel.
std::string ranks(const std::string& body) {
  return R"(import pypto.language as pl
import pypto.language.distributed as pld

@pl.jit.incore
def step(
    x: pl.Tensor[[4, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[4, 64], pl.FP32]],
    data: pld.DistributedTensor[[4, 64], pl.FP32],
    signal: pld.DistributedTensor[[2, 1], pl.INT32],
    my_rank: pl.Scalar[pl.INT32],
):
)" + indented(body, 4) +
         R"(
@pl.jit.host
def host(
    x: pl.Tensor[[2, 4, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 4, 64], pl.FP32]],
):
    data_buffer = pld.alloc_window_buffer(4 * 64 * 4)
    signal_buffer = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buffer, [4, 64], dtype=pl.FP32)
        signal = pld.window(signal_buffer, [2, 1], dtype=pl.INT32)
        step(x[r], y[r], data, signal, r, device=r)
)";
}

ir::Program lowered(const std::string& text, const std::map<std::string, std::string>& args = {}) {
  ir::Program p = lower(text, args).program;
  EXPECT_EQ(p.diagnostics.error_count(), 0U) << p.diagnostics.text();
  return p;
}

// What stands in the scope.
std::string scope_of(const std::string& body) {
  const std::string all = listing(lowered(ranks(body)));
  const std::string head = "name_hint=\"step\"):\n";
  std::istringstream in(all.substr(all.find(head) + head.size()));
  std::string out;
  for (std::string line; std::getline(in, line) && line.starts_with("    ");)
    out += line.substr(4) + "\n";
  return out;
}

TEST(Rank, AHostIsTheProgramOfOneRank) {
  const ir::Program p = lowered(ranks("pl.store(pl.load(x, [0, 0], [4, 64]), [0, 0], y)"));
  EXPECT_EQ(p.ranks, 2);
  EXPECT_EQ(p[p.rank].name, "rank");
  EXPECT_EQ(p.params.back().var, p.rank);
  EXPECT_TRUE(p[*p.find("data")].window);
  EXPECT_EQ(p[*p.find("data")].shape, (Shape{2, 4, 64}));
  EXPECT_FALSE(p[*p.find("data_here")].window);
  const std::string text = listing(p);
  EXPECT_NE(text.find("data_here = pl.slice(data, [4, 64], [rank, 0, 0])\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("x_part = pl.slice(x, [4, 64], [rank, 0, 0])\n"), std::string::npos) << text;
}

TEST(Rank, AnotherRankIsAnotherPartOfTheWindow) {
  EXPECT_EQ(scope_of("part = pld.tile.remote_load(data, peer=1 - my_rank, offsets=[2, 0], "
                     "shape=[1, 64])\n"
                     "pld.tile.remote_store(part, data, peer=my_rank, offsets=[3, 0])\n"
                     "pl.store(part, [0, 0], y)"),
            "part = pl.load(data, [1 - rank, 2, 0], [1, 64], target_memory=pl.MemorySpace.Vec)\n"
            "data = pl.store(part, [rank, 3, 0], data)\n"
            "y_part = pl.store(part, [0, 0], y_part)\n");
}

TEST(Rank, PutAndGetGoThroughATile) {
  EXPECT_EQ(scope_of("pld.tensor.put(data, peer=0, src=x)\n"
                     "pld.tensor.get(y, peer=1, src=data, dst_offsets=[1, 0], src_offsets=[2, 0], "
                     "shape=[2, 64])"),
            "staging = pl.load(x_part, [0, 0], [4, 64], target_memory=pl.MemorySpace.Vec)\n"
            "data = pl.store(staging, [0, 0, 0], data)\n"
            "staging_1 = pl.load(data, [1, 2, 0], [2, 64], target_memory=pl.MemorySpace.Vec)\n"
            "y_part = pl.store(staging_1, [1, 0], y_part)\n");
}

TEST(Rank, ChunksAreLoopsAndTheLastMayBeSmaller) {
  EXPECT_EQ(scope_of("pld.tensor.put(data, peer=0, src=x, chunk_rows=3, chunk_cols=64)"),
            "for chunk in pl.range(0, 4, 3):\n"
            "    staging = pl.load(x_part, [chunk, 0], [3, 64], "
            "target_memory=pl.MemorySpace.Vec, valid_shape=[pl.min(3, 4 - chunk), 64])\n"
            "    data = pl.store(staging, [0, chunk, 0], data)\n");
}

TEST(Rank, SignalsAreStatements) {
  EXPECT_EQ(scope_of("pld.system.notify(signal, peer=0, offsets=[my_rank, 0], value=1, "
                     "op=pld.NotifyOp.Set)\n"
                     "pld.system.wait(signal=signal, offsets=[1, 0], expected=3, "
                     "cmp=pld.WaitCmp.Eq)"),
            "pld.system.notify(signal, 0, [rank, 0], 1, op=pld.NotifyOp.Set)\n"
            "pld.system.wait(signal, [1, 0], 3, cmp=pld.WaitCmp.Eq)\n");
}

TEST(Rank, ABarrierGivesWaitsAndTakesBack) {
  EXPECT_EQ(scope_of("pld.tensor.barrier(signal)"),
            "for peer in pl.range(2):\n"
            "    if peer != rank:\n"
            "        pld.system.notify(signal, peer, [rank, 0], 1, op=pld.NotifyOp.AtomicAdd)\n"
            "for peer_1 in pl.range(2):\n"
            "    if peer_1 != rank:\n"
            "        pld.system.wait(signal, [peer_1, 0], 1, cmp=pld.WaitCmp.Ge)\n"
            "for peer_2 in pl.range(2):\n"
            "    if peer_2 != rank:\n"
            "        pld.system.notify(signal, rank, [peer_2, 0], -1, op=pld.NotifyOp.AtomicAdd)\n");
}

TEST(Rank, WorldSizeIsChosenOrFollowsFromTheTensors) {
  const std::string text = ranks("ctx = pld.get_comm_ctx(data)\n"
                                 "pld.tensor.put(data, peer=pld.nranks(ctx) - 1, src=x)");
  EXPECT_EQ(lowered(text).ranks, 2);
  // The tensors have parts for two ranks, so three are refused where the third would begin.
  EXPECT_EQ(lowered(text, {{"world_size", "3"}}).ranks, 3);
}

TEST(Rank, ADeviceIsTheOnlyOneThatExecutes) {
  std::string text = ranks("pl.store(pl.load(x, [0, 0], [4, 64]), [0, 0], y)");
  text += "        step(x[r], y[r], data, signal, r, device=0)\n";
  const std::string all = listing(lowered(text));
  EXPECT_NE(all.find("if rank == 0:\n"), std::string::npos) << all;
}

TEST(Rank, WhatAHostStartsIsNoProgramOfItsOwn) {
  std::string text = ranks("pl.store(pl.load(x, [0, 0], [4, 64]), [0, 0], y)");
  const std::string incore = "@pl.jit.incore\ndef step";
  text.replace(text.find(incore), incore.size(), "@pl.jit\ndef step");
  const auto file = frontend::File::parse("p.py", text);
  EXPECT_EQ(file.programs(), std::vector<std::string>{"host"});
  // By its name it can still be looked at: its windows become parameters, my_rank is the rank.
  const ir::Program alone = file.lower("step", {}).program;
  EXPECT_EQ(alone.ranks, 2);
  EXPECT_EQ(alone.find("my_rank"), std::nullopt);
  EXPECT_EQ(alone[*alone.find("data")].shape, (Shape{2, 4, 64}));
}

TEST(Rank, WhatIsPrintedIsReadBack) {
  const ir::Program p = lowered(ranks("pld.tensor.put(data, peer=1 - my_rank, src=x, chunk_rows=3)\n"
                                      "pld.tensor.barrier(signal)\n"
                                      "pl.store(pl.load(data, [0, 0], [4, 64]), [0, 0], y)"));
  const std::string text = ir::print(p);
  const ir::Program again = lowered(text);
  EXPECT_EQ(ir::print(again), text);
  EXPECT_EQ(again.ranks, 2);
  EXPECT_EQ(again[again.rank].name, "rank");
  EXPECT_TRUE(again[*again.find("data")].window);
}

std::string refusal(const std::string& text) {
  const ir::Program p = lower(text).program;
  return p.diagnostics.empty() ? "" : p.diagnostics.list()[0].what;
}

TEST(Rank, Refusals) {
  EXPECT_EQ(refusal(ranks("pld.tensor.allreduce(data, signal)")),
            "pld.tensor.allreduce is not supported");
  EXPECT_EQ(refusal(ranks("pld.system.notify(signal, peer=0, offsets=[0, 0], value=1, op=7)")),
            "op of pld.system.notify is an integer");
  EXPECT_EQ(refusal(program("r = pld.rank(x)")), "pld.rank in a program of one device is not supported");
  std::string outside = ranks("pl.store(pl.load(x, [0, 0], [4, 64]), [0, 0], y)");
  outside += "        pld.tensor.barrier(signal)\n";
  EXPECT_EQ(refusal(outside), "pld.tensor.barrier outside any scope");
}

}  // namespace
}  // namespace frontend_test
