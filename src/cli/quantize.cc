// `quantize`: a model written as a GGUF file with other element types.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_text.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/tensor_view.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/tidy_end.h"
#include "tilewright/models/transformer/quantize.h"

namespace tilewright::cli {
namespace {

using models::transformer::Quantized;
using models::transformer::QuantizedTensors;
using models::transformer::QuantizeType;

std::string percent(double share) { return fmt::format("{:.3f} %", 100 * share); }

void print_quantized(std::ostream& out, const Quantized& q, const std::string& path) {
  Table table({"type", "tensors", "bytes", "relative RMS error"});
  for (const QuantizedTensors& t : q.types)
    table.row({std::string(checkpoint::stored_type_name(t.type)), fmt::format("{}", t.tensors),
               human_bytes(t.bytes), percent(t.error)});
  out << table.text("  ");
  if (q.fallbacks > 0)
    out << fmt::format("{} of another type than asked for: blocks do not divide {} rows\n",
                       counted(q.fallbacks, "tensor"), q.fallbacks == 1 ? "its" : "their");
  out << fmt::format("{}: {}, from {} of weights; relative RMS error {}\n", path,
                     human_bytes(q.file_bytes), human_bytes(q.source_bytes), percent(q.error));
}

std::string json_of(const Quantized& q, const std::string& source, const std::string& path,
                    const QuantizeType& type) {
  nlohmann::ordered_json types = nlohmann::ordered_json::array();
  for (const QuantizedTensors& t : q.types)
    types.push_back({{"type", checkpoint::stored_type_name(t.type)},
                     {"tensors", t.tensors},
                     {"bytes", t.bytes},
                     {"relative_rms_error", t.error}});
  const nlohmann::ordered_json j{{"source", source},
                                 {"path", path},
                                 {"type", type.name},
                                 {"source_bytes", q.source_bytes},
                                 {"file_bytes", q.file_bytes},
                                 {"fallbacks", q.fallbacks},
                                 {"relative_rms_error", q.error},
                                 {"types", types}};
  return json_text(j);
}

int run_quantize(const Context& c) {
  const TidyEnd tidy;
  const std::string source = c.model_path();
  for (const char* flag : {"--output", "--type"})
    if (!c.args.has(flag))
      user_error("command-line", fmt::format("quantize needs {}", flag), "",
                 "quantize needs a model, an output file and a type",
                 fmt::format("write for example {} quantize -m DIR -o model.gguf --type Q4_K_M",
                             c.terminal.command()));
  const QuantizeType& type = models::transformer::find_quantize_type(c.args.text("--type"));
  const int threads = engine_options(c).threads;
  const std::string path = c.args.text("--output");
  JsonOutput json(c);
  Progress progress(c.err, c.terminal.progress);
  progress.begin("writing " + path);
  const Quantized q = models::transformer::quantize(source, path, type, threads,
                                                    [&](double done) { progress.update(done); });
  progress.end();
  print_quantized(c.words(), q, path);
  json.write(json_of(q, source, path, type));
  return kFine;
}

constexpr Flag kQuantizedType{"", "--type", "TYPE",
                              "element type of the matrices, e.g. Q4_K_M or Q8_0"};
constexpr Flag kQuantizedOutput{"-o", "--output", "FILE", "the .gguf file to write"};

}  // namespace

const Command& quantize_command() {
  static const Command kCommand{
      .name = "quantize",
      .operand = "",
      .summary = "writes a model as a GGUF file with quantised weights",
      .flags = {kModel, kQuantizedOutput, kQuantizedType, kEngineThreads, kJson, kHelp},
      .examples = {"quantize -m qwen3-0.6b -o qwen3-0.6b-q4.gguf --type Q4_K_M",
                   "quantize -m model.gguf -o smaller.gguf --type Q4_0"},
      .note =
          "TYPE is one type for all matrices (Q8_0, Q6_K, Q5_K, Q4_K, Q3_K, Q2_K, Q5_1,\n"
          "Q5_0, Q4_1, Q4_0, IQ4_NL, IQ4_XS, MXFP4, BF16, F16, F32) or a mixture. Q4_K_M\n"
          "is Q4_K, with Q6_K for the output matrix and for attn_v and ffn_down of half of\n"
          "the layers; Q5_K_M is the same with Q5_K. Vectors are F32. An existing FILE is\n"
          "replaced when the new one is complete.",
      .run = run_quantize,
  };
  return kCommand;
}

}  // namespace tilewright::cli
