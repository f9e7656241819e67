// What the printer writes is read back as the same program.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support.h"
#include "tilewright/catalog/catalog.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/compile/compile.h"
#include "tilewright/data/inputs.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/golden/golden.h"
#include "tilewright/session/predict.h"
#include "tilewright/session/request.h"

namespace frontend_test {
namespace {

ir::Program read_back(const ir::Program& program) {
  const std::string text = ir::print(program);
  ir::Program again = lower(text).program;
  EXPECT_EQ(again.diagnostics.text(), "");
  EXPECT_EQ(ir::print(again), text);
  EXPECT_EQ(again.name, program.name);
  return again;
}

class EveryBuiltin : public testing::TestWithParam<std::string> {};

TEST_P(EveryBuiltin, PrintsAndReadsBackAtEveryShape) {
  const catalog::Catalog catalog = cli::builtin_catalog();
  const catalog::ProgramDef& def = catalog.find(GetParam());
  for (const std::string& shape : def.shapes)
    for (const char* platform : {"cpu", "a2a3sim", "a5sim"}) {
      SCOPED_TRACE(shape + " on " + platform);
      const catalog::Machine machine = session::request_for(platform).catalog_machine();
      read_back(def.build(catalog::configure(def, shape, machine)));
    }
}

TEST_P(EveryBuiltin, HasTheSameTasksTimesAndBits) {
  const catalog::Catalog catalog = cli::builtin_catalog();
  const catalog::ProgramDef& def = catalog.find(GetParam());
  const bool tiny = std::ranges::find(def.shapes, "tiny") != def.shapes.end();
  session::Request request = session::request_for("a2a3sim");
  if (tiny) request.shape = "tiny";
  catalog::ProgramDef copy = def;
  copy.build = [&](const catalog::Config& c) {
    ir::Program again = read_back(def.build(c));
    for (ir::Param& p : again.params) p.unsaid = false;  // the inputs of `def` say what it holds
    return again;
  };
  const session::TimedRun original = session::predict(def, request);
  const session::TimedRun again = session::predict(copy, request);
  ASSERT_TRUE(original.passed() && again.passed());
  EXPECT_EQ(ir::print(*again.session->plan()), ir::print(*original.session->plan()));
  EXPECT_EQ(again.session->graph()->tasks.size(), original.session->graph()->tasks.size());
  EXPECT_EQ(again.session->graph()->edges.size(), original.session->graph()->edges.size());
  EXPECT_EQ(again.profile->all.total_us, original.profile->all.total_us);
  if (!tiny) return;  // bits at full size take minutes

  const catalog::Config config = session::configure(def, request);
  const ir::Program program = def.build(config);
  const ir::Program listing = read_back(program);
  const auto scalars = data::scalar_values(def, config);
  catalog::Arrays a = data::generate(def, config, program, 3);
  catalog::Arrays b = data::generate(def, config, listing, 3);
  golden::run_program(program, data::make_bindings(program, a, scalars));
  golden::run_program(listing, data::make_bindings(listing, b, scalars));
  for (const auto& [name, array] : a.all()) EXPECT_TRUE(array.same_bits(b[name])) << name;
}

std::vector<std::string> names() { return cli::builtin_catalog().names(); }

INSTANTIATE_TEST_SUITE_P(Frontend, EveryBuiltin, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

// One program with what no built-in program uses.
ir::Program everything() {
  using namespace dsl;
  Builder p("all/of it");
  const Tensor x = p.input("x", {16, 64}, DType::F32);
  const Tensor h = p.weight("h", {16, 64}, DType::BF16);
  p.input("lens", {4}, DType::I32);
  const Tensor w = p.weight("w", {64, 64}, DType::BF16);
  const Tensor y = p.output("y", {16, 64}, DType::F32);
  const Tensor kept = p.state("kept", {16, 64}, DType::F32);
  const Tensor plain = p.param("plain", {16, 64}, DType::F32, Direction::InOut, Role::Activation);
  const Index n = p.scalar("n");
  const Scalar f = p.float_scalar("f");
  const Index i = p.let("i", 0);
  {
    auto loop = p.loop_while(i < 3 && !(n == 2 || i != 1));
    auto core = p.at(Level::AIV, "vector \"quoted\"");
    const Tile t = slice(x, {16, 64}, {0, 0}, {.valid_shape = {8, min(n, 64)}, .pad = Pad::Min});
    assemble(y, fillpad(t, Pad::Max), {0, 0});
    assemble_add(kept, set_validshape(fillpad(t, Pad::Zero), {4, 64}), {0, 0});
  }
  p.set(i, i + ceil_div(n, 3) % 5 - max(n, i) * n);
  for (Index c : p.range(0, n, 2).named("c")) {
    {
      auto first = p.when(c == 0);
      p.continue_loop();
    }
    {
      auto other = p.otherwise();
      p.break_loop();
    }
  }
  {
    auto core = p.auto_incore("auto", {.split = Split::LeftRight});
    for (Index c : p.parallel(0, 10, 1, {.chunk = 3, .policy = ChunkPolicy::LeadingFull})) {
      const Tile t = mul(slice(x, {1, 64}, {c, 0}), f);
      assemble(y, add(t, p.read_float(x, {c, 1})), {c, 0});
    }
  }
  {
    auto core = p.cluster("both");
    const Tile left =
        load(h, {0, 0}, {16, 64}, {.valid_shape = {16, 64}, .target = MemorySpace::Mat});
    const Tile right = load(w, {0, 0}, {64, 32}, {.target = MemorySpace::Mat, .transpose = true});
    const Tile bias = p.full({1, 64}, DType::F32, 1);
    const Tile product =
        matmul_bias(move(left, MemorySpace::Left), slice(w, {64, 64}, {0, 0}), bias);
    matmul(left, right, {.out_dtype = DType::BF16});
    const Tile row = gemv(slice(h, {1, 64}, {0, 0}), w);
    const Tile scratch = p.tile({16, 64}, DType::F32, MemorySpace::Vec);
    assign(scratch, cast(cast(product, DType::I32, CastMode::Floor), DType::F32));
    assign(scratch, transpose(reshape(concat(scratch, scratch), {64, 32})));
    cmp(scratch, 0.5, ir::Compare::Ge);
    const Tile order = p.arange(n, {1, 64}, DType::I32);
    const Tile pairs = mrgsort(sort32(row, order), 64);
    const Tile merged = mrgsort(pairs, pairs);
    gather_mask(merged, ir::MaskPattern::P1010, DType::I32);
    const Tile picked = gather(row, order);
    store(rsqrt(maximum(picked, minimum(row, -0.0)), true), {0, 0}, plain);
    store(col_expand_sub(scratch, picked), {0, 0}, y);
  }
  for (Index u : p.unroll(1, 7, 2)) {
    for (Index b : p.spmd(4, {.name = "grid", .sync_start = true}))
      for (Index k : p.pipeline(0, 64, 16, {.stages = 3}))
        assemble(y, slice(x, {1, 16}, {b + u, k}), {b + u, k});
  }
  return p.finish();
}

// The snapshots are the listings of the examples.
TEST(RoundTrip, EveryExample) {
  int examples = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(TILEWRIGHT_SOURCE "/tests/snapshots/examples")) {
    if (entry.path().extension() != ".show") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const ir::Program program = lower(text.str()).program;
    EXPECT_EQ(program.diagnostics.text(), "");
    EXPECT_EQ(ir::print(program), text.str());
    ++examples;
  }
  EXPECT_EQ(examples, 9);
}

TEST(RoundTrip, EverythingThatCanBePrinted) {
  const ir::Program program = everything();
  const ir::Program again = read_back(program);
  for (std::size_t i = 0; i < program.params.size(); ++i) {
    EXPECT_EQ(again.params[i].direction, program.params[i].direction);
    EXPECT_EQ(again.params[i].role, program.params[i].role);
  }
}

}  // namespace
}  // namespace frontend_test
