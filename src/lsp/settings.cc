#include "tilewright/lsp/settings.h"

#include <fmt/format.h>

#include <filesystem>

#include "tilewright/base/diagnostic.h"

namespace tilewright::lsp {
namespace {

[[noreturn]] void refuse_setting(const std::string& name, const std::string& wanted) {
  user_error("command-line", fmt::format("setting {} is not {}", name, wanted),
             "in the settings of the editor", "docs/editor.md lists the settings",
             "correct it or leave it out");
}

std::string text_setting(const Value& json, const char* name, const std::string& otherwise) {
  const Value& v = optional_member(json, name);
  if (v.is_null()) return otherwise;
  if (!v.is_string()) refuse_setting(name, "a string");
  return v;
}

// A number or a string: --arg takes the text.
std::string argument_text(const std::string& name, const Value& v) {
  if (v.is_string()) return v;
  if (v.is_number() || v.is_boolean()) return text_of(v);
  refuse_setting("args." + name, "a number or a string");
}

void read_args(const Value& args, Settings& out) {
  if (args.is_null()) return;
  if (!args.is_object()) refuse_setting("args", "an object");
  for (const auto& [name, v] : args.items()) {
    if (!v.is_object()) {
      out.args[name] = argument_text(name, v);
      continue;
    }
    for (const auto& [inner, number] : v.items())
      out.args_of[name][inner] = argument_text(inner, number);
  }
}

}  // namespace

std::map<std::string, std::string> Settings::args_for(
    const std::string& path, const std::function<bool(const std::string& name)>& mentions) const {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : args)
    if (mentions(name)) out[name] = value;
  const auto it = args_of.find(std::filesystem::path(path).filename().string());
  if (it != args_of.end())
    for (const auto& [name, value] : it->second) out[name] = value;
  return out;
}

session::Request Settings::request() const {
  session::Request request = session::request_for(platform);
  request.rules = rules;
  session::choose_rules(request);  // UserError for unknown ones
  return request;
}

Settings settings_from(const Value& json) {
  if (const Value& inner = optional_member(json, "tilewright"); inner.is_object())
    return settings_from(inner);
  Settings out;
  out.platform = text_setting(json, "platform", out.platform);
  out.rules = text_setting(json, "rules", "");
  out.documentation = text_setting(json, "documentation", "");
  read_args(optional_member(json, "args"), out);
  const Value& paths = optional_member(json, "paths");
  if (!paths.is_null() && !paths.is_array()) refuse_setting("paths", "a list");
  for (const Value& p : paths.is_null() ? Value::array() : paths) {
    if (!p.is_string()) refuse_setting("paths", "a list of directories");
    out.paths.push_back(p);
  }
  const Value& seconds = optional_member(json, "adviceSeconds");
  if (!seconds.is_null()) {
    if (!seconds.is_number() || seconds.get<double>() < 0 || seconds.get<double>() > 3600)
      refuse_setting("adviceSeconds", "a number from 0 to 3600");
    out.advice_seconds = seconds;
  }
  const Value& hints = optional_member(json, "inlayHints");
  if (!hints.is_null()) {
    if (!hints.is_boolean()) refuse_setting("inlayHints", "true or false");
    out.inlay_hints = hints;
  }
  out.request();
  return out;
}

}  // namespace tilewright::lsp
