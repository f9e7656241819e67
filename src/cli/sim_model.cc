// `sim -m` and `sim --shape`: the predicted tokens per second of a whole model, with the layer that
// `generate` runs and beside it with the best schedule that is known.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_text.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/checkpoint/tensor_view.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/cli/sim_model.h"
#include "tilewright/models/qwen3/shapes.h"
#include "tilewright/models/transformer/memory.h"
#include "tilewright/models/transformer/step_types.h"
#include "tilewright/runtime/engine.h"
#include "tilewright/runtime/predict_model.h"

namespace tilewright::cli {
namespace {

using runtime::DecodeStep;
using runtime::PredictedStep;
using runtime::StepPrediction;

constexpr uint64_t kMostContext = 1'000'000;
// Each sequence has tasks of its own: 2048 of them take half a minute and 400 MB.
constexpr uint64_t kMostBatch = 4096;

int64_t positive(const Context& c, const char* flag, uint64_t otherwise, uint64_t most) {
  const uint64_t n = c.args.number(flag).value_or(otherwise);
  if (n < 1 || n > most)
    refuse_value(fmt::format("{} {}", flag, n), fmt::format("give a number from 1 to {}", most));
  return static_cast<int64_t>(n);
}

struct Asked {
  DecodeStep step;
  std::vector<DType> stored = {};  // of a model of files: its types, most bytes first
};

// A model of files has the context it was made for, and is run in the type of its files.
Asked asked_for(const Context& c) {
  const int64_t batch = positive(c, "--batch", 1, kMostBatch);
  const int64_t context = positive(c, "--ctx", 4096, kMostContext);
  if (!c.args.has("--model"))
    return {{models::qwen3::find_model(c.args.text("--shape")), DType::BF16, batch, context}};
  if (c.args.has("--shape"))
    user_error("command-line", "-m and --shape together", "",
               "-m takes the size of a model from its files; --shape names a size",
               "keep one of them");
  const checkpoint::Checkpoint model = checkpoint::open_checkpoint(c.model_path());
  const int64_t asked = c.args.has("--ctx") ? context : 0;
  Asked out{{model.config, models::transformer::device_type(model), batch,
             runtime::context_of(model.config, {.context = asked})}};
  auto types = models::transformer::bytes_by_type(model);
  std::ranges::stable_sort(types, std::greater{}, [](const auto& t) { return t.second; });
  for (const auto& [type, bytes] : types) out.stored.push_back(type);
  return out;
}

// "Q4_K and Q6_K": what the file holds and no device here computes with. Empty when there is none.
std::string other_types(const Asked& asked) {
  std::vector<std::string> names;
  for (const DType t : asked.stored)
    if (t != DType::BF16 && t != DType::F32) names.emplace_back(checkpoint::stored_type_name(t));
  return join(names, " and ");
}

struct Both {
  StepPrediction generate, best;
};

void print_table(const Context& c, const DecodeStep& asked, const Both& both) {
  const auto line = [&](const std::string& what, auto&& cell) {
    const auto text = [&](const StepPrediction& p) { return p.step ? cell(*p.step) : "-"; };
    c.words() << fmt::format("  {:<26}{:>24}{:>24}\n", what, text(both.generate), text(both.best));
  };
  const auto us = [](double us) { return fmt::format("{:.2f} us", us); };
  const double batch = static_cast<double>(asked.batch);
  c.words() << fmt::format("  {:<26}{:>24}{:>24}\n", "", "what generate runs", "qwen3/decode-best");
  line("one layer", [&](const PredictedStep& p) { return us(p.layer.us); });
  line(counted(asked.model.layers, "layer"),
       [&](const PredictedStep& p) { return us(p.layers_us()); });
  line("LM head", [&](const PredictedStep& p) { return us(p.head.us); });
  line("step", [&](const PredictedStep& p) { return us(p.us()); });
  line("80 % interval",
       [&](const PredictedStep& p) { return report::interval_text(p.likely_us()); });
  line("least time (roofline)", [&](const PredictedStep& p) { return us(p.roofline_us()); });
  line("reached",
       [](const PredictedStep& p) { return fmt::format("{:.1f} %", 100 * p.roofline_fraction()); });
  line("reached, at peak HBM rate", [](const PredictedStep& p) {
    return fmt::format("{:.1f} %", 100 * p.peak_roofline_us() / p.us());
  });
  line("tasks of a layer", [](const PredictedStep& p) { return std::to_string(p.layer.tasks); });
  line("bound by", [](const PredictedStep& p) { return p.bound_by(); });
  line("tokens/s", [&](const PredictedStep& p) {
    return fmt::format("{:.1f}", p.tokens_per_second(asked.batch));
  });
  line("tokens/s of a sequence", [&](const PredictedStep& p) {
    return fmt::format("{:.1f}", p.tokens_per_second(asked.batch) / batch);
  });
}

// What binds, in words; and why a column is empty.
void print_notes(const Context& c, const Asked& asked, const Both& both) {
  const auto note = [&](const std::string& text) {
    c.words() << "\n";
    for (const std::string& line : wrapped(text, kWidth)) c.words() << line << "\n";
  };
  const auto about = [&](const char* what, const StepPrediction& p) {
    if (p.step) {
      note(fmt::format("{}: {}", what, report::binding_sentence(p.step->us(), p.step->what_ifs())));
    } else if (!p.diagnostics.has_errors()) {
      note(fmt::format("{} has no biases, no experts and no scaled RoPE, so it is not this layer.",
                       what));
    } else {
      c.words() << fmt::format("\n{} does not fit this machine:\n", what);
      print_diagnostics(c, c.words(), p.diagnostics);
    }
  };
  about("What generate runs", both.generate);
  about("qwen3/decode-best", both.best);
  const auto races = [](const StepPrediction& p) {
    return p.step && p.step->layer.unordered_pairs + p.step->head.unordered_pairs > 0;
  };
  for (const auto& [what, p] :
       {std::pair("generate's layer", &both.generate), std::pair("qwen3/decode-best", &both.best)})
    if (races(*p))
      note(fmt::format(
          "The runtime rules leave {} of {} that access the same data unordered: the runtime "
          "tracks a limited number of writers per tensor. --rules exact orders all of them.",
          counted(p->step->layer.unordered_pairs, "pair") + " of tasks", what));
  if (const std::string types = other_types(asked); !types.empty())
    note(fmt::format("The weights of this file are {}; the prediction is for {} weights.", types,
                     asked.step.type == DType::F32 ? "FP32" : "BF16"));
  if (asked.step.type == DType::F32)
    note("This model is run in FP32; qwen3/decode-best is in BF16.");
}

nlohmann::ordered_json to_json(const StepPrediction& prediction, int64_t batch) {
  if (!prediction.step) return nullptr;
  const PredictedStep& p = *prediction.step;
  nlohmann::ordered_json without = nlohmann::ordered_json::object();
  for (const report::WhatIf& w : p.what_ifs()) without[w.name] = w.total_us;
  return {{"layer_us", p.layer.us},
          {"layer_tasks", p.layer.tasks},
          {"layer_roofline_us", p.layer.roofline_us},
          {"layer_unordered_pairs", p.layer.unordered_pairs},
          {"head_us", p.head.us},
          {"head_tasks", p.head.tasks},
          {"head_roofline_us", p.head.roofline_us},
          {"step_us", p.us()},
          {"step_interval_us", {p.likely_us().low, p.likely_us().high}},
          {"roofline_us", p.roofline_us()},
          {"roofline_fraction", p.roofline_fraction()},
          {"bound_by", p.bound_by()},
          {"step_us_without", without},
          {"tokens_per_second", p.tokens_per_second(batch)}};
}

// The keys at the top are those of qwen3/decode-best: readers of earlier versions find them there.
nlohmann::ordered_json to_json(const Asked& model, const Both& both, const std::string& platform) {
  const DecodeStep& asked = model.step;
  nlohmann::ordered_json j{{"model", asked.model.name},    {"platform", platform},
                           {"batch", asked.batch},         {"context", asked.context},
                           {"layers", asked.model.layers}, {"dtype", dtype_name(asked.type)}};
  for (const DType t : model.stored) j["stored_types"].push_back(checkpoint::stored_type_name(t));
  const nlohmann::ordered_json best = to_json(both.best, asked.batch);
  for (const char* key : {"layer_us", "head_us", "step_us", "tokens_per_second"})
    j[key] = best.is_null() ? nlohmann::ordered_json() : best[key];
  j["generate"] = to_json(both.generate, asked.batch);
  j["best"] = best;
  return j;
}

}  // namespace

bool asks_for_model(const Context& c) {
  if (!c.args.operand.empty() || c.catalog.all().size() == 1) return false;
  return c.args.has("--model") || c.args.has("--shape");
}

int sim_model(const Context& c) {
  for (const char* flag :
       {"--set", "--tiling", "--arg", "--path", "--reference", "--trace", "--records"})
    if (c.args.has(flag))
      user_error("command-line", fmt::format("{} without a program", flag), "",
                 "this flag applies to a program; a whole model uses its own programs and tiles",
                 "name a program, or omit the flag");
  JsonOutput json(c);
  const Asked asked_model = asked_for(c);
  const DecodeStep& asked = asked_model.step;
  const session::Request request = prediction_request(c);
  Progress progress(c.err, c.terminal.progress);
  progress.begin("simulate");
  const Both both{predict_generate(asked, request), predict_best(asked, request)};
  progress.end();
  if (!both.generate.step && !both.best.step) {
    print_diagnostics(c, c.err, both.generate.diagnostics);
    return kFailed;
  }
  c.words() << fmt::format("{}: a decode step of {} at context {}\npredicted on {} ({})\n\n",
                           c.paint(Colour::Bold, asked.model.name),
                           counted(asked.batch, "sequence"), asked.context, request.platform_name,
                           request.machine().title);
  print_table(c, asked, both);
  print_notes(c, asked_model, both);
  json.write(json_text(to_json(asked_model, both, request.platform_name)));
  return kFine;
}

}  // namespace tilewright::cli
