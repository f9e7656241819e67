// What is refused before anything runs, and the errors that only data shows.
#include "agree.h"
#include "tilewright/compile/compile.h"
#include "tilewright/ir/plan.h"

namespace agree_test {
namespace {

struct Layer {
  ir::Program program;
  std::optional<ir::Plan> plan;
  HostArray x{DType::BF16, {4, 64}}, w{DType::BF16, {64, 32}}, cache{DType::BF16, {8, 32}};
  ir::TaskGraph graph;

  Layer() {
    Builder p("layer");
    const Tensor in = p.input("x", {4, 64}, DType::BF16);
    const Tensor weight = p.weight("w", {64, 32}, DType::BF16);
    const Tensor state = p.state("cache", {8, 32}, DType::BF16);
    {
      auto core = p.incore("project");
      assemble(state, cast(matmul(in, slice(weight, {64, 32}, {0, 0})), DType::BF16), {4, 0});
    }
    program = p.finish();
    Diagnostics d;
    plan = compile::compile(program, platform::builtin_platform("cpu"), {}, d);
    graph = compile::unroll(*plan, bindings(), d).value();
  }
  ir::Bindings bindings() { return {{&x, &w, &cache}, {0, 0, 0}}; }
};

void expect_error(const std::string& text, const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << "no error";
  } catch (const UserError& e) {
    EXPECT_EQ(std::string(e.what()), text);
  }
}

TEST(Bind, WeightsArePackedForEveryTable) {
  Layer l;
  for (const cpu::InstructionSet& set : cpu::InstructionSet::all())
    EXPECT_TRUE(cpu::Executable(*l.plan, l.graph, {.instructions = set}).packs(1)) << set.name();
}

TEST(Bind, AWeightOfAnotherTypeOrShape) {
  Layer l;
  const cpu::Executable executable(*l.plan, l.graph, {});
  ASSERT_TRUE(executable.packs(1));
  HostArray wrong(DType::F32, {64, 32});
  HostArray narrow(DType::BF16, {64, 16});
  expect_error(
      "error: parameter w [64 x 32] bf16 bound to [64 x 32] f32\n"
      "  program layer\n"
      "  every array parameter must be bound to an array of its element type and shape\n"
      "  help: bind an array of the declared type\n",
      [&] {
        (void)executable.bind_weights({{&l.x, &wrong, &l.cache}, {}});
      });
  expect_error(
      "error: parameter w [64 x 32] bf16 bound to [64 x 16] bf16\n"
      "  program layer\n"
      "  every array parameter must be bound to an array of its element type and shape\n"
      "  help: bind an array of the declared type\n",
      [&] {
        (void)executable.bind_weights({{&l.x, &narrow, &l.cache}, {}});
      });
}

// A vocabulary that blocks of columns do not divide: its array has the columns that there are.
TEST(Bind, MissingColumnsAreZeros) {
  Layer l;
  const cpu::Executable executable(*l.plan, l.graph, {});
  ASSERT_TRUE(executable.packs(1));
  HostArray some(DType::BF16, {64, 20}), filled_up(DType::BF16, {64, 32});
  for (int64_t k = 0; k < 64; ++k)
    for (int64_t n = 0; n < 20; ++n) {
      some.set(k * 20 + n, static_cast<double>(1 + k + n));
      filled_up.set(k * 32 + n, static_cast<double>(1 + k + n));
    }
  const auto pack = [&](HostArray& w, cpu::Missing missing) {
    return executable.bind_weights({{&l.x, &w, &l.cache}, {}}, cpu::Source::Keep, nullptr, missing);
  };
  const cpu::PackedWeights expected = pack(filled_up, cpu::Missing::None);
  const cpu::PackedWeights found = pack(some, cpu::Missing::Zeros);
  ASSERT_EQ(found.bytes(), expected.bytes());
  EXPECT_TRUE(std::equal(found.packed[1].data(), found.packed[1].data() + found.bytes(),
                         expected.packed[1].data()));
  HostArray shallow(DType::BF16, {48, 32}), wide(DType::BF16, {64, 48});
  for (HostArray* wrong : {&shallow, &wide})
    EXPECT_THROW((void)pack(*wrong, cpu::Missing::Zeros), UserError);
}

TEST(Bind, ACacheThatIsTooSmall) {
  Layer l;
  cpu::Executable executable(*l.plan, l.graph, {});
  cpu::Pool pool(1);
  const cpu::PackedWeights weights = executable.bind_weights(l.bindings());
  HostArray small(DType::BF16, {4, 32});
  expect_error(
      "error: parameter cache [8 x 32] bf16 bound to [4 x 32] bf16\n"
      "  program layer\n"
      "  every array parameter must be bound to an array of its element type and shape\n"
      "  help: bind an array of the declared type\n",
      [&] {
        executable.run(pool, weights, {{&l.x, &l.w, &small}, {}});
      });
}

TEST(Bind, MemoryThatIsNotThere) {
  Layer l;
  const int64_t tiles = cpu::Executable(*l.plan, l.graph, {}).memory_bytes();
  const cpu::Executable tight(*l.plan, l.graph, {.memory_limit = tiles + 4000});
  expect_error(
      "error: packed weights need 4096 bytes, but 4000 are available\n"
      "  program layer\n"
      "  a run allocates all memory before it starts\n"
      "  help: use a smaller shape, batch or context, or free memory\n",
      [&] { (void)tight.bind_weights(l.bindings()); });
  try {
    const cpu::Executable none(*l.plan, l.graph, {.memory_limit = 100});
    ADD_FAILURE() << "no error";
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostic().code, "bind-memory");
  }
}

