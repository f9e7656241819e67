#include "tilewright/runtime/predict_model.h"

#include <algorithm>

#include "tilewright/ir/program.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/programs/experts.h"
#include "tilewright/runtime/step_rows.h"
#include "tilewright/runtime/step_tiles.h"
#include "tilewright/session/doubt.h"
#include "tilewright/session/predict.h"
#include "tilewright/session/what_binds.h"

namespace tilewright::runtime {
namespace {

using models::transformer::StepSizes;
using models::transformer::StepTiles;
using session::TimedRun;

int64_t pages_of(int64_t context, int64_t page) { return (context + page - 1) / page; }

StepSizes sizes_of(const DecodeStep& step, const StepTiles& tiles, const session::Request& request) {
  StepSizes s;
  s.model = step.model;
  s.types = models::transformer::StepTypes::all(step.type);
  s.rows = s.slots = step.batch;
  s.page = device_page(request.machine(), step.model, step.type);
  s.slot_pages = pages_of(step.context, s.page);
  s.pages = s.slots * s.slot_pages;
  s.tiles = tiles;
  return s;
}

int64_t unordered_pairs(const TimedRun& run) { return run.session->hazards().unordered_pairs; }

PredictedProgram summary(TimedRun& run, int64_t unordered) {
  session::add_doubt(run);
  const report::Figures& all = run.profile->all;
  return {all.total_us,
          *run.profile->likely_us,
          all.roofline_us,
          all.peak_roofline_us,
          all.tasks,
          unordered,
          session::what_ifs(*run.session)};
}

BoundStep compiled(const StepSizes& sizes, ir::Program program, const session::Request& request) {
  auto session = std::make_unique<session::Session>(std::move(program), request);
  session->build() && session->compile();
  StepArrays arrays(*session);
  return {sizes, std::move(session), std::move(arrays)};
}

using Bind = BoundStep (*)(const DecodeStep&, const StepTiles&, const session::Request&);

// With the best tiles of those that fit: such as leave no tasks unordered, then the fastest. More
// rows at once read the weights less often, so fewer are not tried once some fit. Nothing when none
// fits, and `why`.
std::optional<PredictedProgram> predict_fitting(const DecodeStep& step, const session::Request& request,
                                                const std::vector<StepTiles>& worth_trying,
                                                Bind bind, Diagnostics& why) {
  TimedRun best;
  std::optional<StepArrays> kept;  // what the tasks of `best` read
  int64_t best_rows = 0, best_unordered = 0;
  for (const StepTiles& tiles : worth_trying) {
    if (best.profile && tiles.rows < best_rows) break;
    BoundStep bound = bind(step, tiles, request);
    if (!bound.session->ready()) {
      why = bound.session->diagnostics();
      continue;
    }
    TimedRun run = session::predict(std::move(bound.session));
    const int64_t unordered = unordered_pairs(run);
    const auto rank = [](const TimedRun& r, int64_t pairs) {
      return std::pair(pairs > 0, r.profile->all.total_us);
    };
    if (best.profile && rank(best, best_unordered) <= rank(run, unordered)) continue;
    best = std::move(run);
    kept.emplace(std::move(bound.arrays));
    best_rows = tiles.rows;
    best_unordered = unordered;
  }
  if (!best.profile) return std::nullopt;
  return summary(best, best_unordered);
}

}  // namespace

std::vector<report::WhatIf> PredictedStep::what_ifs() const {
  std::vector<report::WhatIf> all = layer.what_ifs;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].total_us = static_cast<double>(layers) * all[i].total_us + head.what_ifs[i].total_us;
  return all;
}

BoundStep bind_layer(const DecodeStep& step, const StepTiles& tiles, const session::Request& request) {
  const StepSizes sizes = sizes_of(step, tiles, request);
  BoundStep bound = compiled(sizes, models::transformer::layer_program(sizes), request);
  if (bound.session->diagnostics().has_errors()) return bound;
  StepRows rows(sizes,
                [&](std::string_view name) -> HostArray& { return bound.arrays.make(name); });
  for (int64_t row = 0; row < step.batch; ++row) {
    const int slot = rows.pages().open();
    rows.pages().resize(slot, step.context);
    rows.place(row, slot, step.context - 1);
  }
  rows.set_runs(std::vector<RowRun>(static_cast<std::size_t>(step.batch), {step.context - 1, 1}));
  bound.session->unroll();
  return bound;
}

