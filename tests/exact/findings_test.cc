// One mistake of every kind in a small kernel, and what the executor says about it.
#include "support.h"

namespace exact_test {
namespace {

using namespace dsl;
using golden::Finding;

// y = 1 / (x + 1) in blocks of eight rows.
Subject pipelined() {
  return make_subject("a2a3", [](Builder& p) {
    const Tensor x = p.input("x", {64, 64}, F32);
    const Tensor y = p.output("y", {64, 64}, F32);
    auto core = p.incore("invert");
    for (Index i : p.pipeline(8, {.stages = 2}).named("i")) {
      const Tile block = slice(x, {8, 64}, {i * 8, 0}).named("block");
      const Tile sum = add(block, 1.0).named("sum");
      assemble(y, recip(sum).named("result"), {i * 8, 0});
    }
  });
}

ir::LoweredKernel& kernel(ir::Plan& plan) { return plan.kernels.front().lowered; }

ir::Instruction& first(ir::Plan& plan, ir::Action action) {
  return *std::ranges::find(kernel(plan).instructions, action, &ir::Instruction::action);
}

ir::Storage& storage(ir::Plan& plan, std::string_view name) {
  return *std::ranges::find_if(kernel(plan).storage, [&](const ir::Storage& s) {
    return plan.program[s.var].name == name;
  });
}

// A finding of this kind whose text has all of these parts.
void expect_finding(const Outcome& o, Finding::Kind kind, const std::vector<std::string>& parts,
                    Here here = {}) {
  SCOPED_TRACE(here.place().text());
  const bool found = std::ranges::any_of(o.result.findings, [&](const Finding& f) {
    return f.kind == kind && std::ranges::all_of(parts, [&](const std::string& part) {
             return f.text.find(part) != std::string::npos;
           });
  });
  EXPECT_TRUE(found) << o.text();
}

TEST(Findings, ARaceNamesBothInstructionsAndTheBytes) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  first(plan, ir::Action::Vector).waits.clear();
  expect_finding(run(s, plan), Finding::Kind::Race,
                 {"race in kernel \"invert\"", "block (s0 copy 1, Vec[2048:4096])",
                  "load on vector MTE2: block = pl.load(x, ", "vector on vector V: sum = pl.add(",
                  "findings_test.cc:"});
}

TEST(Findings, ARaceIsFoundWithoutBadLuckAndBitsAreWrongWithIt) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  first(plan, ir::Action::Vector).waits.clear();
  EXPECT_TRUE(run(s, plan).same_bits) << "in program order nothing happens";
  int wrong = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) wrong += !run(s, plan, {.seed = seed}).same_bits;
  EXPECT_GT(wrong, 5);
}

TEST(Findings, AClobberedReadNamesTheWriter) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  first(plan, ir::Action::Store).waits.clear();
  expect_finding(run(s, plan, {.seed = 1}), Finding::Kind::Clobbered,
                 {"of result (s", "holds another value when it is read",
                  "vector on vector V: result", "store on vector MTE3: y = pl.store(result"});
}

TEST(Findings, AResultReplacesAnOperandOrLiesApart) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  const int64_t operand = storage(plan, "sum").address;
  for (const int64_t address : {operand - 32, operand + 32}) {
    storage(plan, "result").address = address;
    expect_finding(run(s, plan), Finding::Kind::Overlap,
                   {"result (s", "lies across the operand in sum", "pl.recip("});
  }
  storage(plan, "result").address = operand;
  for (const Finding& f : run(s, plan).result.findings) EXPECT_NE(f.kind, Finding::Kind::Overlap);
}

TEST(Findings, MemoryThatNobodyHasWritten) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  first(plan, ir::Action::Load).action = ir::Action::Name;  // the tile is named but never filled
  expect_finding(run(s, plan), Finding::Kind::Clobbered, {"nothing has been written there"});
}

TEST(Findings, AddressesStayInsideTheirMemory) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  storage(plan, "sum").address = *s.platform.memory(MemorySpace::Vec)->physical - 64;
  expect_finding(run(s, plan), Finding::Kind::Range, {"address out of range", "bytes long"});
  storage(plan, "sum").address = -32;
  expect_finding(run(s, plan), Finding::Kind::Range, {"sum (s"});
}

TEST(Findings, ValuesStayInsideTheirStorage) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  storage(plan, "sum").bytes /= 2;
  expect_finding(run(s, plan), Finding::Kind::Range, {"are outside what lies in sum (s"});
}

TEST(Findings, AnOpThatRefusesItsOperandsEndsTheRun) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  first(plan, ir::Action::Load).op.offset[0] = 60;
  expect_finding(run(s, plan), Finding::Kind::Refused, {"load reaches outside x"});
}

TEST(Findings, ElementsInGm) {
  const Subject s = make_subject("a2a3", [](Builder& p) {
    const Tensor x = p.state("x", {8, 64}, F32);
    auto core = p.incore("carry");
    for (Index i : p.range(7)) assemble(x, add(slice(x, {1, 64}, {i, 0}), 1.0), {i + 1, 0});
  });
  expect_exact(s);
  ir::Plan plan = s.plan;
  first(plan, ir::Action::Load).waits.clear();
  expect_finding(run(s, plan), Finding::Kind::Race, {"elements [1:2, 0:64] of a buffer in GM"});
}

TEST(Findings, ARingThatIsTooShort) {
  const Subject s = make_subject("a2a3", [](Builder& p) {
    const Tensor x = p.input("x", {16, 64}, BF16);
    const Tensor w = p.weight("w", {64, 256}, BF16);
    const Tensor y = p.output("y", {16, 256}, F32);
    auto core = p.at(Level::CoreGroup, "mixed");
    for (Index n : p.pipeline(8, {.stages = 2})) {
      const Tile product = matmul(x, slice(w, {64, 32}, {0, n * 32})).named("product");
      assemble(y, exp(product), {0, n * 32});
    }
  });
  expect_exact(s);
  ir::Plan plan = s.plan;
  const auto ring = std::ranges::find_if(kernel(plan).storage, &ir::Storage::is_ring);
  ASSERT_NE(ring, kernel(plan).storage.end());
  --ring->copies;
  expect_finding(run(s, plan), Finding::Kind::Race,
                 {"product (s", "ring[", "push on cube FIXP", "pop on vector MTE2"});
}

TEST(Findings, AWatchedWaitShowsWhatItIsGoodFor) {
  const Subject s = pipelined();
  ir::Plan plan = s.plan;
  const auto& instructions = kernel(plan).instructions;
  ir::Instruction& sum = first(plan, ir::Action::Vector);
  const int number = static_cast<int>(&sum - instructions.data());
  const golden::WatchedWait watched{ir::KernelId(0), number, sum.waits.front()};
  const Outcome needed = run(s, plan, {.watched = watched});
  EXPECT_EQ(needed.result.watched, 8);
  EXPECT_EQ(needed.result.watched_unordered, 8);
  EXPECT_FALSE(needed.clean());
}

}  // namespace
}  // namespace exact_test
