// Predictions of whole models: those of the programs that engines run, bound as engines bind them.
#include <algorithm>

#include "support.h"
#include "tilewright/ir/program.h"
#include "tilewright/models/qwen3/shapes.h"
#include "tilewright/runtime/bound_program.h"
#include "tilewright/runtime/predict_model.h"
#include "tilewright/runtime/step_rows.h"
#include "tilewright/runtime/step_tiles.h"
#include "tilewright/session/predict.h"

namespace runtime_test {
namespace {

using models::transformer::StepSizes;
using models::transformer::StepTiles;

// The layer for `batch` rows, one of each sequence at position context - 1, all bound by hand.
double layer_by_hand(const runtime::DecodeStep& step, const StepTiles& tiles,
                     const session::Request& request) {
  StepSizes s;
  s.model = step.model;
  s.types = models::transformer::StepTypes::all(step.type);
  s.rows = s.slots = step.batch;
  s.page = 256;
  s.slot_pages = (step.context + 255) / 256;
  s.pages = s.slots * s.slot_pages;
  s.tiles = tiles;
  auto session = std::make_unique<session::Session>(models::transformer::layer_program(s), request);
  if (!session->build() || !session->compile()) return INFINITY;
  std::map<std::string, HostArray> arrays;
  const ir::Program& program = session->program();
  for (std::size_t p = 0; p < program.params.size(); ++p) {
    const ir::Var& v = program[program.params[p].var];
    if (v.dtype != DType::I32) continue;
    HostArray& a = arrays.emplace(v.name, HostArray(v.dtype, v.shape)).first->second;
    session->bindings().arrays[p] = &a;
  }
  arrays["counts"].set(0, static_cast<double>(step.batch));
  arrays["counts"].set(1, static_cast<double>(step.batch));
  for (int64_t row = 0; row < step.batch; ++row) {
    const int64_t last_page = row * s.slot_pages + s.slot_pages - 1;
    arrays["tiles"].set(4 * row, static_cast<double>(row));
    arrays["tiles"].set(4 * row + 1, 1);
    arrays["positions"].set(row, static_cast<double>(step.context - 1));
    arrays["slots"].set(row, static_cast<double>(row));
    arrays["cache_rows"].set(row, static_cast<double>(last_page * s.model.kv_heads * s.page +
                                                      (step.context - 1) % s.page));
    for (int64_t i = 0; i < s.slot_pages; ++i)
      arrays["page_table"].set(row * s.slot_pages + i, static_cast<double>(row * s.slot_pages + i));
  }
  EXPECT_TRUE(session->unroll()) << session->diagnostics().text();
  return session::predict(std::move(session)).profile->all.total_us;
}

// 24 tasks of attention would be more than the runtime remembers; 12 of two heads are not.
TEST(PredictModel, IsTheFastestLayerThatFits) {
  const runtime::DecodeStep step{models::qwen3::find_model("qwen3-0.6b"), DType::BF16, 3, 700};
  for (const char* platform : {"a2a3sim", "a5sim"}) {
    const session::Request request = session::request_for(platform);
    double best = INFINITY;
    for (const StepTiles& tiles :
         runtime::device_tiles(request.machine(), step.model, step.type, step.batch, step.context))
      if (tiles.attention_heads > 1) best = std::min(best, layer_by_hand(step, tiles, request));
    const auto predicted = runtime::predict_generate(step, request);
    ASSERT_TRUE(predicted.step) << predicted.diagnostics.text();
    EXPECT_DOUBLE_EQ(predicted.step->layer.us, best) << platform;
    EXPECT_EQ(predicted.step->layer.unordered_pairs, 0);
  }
}

// Eight tasks of attention leave cubes idle; a task per split does not.
TEST(PredictModel, SplitsLongContextsOfFewSequences) {
  const runtime::DecodeStep step{models::qwen3::find_model("qwen3-0.6b"), DType::BF16, 1, 8192};
  const session::Request request = session::request_for("a2a3sim");
  double best_whole = INFINITY;
  for (const StepTiles& tiles :
       runtime::device_tiles(request.machine(), step.model, step.type, step.batch, step.context))
    if (tiles.attention_shares == 0)
      best_whole = std::min(best_whole, layer_by_hand(step, tiles, request));
  const auto predicted = runtime::predict_generate(step, request);
  ASSERT_TRUE(predicted.step) << predicted.diagnostics.text();
  EXPECT_LT(predicted.step->layer.us, best_whole);
}

// Every model with a name fits both machines, the small and the largest in FP32 too; nothing is
// faster than the roofline.
TEST(PredictModel, FitsEveryNamedModel) {
  for (const char* platform : {"a2a3sim", "a5sim"})
    for (const ModelConfig& model : models::qwen3::named_models())
      for (const DType type : {DType::BF16, DType::F32}) {
        SCOPED_TRACE(model.name + " on " + platform + " in " + std::string(dtype_name(type)));
        if (type == DType::F32 && model.hidden > 1024 && model.name != "qwen3-32b") continue;
        const session::Request request = session::request_for(platform);
        const auto p = runtime::predict_generate({model, type, 4, 1000}, request);
        ASSERT_TRUE(p.step) << p.diagnostics.text();
        EXPECT_LE(p.step->layer.roofline_us, p.step->layer.us);
        EXPECT_LE(p.step->head.roofline_us, p.step->head.us);
        EXPECT_FALSE(p.step->bound_by().empty());
      }
}

// Widths that no tile divides, heads that are narrow, one sequence or many.
TEST(PredictModel, FitsOddModels) {
  const session::Request request = session::request_for("a2a3sim");
  for (const ModelConfig& model : {wide_config(Family::Llama, false, 6, 2),
                                   transformer_test::small_config(Family::Qwen3, true, 3, 3)})
    for (const int64_t batch : {1, 5, 40}) {
      const auto p = runtime::predict_generate({model, DType::F32, batch, 100}, request);
      ASSERT_TRUE(p.step) << p.diagnostics.text();
      EXPECT_GT(p.step->us(), p.step->roofline_us());
    }
}

// The residual stream after a layer of random weights and caches, three sequences at position 19.
Logits after_a_layer(const StepTiles& tiles) {
  StepSizes s;
  s.model = transformer_test::small_config(Family::Qwen3, true, 8, 4);
  s.types = models::transformer::StepTypes::all(DType::F32);
  s.rows = s.slots = 3;
  s.page = 16;
  s.slot_pages = 2;
  s.pages = s.slots * s.slot_pages;
  s.tiles = tiles;
  runtime::BoundProgram layer(models::transformer::layer_program(s), cpu::InstructionSet::exact());
  HostArray* hidden = nullptr;
  for (const ir::Param& p : layer.program().params) {
    const ir::Var& v = layer.program()[p.var];
    if (p.role != ir::Role::Weight && p.role != ir::Role::State) continue;
    HostArray& a = layer.make(v.name);
    Rng rng(seed_for(1, v.name.c_str()));
    for (int64_t i = 0; i < a.size(); ++i) a.set(i, rng.uniform() - 0.5);
    if (v.name == "hidden") hidden = &a;
  }
  runtime::StepRows rows(s, [&](std::string_view name) -> HostArray& { return layer.make(name); });
  for (int64_t row = 0; row < s.rows; ++row) {
    const int slot = rows.pages().open();
    rows.pages().resize(slot, 20);
    rows.place(row, slot, 19);
  }
  rows.set_runs({{19, 1}, {19, 1}, {19, 1}});
  cpu::Pool pool(2);
  layer.make_tasks(pool.threads());
  layer.run(pool, layer.pack(pool));
  const auto values = hidden->as<float>();
  return {values.begin(), values.end()};
}

// However a step is cut, it computes the same.
TEST(StepTiles, OfDevicesComputeTheSameLayer) {
  const ModelConfig model = transformer_test::small_config(Family::Qwen3, true, 8, 4);
  const Logits expected =
      after_a_layer(runtime::cpu_tiles(cpu::InstructionSet::exact(),
                                       models::transformer::StepTypes::all(DType::F32)));
  int several_heads = 0;
  for (const int64_t rows : {3, 16})  // what is cut for 16 rows serves 3 as well
    for (const StepTiles& tiles : runtime::device_tiles(session::request_for("a2a3sim").machine(),
                                                        model, DType::F32, rows, 20)) {
      several_heads += tiles.attention_heads > 1;
      const Logits got = after_a_layer(tiles);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-4);
    }
  EXPECT_GT(several_heads, 0);
}

// The bits of `generate` and its speed hang on these.
TEST(StepTiles, OfThisCpuAreWhatWasMeasured) {
  const StepTiles t = runtime::cpu_tiles(cpu::InstructionSet::exact(),
                                         models::transformer::StepTypes::all(DType::F32));
  EXPECT_EQ(t, (StepTiles{.rows = 64, .columns = 256, .column_unit = 32, .depth_unit = 32}));
}

}  // namespace
}  // namespace runtime_test
