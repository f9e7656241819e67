// `sim -m` and `sim --shape`: the predicted tokens per second of a whole model. A decode step is
// the best layer that is known, once per layer, and the LM head.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/base/json_text.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/cli/sim_model.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/runtime/engine.h"
#include "tilewright/session/predict.h"

namespace tilewright::cli {
namespace {

using checkpoint::ModelConfig;

struct Asked {
  ModelConfig shape;
  int64_t batch, context;
};

int64_t positive(const Context& c, const char* flag, uint64_t otherwise) {
  const uint64_t n = c.args.number(flag).value_or(otherwise);
  if (n < 1 || n > 1'000'000)
    refuse_value(fmt::format("{} {}", flag, n), "give a number from 1 to 1000000");
  return static_cast<int64_t>(n);
}

// A model of files has the context it was made for.
Asked asked_for(const Context& c) {
  const int64_t batch = positive(c, "--batch", 1), context = positive(c, "--ctx", 4096);
  if (!c.args.has("--model"))
    return {models::qwen3::find_model(c.args.text("--shape")), batch, context};
  if (c.args.has("--shape"))
    user_error("command-line", "-m and --shape together", "",
               "the size of a model is that of its files, or one with a name", "keep one of them");
  const std::string path = c.model_path();
  const checkpoint::ModelConfig config = checkpoint::open_checkpoint(path).config;
  const int64_t asked = c.args.has("--ctx") ? context : 0;
  return {config, batch,
          runtime::context_of(config, {.context = asked})};
}

// Microseconds of one program, or nothing when it does not fit the machine.
std::optional<double> predicted(const Context& c, const catalog::ProgramDef& def,
                                const session::Request& request) {
  const session::TimedRun r = session::predict(def, request);
  if (r.profile) return r.profile->all.total_us;
  print_diagnostics(c, c.err, r.session->diagnostics());
  return std::nullopt;
}

}  // namespace

bool asks_for_model(const Context& c) {
  if (!c.args.operand.empty() || c.catalog.all().size() == 1) return false;
  return c.args.has("--model") || c.args.has("--shape");
}

int sim_model(const Context& c) {
  for (const char* flag : {"--set", "--tiling", "--arg", "--reference", "--trace"})
    if (c.args.has(flag))
      user_error("command-line", fmt::format("{} without a program", flag), "",
                 "a whole model is predicted with the schedules that are known to be best",
                 "name a program, or leave the flag out");
  JsonOutput json(c);
  const auto [shape, batch, context] = asked_for(c);
  constexpr int64_t kCacheRows = 256;  // caches are made of whole blocks
  const auto [layer, head] = models::qwen3::step_programs(
      {shape, (context + kCacheRows - 1) / kCacheRows * kCacheRows});
  session::Request request = prediction_request(c);
  request.shape = "";
  Progress progress(c.err, c.terminal.progress);
  progress.begin("simulate");
  request.set = {{"batch", batch}};
  const auto head_us = predicted(c, head, request);
  request.set = {{"batch", batch}, {"ctx", context}};
  const auto layer_us = predicted(c, layer, request);
  progress.end();
  if (!head_us || !layer_us) return kFailed;

  const double layers_us = *layer_us * static_cast<double>(shape.layers);
  const double step_us = layers_us + *head_us;
  const double rate = static_cast<double>(batch) / step_us * 1e6;
  const auto row = [&](const std::string& what, double us) {
    c.words() << fmt::format("  {:<22} {:>12.2f} us  {:>5.1f} %\n", what, us, us / step_us * 100);
  };
  c.words() << fmt::format("{}: a decode step of {} at context {}\npredicted on {} ({})\n\n",
                           c.paint(Colour::Bold, shape.name), counted(batch, "sequence"), context,
                           request.platform_name, request.machine().title);
  row(fmt::format("{} x {:.2f} us", counted(shape.layers, "layer"), *layer_us), layers_us);
  row("LM head", *head_us);
  row("step", step_us);
  c.words() << fmt::format("\n{:.1f} tokens/s, {:.1f} per sequence\n", rate,
                           rate / static_cast<double>(batch));
  const nlohmann::ordered_json j{{"model", shape.name},      {"platform", request.platform_name},
                                 {"batch", batch},           {"context", context},
                                 {"layers", shape.layers},   {"layer_us", *layer_us},
                                 {"head_us", *head_us},      {"step_us", step_us},
                                 {"tokens_per_second", rate}};
  json.write(json_text(j));
  return kFine;
}

}  // namespace tilewright::cli
