// What the names of a program stand for, written down while it is lowered.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "tilewright/frontend/evaluate/value.h"
#include "tilewright/frontend/frontend.h"

namespace tilewright::lsp {

// A tensor or scalar of the program, an integer of its variables, or anything else in words.
using Meaning = std::variant<std::string, ir::VarId, ir::Expr>;

struct Sighting {
  std::string name;
  bool bound = false;   // here the name gets its value; else it is read
  bool varies = false;  // it stands for another value when the function is called again
  Meaning meaning;
};

// By line and column, both from 1.
using Sightings = std::map<std::pair<uint32_t, uint32_t>, Sighting>;

class NameLog {
 public:
  // Connects `how` with a log that lives as long as it.
  static std::shared_ptr<NameLog> attach(frontend::Reading& how);

  // What was heard of the last lowering, by file.
  std::map<std::string, Sightings> take();
  // Nothing is heard any more: programs are built again for advice, by several threads.
  void close() { open_ = false; }

 private:
  void hear(const frontend::Source& source, frontend::At at, std::string_view name,
            const frontend::Value& value, bool bound);

  std::atomic<bool> open_ = true;
  std::map<std::string, Sightings> files_;
};

}  // namespace tilewright::lsp
