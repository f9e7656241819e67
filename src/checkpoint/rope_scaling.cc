#include "tilewright/checkpoint/rope_scaling.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::checkpoint {
namespace {

using Type = RopeScaling::Type;

struct NamedType {
  Type type;
  std::string_view name;
};
constexpr std::array<NamedType, 4> kTypes{{
    {Type::None, "default"},
    {Type::Linear, "linear"},
    {Type::Llama3, "llama3"},
    {Type::Yarn, "yarn"},
}};

}  // namespace

double yarn_attention(double factor) { return 0.1 * std::log(factor) + 1; }

std::string_view rope_scaling_name(Type type) {
  const auto at = std::ranges::find(kTypes, type, &NamedType::type);
  return at == kTypes.end() ? "divisors" : at->name;
}

std::optional<Type> find_rope_scaling(std::string_view name) {
  const auto at = std::ranges::find(kTypes, name, &NamedType::name);
  return at == kTypes.end() ? std::nullopt : std::optional(at->type);
}

}  // namespace tilewright::checkpoint
