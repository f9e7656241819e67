// What the user chose in the editor: from initializationOptions and
// workspace/didChangeConfiguration.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tilewright/lsp/rpc.h"
#include "tilewright/session/request.h"

namespace tilewright::lsp {

struct Settings {
  std::string platform = "a2a3sim";
  std::string rules;  // empty: those of the file's dialect, or of the platform
  std::map<std::string, std::string> args;  // constants for all files, as with --arg
  std::map<std::string, std::map<std::string, std::string>> args_of;  // by the name of a file
  std::vector<std::string> paths;                                     // directories of modules
  double advice_seconds = 5;
  bool inlay_hints = true;
  std::string documentation;  // where the documents of Tilewright are: the start of a URL

  // Constants for a file: those given for the file itself, and those for all files that it
  // `mentions`.
  std::map<std::string, std::string> args_for(
      const std::string& path, const std::function<bool(const std::string& name)>& mentions) const;
  session::Request request() const;
};

// The settings in `json`; missing ones have their defaults. The settings may be inside a member
// "tilewright". UserError for an invalid value.
Settings settings_from(const Value& json);

}  // namespace tilewright::lsp
