// Typed reading of a platform file: presence, type, sign and spelling are checked here, so that
// parse.cc only lists what the fields are. Every failure names the field by its path and the line.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/json.h"
#include "tilewright/platform/platform.h"

namespace tilewright::platform {

// Help for a misspelt name: the nearest known one, or `otherwise` when none is near.
std::string suggest(std::string_view word, const std::vector<std::string>& known,
                    std::string_view otherwise);

// What every section of one file shares.
struct File {
  std::string origin;
  std::vector<Fact>* facts;  // every value read with its source; a later one replaces its path
};

// One object of the file. In a partial section (a file that extends a machine) an absent field
// leaves its variable as it is; otherwise it is an error.
class Section {
 public:
  Section(const Json& json, std::string path, bool partial, const File& file);

  // An error, with the nearest name, for a field that is not in `known`.
  void only(const std::vector<std::string>& known) const;
  bool has(std::string_view name) const { return json_.find(name) != nullptr; }
  const std::vector<std::string>& names() const { return json_.keys; }

  std::optional<Section> section(std::string_view name) const;
  Section section(std::string_view name, bool partial) const;  // the field is there

  void read(std::string_view name, std::string& out) const;
  void read(std::string_view name, bool& out) const;

  // Sourced values: {"value": ..., "standing": ..., "source": ...}.
  struct Sourced {
    const Json* value;
    Fact fact;  // without its value
    std::string value_path;
  };
  std::optional<Sourced> sourced(std::string_view name) const;
  void record(Fact fact) const;

  template <class T>
  void read_whole(std::string_view name, T& out, std::string_view unit) const {
    if (auto s = sourced(name))
      out = static_cast<T>(whole(*s, unit, std::numeric_limits<T>::max()));
  }
  void read_rate(std::string_view name, double& out, std::string_view unit) const;
  // Zero or more.
  void read_time(std::string_view name, double& out, std::string_view unit) const;
  // Absent = "unlimited" in the file.
  void read_limit(std::string_view name, std::optional<int64_t>& out, std::string_view unit) const;

  std::string path_of(std::string_view name) const;
  [[noreturn]] void fail(std::string_view name, std::string_view what, std::string law,
                         std::string help) const;
  [[noreturn]] void fail_at(uint32_t line, std::string_view path, std::string_view what,
                            std::string law, std::string help) const;

 private:
  int64_t whole(Sourced& s, std::string_view unit, int64_t most) const;
  const Json* get(std::string_view name, Json::Kind kind) const;

  const Json& json_;
  std::string path_;
  bool partial_;
  const File& file_;
};

}  // namespace tilewright::platform
