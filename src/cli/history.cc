// `history`: the way from the first scope 3 to the best layer, step by step, as predictions.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/sim_request.h"
#include "tilewright/harness/what_binds.h"

namespace tilewright::cli {
namespace {

struct HistoryStep {
  const char* program;
  std::map<std::string, int64_t> set;
  const char* change;
};

// Scope 3 alone, then the layer; every step on the shape that is asked for.
const std::vector<HistoryStep>& steps() {
  static const std::vector<HistoryStep> kSteps{
      {"qwen3/scope3-before", {}, "sums of the down projection in GM"},
      {"qwen3/scope3", {}, "loops interchanged: sums in the accumulator"},
      {"qwen3/scope3-fused", {}, "residuals join; nothing cleared; N 256"},
      {"qwen3/scope3-best", {}, "gate and up in one task; 16 tasks a stage"},
      {"qwen3/decode", {{"form", 1503}}, "the layer as first unified"},
      {"qwen3/decode", {{"form", 1379}}, "scope 1: K 512, four blocks a task"},
      {"qwen3/decode", {{"form", 1251}}, "attention buffers no longer cleared"},
      {"qwen3/decode", {{"form", 964}}, "residuals join; blocks of 256; pipelined"},
      {"qwen3/decode", {{"form", 642}}, "N 256; two groups a task"},
      {"qwen3/decode-fused-qkrope", {}, "RoPE and cache writes join projections"},
      {"qwen3/decode-flash", {}, "attention stays on chip"},
      {"qwen3/decode-flash", {{"flash_ahead", 1}}, "scores a block ahead of the products"},
      {"qwen3/decode-best", {}, "few large tasks; 1 KiB rows; no race"},
  };
  return kSteps;
}

// The cost whose absence helps most.
std::string binding(const harness::SimResult& r, const harness::SimRequest& request) {
  const auto what_ifs = harness::what_ifs(*r.prepared, request);
  const auto best = std::ranges::min_element(what_ifs, {}, &report::WhatIf::total_us);
  return best == what_ifs.end() ? "" : best->name;
}

}  // namespace

int history_command(const Context& c) {
  harness::SimRequest request = sim_request(c);
  if (request.shape.empty()) request.shape = "qwen3-32b-wide";
  Table table({"tasks", "predicted us", "roofline", "binds", "program", "what changed"});
  Progress progress(c.err, c.terminal.progress);
  progress.begin("predict");
  double done = 0;
  for (const HistoryStep& step : steps()) {
    const catalog::ProgramDef& def = c.catalog.find(step.program);
    harness::SimRequest of_step = request;
    of_step.set = step.set;
    const catalog::Config config = catalog::configure(def, request.shape, request.platform.platform.name);
    if (std::ranges::find(config.keys(), "ctx", &catalog::Key::name) != config.keys().end())
      of_step.set["ctx"] = config["max_seq"];
    const harness::SimResult r = harness::predict(def, of_step);
    progress.update(++done / static_cast<double>(steps().size()));
    std::string name = step.program + std::string("qwen3/").size();
    if (const auto form = step.set.find("form"); form != step.set.end())
      name += fmt::format(" {}", form->second);
    if (!r.passed()) {
      table.row({"-", "-", "-", "", name, "does not fit this machine"});
      continue;
    }
    const report::Figures& f = r.profile->all;
    table.row({std::to_string(f.tasks), fmt::format("{:.1f}", f.total_us),
               fmt::format("{:.1f}%", 100 * f.roofline_fraction()), binding(r, of_step), name, step.change});
  }
  progress.end();
  c.words() << fmt::format("predicted on {} ({}), shape {}, full context\n", request.platform_name,
                           request.platform.platform.title, request.shape)
            << table.text("", 110);
  return kFine;
}

}  // namespace tilewright::cli
