#include "tilewright/checkpoint/config_rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/text.h"

namespace tilewright::checkpoint {
namespace {

using Type = RopeScaling::Type;

constexpr const char* kOtherModel = "choose a model with plain, linear, llama3 or yarn RoPE";

[[noreturn]] void refuse_scaling(std::string_view name, const std::string& place) {
  refuse_config(fmt::format("RoPE scaling {} is not supported", quote(name)), place, kOtherModel);
}

// Every field changes the angles, so one that is not known is not ignored.
void check_known(const Json& scaling, const Fields& f) {
  for (const std::string& key : scaling.keys) {
    static constexpr std::string_view kKnown[] = {
        "rope_type",       "type",     "rope_theta", "factor",
        "low_freq_factor", "beta_fast", "beta_slow",  "high_freq_factor",
        "attention_factor", "original_max_position_embeddings"};
    const Json& value = *scaling.find(key);
    const bool harmless = value.kind == Json::Kind::Null ||
                          (key == "partial_rotary_factor" && value.number == 1) ||
                          (key == "truncate" && value.boolean);
    if (std::ranges::find(kKnown, key) == std::end(kKnown) && !harmless)
      refuse_config(fmt::format("{} of the RoPE scaling is not supported", key), f.place(value),
                    kOtherModel);
  }
}

Type type_of(const Json& scaling, const Fields& f) {
  for (const char* key : {"rope_type", "type"}) {
    const Json* name = scaling.find(key);
    if (!name || name->kind != Json::Kind::String) continue;
    const auto type = find_rope_scaling(name->string);
    if (!type) refuse_scaling(name->string, f.place(*name));
    return *type;
  }
  return Type::None;
}

RopeScaling scaling_of(const Json& object, const std::string& origin, const ModelConfig& c) {
  const Fields f(object, origin);
  RopeScaling r;
  r.type = type_of(object, f);
  if (r.type == Type::None) return r;
  check_known(object, f);
  r.factor = f.number("factor");
  if (r.type == Type::Linear) return r;
  r.original_positions =
      static_cast<double>(f.size("original_max_position_embeddings", c.max_positions));
  if (r.type == Type::Llama3) {
    r.low_frequency = f.number("low_freq_factor");
    r.high_frequency = f.number("high_freq_factor");
  } else {
    r.beta_fast = f.number("beta_fast", r.beta_fast);
    r.beta_slow = f.number("beta_slow", r.beta_slow);
    if (f.find("attention_factor")) r.attention_factor = f.number("attention_factor");
  }
  return r;
}

// A model that is scaled by YaRN reaches further than it was trained for, and files state either
// context as that of the model.
void lengthen_context(ModelConfig& c) {
  if (c.rope.type != Type::Yarn) return;
  const double reach = c.rope.factor * c.rope.original_positions;
  if (reach >= 1 && reach <= 1 << 24)
    c.max_positions = std::max(c.max_positions, static_cast<int64_t>(reach));
}

std::vector<float> divisors_of(const TensorView& t, const ModelConfig& c,
                               const std::string& place) {
  std::vector<float> out(static_cast<std::size_t>(c.head_dim / 2));
  if (t.type != DType::F32 || t.shape != Shape{c.head_dim / 2})
    refuse_config(fmt::format("tensor {} {} is not F32 {}", t.name, shape_text(t.shape),
                              shape_text({c.head_dim / 2})),
                  place, Keys::kHelp);
  read_row(t, 0, out);
  for (const float d : out)
    if (!(d > 0 && std::isfinite(d)))
      refuse_config(fmt::format("tensor {} divides a frequency by {}", t.name, d), place,
                    Keys::kHelp);
  return out;
}

}  // namespace

// Newer files keep theta in rope_parameters, older ones beside the other numbers.
void read_rope(const Fields& f, ModelConfig& c) {
  c.rope_theta = f.number("rope_theta", 10000.0);  // llama's first value
  if (f.find("rope_scaling"))
    c.rope = scaling_of(f.need("rope_scaling", Json::Kind::Object), f.origin(), c);
  if (f.find("rope_parameters")) {
    const Json& parameters = f.need("rope_parameters", Json::Kind::Object);
    c.rope = scaling_of(parameters, f.origin(), c);
    c.rope_theta = Fields(parameters, f.origin()).number("rope_theta", c.rope_theta);
  }
  lengthen_context(c);
}

void read_rope(const Keys& keys, const GgufFile& file, ModelConfig& c) {
  c.rope_theta = keys.number("rope.freq_base", 10000.0);
  const GgufValue* type = keys.find("rope.scaling.type");
  const std::string name(type ? type->string().value_or("") : "linear");
  RopeScaling& r = c.rope;
  // Files without a type and with a factor are linear; the second key is an older name of it.
  r.factor = keys.number("rope.scaling.factor", keys.number("rope.scale_linear", 1));
  if (name == "yarn") {
    r.type = Type::Yarn;
    r.original_positions = static_cast<double>(
        keys.size("rope.scaling.original_context_length", c.max_positions));
    r.beta_fast = keys.number("rope.scaling.yarn_beta_fast", r.beta_fast);
    r.beta_slow = keys.number("rope.scaling.yarn_beta_slow", r.beta_slow);
    if (keys.find("rope.scaling.attn_factor"))
      r.attention_factor = keys.number("rope.scaling.attn_factor") * yarn_attention(r.factor);
  } else if (name == "linear" && r.factor != 1) {
    r.type = Type::Linear;
  } else if (name == "linear" || name == "none") {
    r.factor = 1;
  } else {
    refuse_scaling(name, keys.place());
  }
  const auto divisors = std::ranges::find(file.tensors, kRopeDivisors, &TensorView::name);
  if (divisors != file.tensors.end()) {
    if (r.type != Type::None)
      refuse_config(fmt::format("RoPE scaling {} together with tensor {} is not supported",
                                quote(name), kRopeDivisors),
                    keys.place(), kOtherModel);
    r.type = Type::Divisors;
    r.divisors = divisors_of(*divisors, c, keys.place());
  }
  lengthen_context(c);
}

std::string rope_to_json(const RopeScaling& r) {
  if (r.type == Type::None) return "null";
  std::string out = fmt::format("{{\"rope_type\": \"{}\", \"factor\": {}",
                                rope_scaling_name(r.type), r.factor);
  if (r.type == Type::Llama3)
    out += fmt::format(", \"low_freq_factor\": {}, \"high_freq_factor\": {}", r.low_frequency,
                       r.high_frequency);
  if (r.type == Type::Yarn) {
    out += fmt::format(", \"beta_fast\": {}, \"beta_slow\": {}", r.beta_fast, r.beta_slow);
    if (r.attention_factor) out += fmt::format(", \"attention_factor\": {}", *r.attention_factor);
  }
  if (r.type != Type::Linear)
    out += fmt::format(", \"original_max_position_embeddings\": {}", r.original_positions);
  return out + "}";
}

}  // namespace tilewright::checkpoint