TEST(Bind, ReleasedWeightsAreGone) {
  Layer l;
  cpu::Executable executable(*l.plan, l.graph, {});
  cpu::Pool pool(1);
  const cpu::PackedWeights weights = executable.bind_weights(l.bindings(), cpu::Source::Release);
  EXPECT_EQ(l.w.data(), nullptr);
  EXPECT_EQ(weights.bytes(), 64 * 32 * 2);
  executable.run(pool, weights, l.bindings());
}

TEST(Run, WhatOnlyDataShows) {
  Builder p("divide");
  const Tensor x = p.input("x", {1, 8}, DType::I32);
  const Tensor y = p.output("y", {1, 8}, DType::I32);
  {
    auto core = p.incore("body");
    assemble(y, div(p.full({1, 8}, DType::I32, 3), x), {0, 0});
  }
  const ir::Program program = p.finish();
  Diagnostics d;
  const auto plan = compile::compile(program, platform::builtin_platform("cpu"), {}, d);
  HostArray zero(DType::I32, {1, 8}), out(DType::I32, {1, 8});
  const ir::Bindings bindings{{&zero, &out}, {0, 0}};
  const auto graph = compile::unroll(*plan, bindings, d);
  cpu::Executable executable(*plan, *graph, {.threads = 2});
  cpu::Pool pool(2);
  const cpu::PackedWeights weights = executable.bind_weights(bindings);
  for (int i = 0; i < 2; ++i) {  // the pool survives an error
    try {
      executable.run(pool, weights, bindings);
      ADD_FAILURE() << "no error";
    } catch (const UserError& e) {
      EXPECT_EQ(e.diagnostic().code, "div-zero");
    }
  }
}

// An error in the middle of a strip of rows leaves nothing behind, however often.
TEST(Run, AfterAnErrorInAStrip) {
  Builder p("divide");
  const Tensor x = p.input("x", {64, 256}, DType::I32);
  const Tensor y = p.output("y", {64, 256}, DType::I32);
  const Tensor z = p.output("z", {64, 256}, DType::I32);
  {
    auto core = p.incore("body");
    const Tile quotient = div(p.full({64, 256}, DType::I32, 6), slice(x, {64, 256}, {0, 0}));
    assemble(z, add(quotient, 1), {0, 0});
    assemble(y, quotient, {0, 0});
  }
  const ir::Program program = p.finish();
  Diagnostics d;
  const auto plan = compile::compile(program, platform::builtin_platform("cpu"), {}, d);
  HostArray in(DType::I32, {64, 256}), y_out(DType::I32, {64, 256}), z_out(DType::I32, {64, 256});
  const ir::Bindings bindings{{&in, &y_out, &z_out}, {0, 0, 0}};
  const auto graph = compile::unroll(*plan, bindings, d);
  cpu::Executable executable(*plan, *graph, {});
  cpu::Pool pool(1);
  const cpu::PackedWeights weights = executable.bind_weights(bindings);
  const auto values = in.as<int32_t>();
  std::ranges::fill(values, 2);
  values[40 * 256] = 0;
  for (int i = 0; i < 200; ++i) EXPECT_THROW(executable.run(pool, weights, bindings), UserError);
  values[40 * 256] = 3;
  executable.run(pool, weights, bindings);
  EXPECT_EQ(y_out.as<int32_t>()[40 * 256], 2);
  EXPECT_EQ(z_out.as<int32_t>()[40 * 256], 3);
  EXPECT_EQ(z_out.as<int32_t>()[63 * 256 + 255], 4);
}

}  // namespace
}  // namespace agree_test
