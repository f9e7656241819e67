// `info`: what a model is, its sizes, and the memory it will take.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_text.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/models/transformer/memory.h"
#include "tilewright/models/transformer/step_types.h"
#include "tilewright/models/transformer/text.h"

namespace tilewright::cli {
namespace {

using checkpoint::Checkpoint;
using checkpoint::ModelConfig;
using models::transformer::MemoryNeed;
using models::transformer::ModelText;

int64_t machine_memory() {
  return static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE);
}

std::string millions(int64_t count) {
  return count >= 1'000'000'000 ? fmt::format("{:.2f} G", static_cast<double>(count) / 1e9)
         : count >= 1'000'000   ? fmt::format("{:.1f} M", static_cast<double>(count) / 1e6)
                                : fmt::format("{}", count);
}

void print_model(std::ostream& out, const Checkpoint& m) {
  const ModelConfig& c = m.config;
  out << fmt::format("{}: {}, {} in {}\n", m.path, family_name(c.family),
                     m.container == checkpoint::Naming::Gguf ? "GGUF" : "safetensors",
                     counted(static_cast<int64_t>(m.files.size()), "file"));
  out << fmt::format("  layers       {}, {} wide, MLP {}{}\n", c.layers, c.hidden, c.intermediate,
                     c.has_experts() ? fmt::format(" of {} experts, {} for a token", c.experts,
                                                   c.experts_per_token)
                                     : "");
  out << fmt::format("  attention    {} of {}, {} for keys and values{}\n",
                     counted(c.heads, "head"), c.head_dim, c.kv_heads,
                     c.qk_norm() ? ", q and k normalised" : "");
  out << fmt::format("  context      up to {} tokens, RoPE theta {:g}{}\n", c.max_positions,
                     c.rope_theta,
                     c.rope == checkpoint::RopeScaling()
                         ? ""
                         : fmt::format(", scaled: {}", rope_scaling_name(c.rope.type)));
  out << fmt::format("  vocabulary   {}, embeddings {}\n", c.vocab, c.tied ? "tied" : "not tied");
  out << fmt::format("  parameters   {}\n", millions(m.parameter_count()));
  std::vector<std::string> types;
  for (const auto& [type, bytes] : models::transformer::bytes_by_type(m))
    types.push_back(fmt::format("{} {}", human_bytes(bytes), checkpoint::stored_type_name(type)));
  out << fmt::format("  weights      {}\n", join(types, ", "));
}

void print_text(std::ostream& out, const ModelText& text) {
  std::vector<std::string> stops;
  for (const int32_t id : text.defaults.stop_ids)
    stops.push_back(fmt::format("{} {}", id, text.tokenizer->piece(id)));
  out << fmt::format("  tokenizer    {} tokens, chat template {}\n", text.tokenizer->size(),
                     text.chat ? "present" : "absent");
  out << fmt::format("  stops at     {}\n", stops.empty() ? "nothing" : join(stops, ", "));
}

void print_memory(std::ostream& out, const MemoryNeed& need, const std::string& held,
                  int64_t context, int64_t machine) {
  out << fmt::format("\nmemory with a context of {} tokens:\n", context);
  out << fmt::format("  weights      {} {}\n", human_bytes(need.weights), held);
  out << fmt::format("  KV cache     {}, {} per token\n", human_bytes(need.cache),
                     human_bytes(need.cache_per_token));
  out << fmt::format("  together     {} of {}{}\n", human_bytes(need.total()), human_bytes(machine),
                     need.total() > machine ? ", which is too little" : "");
}

std::string json_of(const Checkpoint& m, const ModelText& text, const MemoryNeed& need,
                    int64_t context) {
  const ModelConfig& c = m.config;
  nlohmann::ordered_json types = nlohmann::ordered_json::object();
  for (const auto& [type, bytes] : models::transformer::bytes_by_type(m))
    types[checkpoint::stored_type_name(type)] = bytes;
  const nlohmann::ordered_json j{{"path", m.path},
                                 {"model_type", family_name(c.family)},
                                 {"layers", c.layers},
                                 {"hidden", c.hidden},
                                 {"intermediate", c.intermediate},
                                 {"experts", c.experts},
                                 {"experts_per_token", c.experts_per_token},
                                 {"heads", c.heads},
                                 {"kv_heads", c.kv_heads},
                                 {"head_dim", c.head_dim},
                                 {"vocab", c.vocab},
                                 {"max_positions", c.max_positions},
                                 {"tied", c.tied},
                                 {"parameters", m.parameter_count()},
                                 {"weight_bytes", types},
                                 {"tokens", text.tokenizer->size()},
                                 {"chat_template", text.chat.has_value()},
                                 {"stop_ids", text.defaults.stop_ids},
                                 {"context", context},
                                 {"memory_weights", need.weights},
                                 {"memory_cache", need.cache},
                                 {"memory_cache_per_token", need.cache_per_token}};
  return json_text(j);
}

// What weights are held in while the model runs.
std::string held_in(const Checkpoint& m) {
  const models::transformer::StepTypes types = models::transformer::head_types(m);
  const bool mixed = types.activations == DType::F32 && !types.as_stored.empty();
  return mixed ? "as stored" : fmt::format("in {}", dtype_name(types.activations));
}

int run_info(const Context& c) {
  const std::string path = c.model_path();
  JsonOutput json(c);
  const Checkpoint model = checkpoint::open_checkpoint(path);
  const ModelText text = models::transformer::load_text(path);
  const runtime::EngineOptions options = engine_options(c);
  const int64_t context = runtime::context_of(model.config, options);
  const MemoryNeed need = models::transformer::memory_need(model, context, options.cache);
  print_model(c.words(), model);
  print_text(c.words(), text);
  print_memory(c.words(), need, held_in(model), context, machine_memory());
  json.write(json_of(model, text, need, context));
  return kFine;
}

}  // namespace

const Command& info_command() {
  static const Command kCommand{
      .name = "info",
      .operand = "",
      .summary = "prints the family, sizes and memory needs of a model",
      .flags = {kModel, kContext, kCacheType, kJson, kHelp},
      .examples = {"info -m qwen3-0.6b", "info -m model.gguf -c 8192"},
      .run = run_info,
  };
  return kCommand;
}

}  // namespace tilewright::cli
