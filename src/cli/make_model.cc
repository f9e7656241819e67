// `make-model`: a complete model with random weights.
#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/tidy_end.h"
#include "tilewright/models/qwen3/shapes.h"
#include "tilewright/models/transformer/synthetic.h"

namespace tilewright::cli {
namespace {

DType type_of(const std::string& name) {
  const std::vector<std::pair<std::string, DType>> known{{"bf16", DType::BF16},
                                                         {"f16", DType::F16},
                                                         {"f32", DType::F32}};
  for (const auto& [word, type] : known)
    if (word == name) return type;
  user_error("command-line", fmt::format("unknown type {}", quote(name)), "",
             "weights are written in bf16, f16 or f32", "omit --type to use bf16");
}

// A model that is too large for this machine can be measured with fewer layers: they are all alike.
int64_t layers_of(const Context& c, int64_t all) {
  const auto layers = static_cast<int64_t>(c.args.number("--layers").value_or(all));
  if (layers >= 1 && layers <= all) return layers;
  user_error("command-line", fmt::format("--layers {} of a model of {}", layers, all), "",
             fmt::format("a model has at least one layer, and this one at most {}", all),
             "omit --layers to write all of them");
}

int run_make_model(const Context& c) {
  const TidyEnd tidy;
  for (const char* flag : {"--shape", "--output"})
    if (!c.args.has(flag))
      user_error("command-line", fmt::format("make-model needs {}", flag), "",
                 "make-model needs the name of a size and an output directory",
                 fmt::format("write for example {} make-model --shape tiny -o DIR",
                             c.terminal.command()));
  models::transformer::SyntheticModel model;
  model.config = models::qwen3::find_model(c.args.text("--shape"));
  model.config.layers = layers_of(c, model.config.layers);
  model.type = type_of(c.args.text("--type", "bf16"));
  model.seed = c.args.number("--seed").value_or(1);
  const std::string directory = c.args.text("--output");
  Progress progress(c.err, c.terminal.progress);
  progress.begin("writing " + directory);
  models::transformer::write_synthetic(model, directory,
                                       [&](double done) { progress.update(done); });
  progress.end();
  const auto made = checkpoint::open_checkpoint(directory);
  c.out << fmt::format("{}: {} parameters, {}\n", directory, made.parameter_count(),
                       human_bytes(made.weight_bytes()));
  return kFine;
}

constexpr Flag kModelShape{"", "--shape", "NAME", "size of the model, e.g. qwen3-0.6b"};
constexpr Flag kFewerLayers{"", "--layers", "N", "number of layers (default all)"};
constexpr Flag kWeightSeed{"", "--seed", "N", "seed of the weights (default 1)"};
constexpr Flag kWeightType{"", "--type", "TYPE", "bf16 (default), f16 or f32"};
constexpr Flag kModelOutput{"-o", "--output", "DIR", "new directory for the model"};

}  // namespace

const Command& make_model_command() {
  static const Command kCommand{
      .name = "make-model",
      .operand = "",
      .summary = "writes a model with random weights, for benchmarks",
      .flags = {kModelShape, kFewerLayers, kWeightSeed, kWeightType, kModelOutput, kHelp},
      .examples = {"make-model --shape qwen3-0.6b -o models/random", "info -m models/random",
                   "make-model --shape qwen3-32b --layers 2 -o models/two-layers"},
      .run = run_make_model,
  };
  return kCommand;
}

}  // namespace tilewright::cli
