#include "tilewright/serve/generation_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <random>

#include "tilewright/base/text.h"
#include "tilewright/serve/api_error.h"

namespace tilewright::serve {
namespace {

// Small enough for every JSON reader, so that an answer can say which seed it had.
constexpr int64_t kLargestSeed = int64_t{1} << 53;

uint64_t new_seed() {
  static thread_local std::mt19937_64 source{std::random_device{}()};
  return source() % static_cast<uint64_t>(kLargestSeed);
}

void read_sampling(Fields& fields, const ServedModel& model, tokens::SamplingOptions& to) {
  to = model.sampling;
  const auto real = [&](const char* name, double low, double high, double& value) {
    value = fields.number(name, low, high).value_or(value);
  };
  real("temperature", 0, 100, to.temperature);
  real("top_p", 0, 1, to.top_p);
  real("min_p", 0, 1, to.min_p);
  real("repetition_penalty", 0.01, 100, to.repetition_penalty);
  real("presence_penalty", -2, 2, to.presence_penalty);
  real("frequency_penalty", -2, 2, to.frequency_penalty);
  // -1 is how some clients ask for all.
  if (const auto k = fields.integer("top_k", -1, 1'000'000'000))
    to.top_k = std::max<int64_t>(*k, 0);
  const auto seed = fields.integer("seed", -kLargestSeed, kLargestSeed);
  to.seed = seed ? static_cast<uint64_t>(*seed) : new_seed();
}

// {"1234": -100}: token ids as names, since JSON has no others.
std::map<int32_t, double> read_bias(Fields& fields, int64_t vocab) {
  std::map<int32_t, double> out;
  const Value* bias = fields.find("logit_bias");
  if (!bias) return out;
  Fields inner(*bias, "logit_bias");
  for (const auto& [name, value] : bias->items()) {
    int32_t id = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (error != std::errc() || end != name.data() + name.size() || id < 0 || id >= vocab)
      refuse(inner.path(name), fmt::format("{} names no token; this model's tokens are 0 to {}",
                                           inner.path(name), vocab - 1));
    out[id] = inner.number(name, -100, 100).value_or(0);
  }
  return out;
}

std::vector<std::string> read_stops(Fields& fields) {
  const Value* stop = fields.find("stop");
  std::vector<std::string> out;
  if (!stop) return out;
  const auto add = [&](const Value& text, const std::string& path) {
    if (!text.is_string()) refuse_kind(path, "a string", text);
    if (text.get_ref<const std::string&>().empty())
      refuse(path, fmt::format("{} is empty; every text ends with nothing", path));
    out.push_back(text.get<std::string>());
  };
  if (!stop->is_array()) {
    add(*stop, "stop");
    return out;
  }
  if (stop->size() > static_cast<std::size_t>(kMostStops))
    refuse("stop", fmt::format("stop has {} texts; {} are allowed", stop->size(), kMostStops));
  for (const Value& text : *stop) add(text, element("stop", out.size()));
  return out;
}

}  // namespace

tokens::SamplingOptions GenerationSettings::sampling_of(int64_t choice) const {
  tokens::SamplingOptions own = sampling;
  own.seed += static_cast<uint64_t>(choice);
  return own;
}

GenerationSettings read_generation_settings(Fields& fields, const ServedModel& model) {
  GenerationSettings s;
  // One model is served, so whatever name a client was configured with means this one.
  fields.text("model");
  read_sampling(fields, model, s.sampling);
  s.sampling.logit_bias = read_bias(fields, model.vocab());
  s.stop = read_stops(fields);
  s.n = fields.integer("n", 1, kMostChoices).value_or(1);
  s.stream = fields.boolean("stream").value_or(false);
  if (const Value* options = fields.find("stream_options")) {
    Fields inner(*options, "stream_options");
    s.include_usage = inner.boolean("include_usage").value_or(false);
    inner.ignore({"include_obfuscation"});
    inner.finish();
    if (!s.stream) refuse("stream_options", "stream_options are given without \"stream\": true");
  }
  s.ignore_eos = fields.boolean("ignore_eos").value_or(false);
  s.max_tokens = fields.integer("max_tokens", 0, INT32_MAX);
  fields.ignore({"user", "store", "metadata", "service_tier", "safety_identifier",
                 "prompt_cache_key", "prompt_cache_retention"});
  return s;
}

}  // namespace tilewright::serve
