#include "tilewright/cli/compare_side.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/blame.h"
#include "tilewright/base/text.h"
#include "tilewright/data/program_file.h"

namespace tilewright::cli {
namespace {

[[noreturn]] void refuse(const std::string& operand, const std::string& setting) {
  user_error("command-line", fmt::format("\"{}\" is not KEY=VALUE with a whole number", setting),
             fmt::format("in {}", operand),
             "the words after @ set keys of one side of a comparison",
             "write for example qwen3/scope3@mlp_n=256,mlp_k=128, or qwen3/scope3@shape=tiny");
}

void apply(session::Request& request, const std::string& operand, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == setting.size())
    refuse(operand, setting);
  const std::string key = setting.substr(0, equals);
  if (key == "shape") {
    request.shape = setting.substr(equals + 1);
    return;
  }
  const auto value = whole_number(std::string_view(setting).substr(equals + 1));
  if (!value) refuse(operand, setting);
  request.set[key] = *value;
}

bool has_key(const session::Contestant& side, const std::string& key) {
  const auto config =
      catalog::configure(*side.def, side.request.shape, side.request.catalog_machine());
  return std::ranges::find(config.keys(), key, &catalog::Key::name) != config.keys().end();
}

// UserError for settings behind the @ that the program does not have; it quotes them as written.
void require_own_settings(const session::Contestant& side, const std::string& operand,
                          const std::vector<std::string>& settings) {
  if (settings.empty()) return;
  session::Request own = side.request;
  own.set.clear();
  for (const std::string& setting : settings) apply(own, operand, setting);
  blamed_on(fmt::format("in {}", operand), [&] { session::configure(*side.def, own); });
}

}  // namespace

session::Contestant compare_side(const Context& c, const std::string& operand,
                                 const session::Request& common) {
  // A file's path may hold an @ too; settings have an equals sign.
  const std::size_t at = operand.rfind('@');
  const bool settings = at != std::string::npos && operand.find('=', at) != std::string::npos;
  if (at != std::string::npos && !settings && data::names_program_file(operand.substr(0, at)))
    refuse(operand, operand.substr(at + 1));
  session::Contestant side{operand, &c.find(settings ? operand.substr(0, at) : operand), common};
  if (data::names_program_file(side.def->name)) side.request.shape.clear();  // it has its sizes
  std::vector<std::string> own;
  if (settings) own = split(std::string_view(operand).substr(at + 1), ',');
  require_own_settings(side, operand, own);
  for (const std::string& setting : own)
    if (setting.starts_with("shape=")) apply(side.request, operand, setting);
  // Keys of --set that belong to the other program only are not an error of this one.
  std::erase_if(side.request.set, [&](const auto& entry) { return !has_key(side, entry.first); });
  for (const std::string& setting : own)
    if (!setting.starts_with("shape=")) apply(side.request, operand, setting);
  return side;
}

void require_known_keys(const session::Contestant& a, const session::Contestant& b,
                        const session::Request& common) {
  for (const auto& [key, value] : common.set)
    if (!has_key(a, key) && !has_key(b, key))
      session::configure(*a.def, common);  // throws, with the nearest name
}

}  // namespace tilewright::cli
