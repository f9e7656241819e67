// Unique names of the variables of one program, for whoever writes it: the DSL or a front end.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace tilewright::ir {

class NameTable {
 public:
  // An identifier of the text form derived from `wanted`, with a number when the name is taken.
  std::string take(std::string_view wanted);
  // The name is free again: its variable never appears in the program.
  void release(const std::string& name) { counts_.erase(name); }

 private:
  std::unordered_map<std::string, int> counts_;
};

}  // namespace tilewright::ir
