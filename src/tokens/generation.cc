#include "tilewright/tokens/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tilewright/base/json.h"
#include "tilewright/tokens/model_file.h"

namespace tilewright::tokens {
namespace {

namespace fs = std::filesystem;

Json read_if_there(const fs::path& path) {
  if (std::error_code ignored; !fs::exists(path, ignored)) return {};
  return parse_json(read_model_text(path), path.string());
}

double number(const Json& j, std::string_view key, double otherwise) {
  const Json* v = j.find(key);
  return v && v->kind == Json::Kind::Number ? v->number : otherwise;
}

void add_stop_ids(const Json& j, std::vector<int32_t>& out) {
  const Json* eos = j.find("eos_token_id");
  if (!eos) return;
  const auto add = [&](const Json& id) {
    if (id.kind != Json::Kind::Number || !(id.number >= 0 && id.number < 1e9)) return;
    const auto v = static_cast<int32_t>(id.number);
    if (std::ranges::find(out, v) == out.end()) out.push_back(v);
  };
  add(*eos);
  for (const Json& id : eos->items) add(id);
}

}  // namespace

GenerationDefaults load_generation_defaults(const std::string& directory) {
  const Json generation = read_if_there(fs::path(directory) / "generation_config.json");
  const Json config = read_if_there(fs::path(directory) / "config.json");
  GenerationDefaults out;
  add_stop_ids(generation, out.stop_ids);
  add_stop_ids(config, out.stop_ids);
  const Json* sample = generation.find("do_sample");
  if (sample && sample->boolean) {
    out.sampling.temperature = number(generation, "temperature", 1);
    out.sampling.top_k = static_cast<int64_t>(number(generation, "top_k", 50));
    out.sampling.top_p = number(generation, "top_p", 1);
    out.sampling.min_p = number(generation, "min_p", 0);
    out.sampling.repetition_penalty = number(generation, "repetition_penalty", 1);
  }
  check_sampling(out.sampling);
  return out;
}

}  // namespace tilewright::tokens