BoundStep bind_head(const DecodeStep& step, const StepTiles& tiles, const session::Request& request) {
  const StepSizes sizes = sizes_of(step, tiles, request);
  BoundStep bound = compiled(sizes, models::transformer::head_program(sizes), request);
  if (bound.session->diagnostics().has_errors()) return bound;
  bound.arrays.make("counts").as<int32_t>()[0] = static_cast<int32_t>(step.batch);
  bound.session->unroll();
  return bound;
}

// Every row has experts of its own, drawn at random: how many are read follows from the batch.
BoundStep bind_experts(const DecodeStep& step, const StepTiles& tiles,
                       const session::Request& request) {
  const StepSizes sizes = sizes_of(step, tiles, request);
  BoundStep bound = compiled(sizes, models::transformer::experts_program(sizes), request);
  if (bound.session->diagnostics().has_errors()) return bound;
  const programs::Experts e = sizes.experts();
  const auto array = [&](const char* name) { return bound.arrays.make(name).as<int32_t>(); };
  const programs::GroupArrays to{array("groups"), array("members"), array("places")};
  programs::groups_of(e, programs::drawn_choice(e), to);
  const auto counts = array("counts");
  counts[0] = static_cast<int32_t>(step.batch);
  counts[1] = static_cast<int32_t>(programs::used_groups(to.groups));
  bound.session->unroll();
  return bound;
}

namespace {

// One after the other.
PredictedProgram sum(PredictedProgram a, const PredictedProgram& b) {
  a.us += b.us;
  a.likely_us = {a.likely_us.low + b.likely_us.low, a.likely_us.high + b.likely_us.high};
  a.roofline_us += b.roofline_us;
  a.peak_roofline_us += b.peak_roofline_us;
  a.tasks += b.tasks;
  a.unordered_pairs += b.unordered_pairs;
  for (std::size_t i = 0; i < a.what_ifs.size(); ++i)
    a.what_ifs[i].total_us += b.what_ifs[i].total_us;
  return a;
}

}  // namespace

StepPrediction predict_generate(const DecodeStep& step, const session::Request& request) {
  session::require_machine(request);
  StepPrediction out;
  const auto tiles =
      device_tiles(request.machine(), step.model, step.type, step.batch, step.context);
  std::vector<StepTiles> of_head = tiles;  // which has no attention
  std::erase_if(of_head,
                [](const StepTiles& t) { return t.attention_heads > 1 || t.attention_shares > 0; });
  const auto head = predict_fitting(step, request, of_head, bind_head, out.diagnostics);
  if (!head) return out;
  auto layer = predict_fitting(step, request, tiles, bind_layer, out.diagnostics);
  if (layer && step.model.has_experts()) {
    const auto rest = predict_fitting(step, request, of_head, bind_experts, out.diagnostics);
    layer = rest ? std::optional(sum(*layer, *rest)) : std::nullopt;
  }
  if (layer) out.step = {step.model.layers, *layer, *head};
  return out;
}

StepPrediction predict_best(const DecodeStep& step, const session::Request& request) {
  if (!models::qwen3::has_qwen3_layer(step.model)) return {};
  constexpr int64_t kCacheRows = 256;  // caches are made of whole blocks
  const auto [layer_def, head_def] =
      models::qwen3::step_programs({step.model, pages_of(step.context, kCacheRows) * kCacheRows});
  StepPrediction out;
  const auto predicted =
      [&](const catalog::ProgramDef& def,
          std::map<std::string, int64_t> set) -> std::optional<PredictedProgram> {
    session::Request r = request;
    r.shape = "";
    r.set = std::move(set);
    TimedRun run = session::predict(def, r);
    if (run.passed()) return summary(run, unordered_pairs(run));
    out.diagnostics = run.session->diagnostics();
    return std::nullopt;
  };
  const auto head = predicted(head_def, {{"batch", step.batch}});
  if (!head) return out;
  if (const auto layer = predicted(layer_def, {{"batch", step.batch}, {"ctx", step.context}}))
    out.step = {step.model.layers, *layer, *head};
  return out;
}

}  // namespace tilewright::runtime
