// `make-model`: a complete model with random weights.
#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/progress.h"
#include "tilewright/models/whole/synthetic.h"

namespace tilewright::cli {
namespace {

using checkpoint::StoredType;

StoredType type_of(const std::string& name) {
  const std::vector<std::pair<std::string, StoredType>> known{{"bf16", StoredType::BF16},
                                                              {"f16", StoredType::F16},
                                                              {"f32", StoredType::F32}};
  for (const auto& [word, type] : known)
    if (word == name) return type;
  user_error("command-line", fmt::format("unknown type {}", quoted(name)), "",
             "weights are written in bf16, f16 or f32", "leave it out for bf16");
}

}  // namespace

int make_model_command(const Context& c) {
  for (const char* flag : {"--shape", "--output"})
    if (!c.args.has(flag))
      user_error("command-line", fmt::format("make-model needs {}", flag), "",
                 "a model is made of a named size, in a directory of its own",
                 fmt::format("write for example {} make-model --shape tiny -o DIR",
                             c.terminal.name));
  models::whole::SyntheticModel model;
  model.config = models::whole::config_of(models::qwen3::find_shape(c.args.text("--shape")));
  model.type = type_of(c.args.text("--type", "bf16"));
  model.seed = c.args.number("--seed").value_or(1);
  const std::string directory = c.args.text("--output");
  Progress progress(c.err, c.terminal.progress);
  progress.begin("writing " + directory);
  models::whole::write_synthetic(model, directory, [&](double done) { progress.update(done); });
  progress.end();
  const auto made = checkpoint::open_checkpoint(directory);
  c.out << fmt::format("{}: {} parameters, {}\n", directory, made.parameter_count(),
                       human_bytes(made.weight_bytes()));
  return kFine;
}

}  // namespace tilewright::cli
