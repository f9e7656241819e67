// What is evaluated of a file and of the modules it imports: names, classes, modules, and what the
// user chose. One World per choice of sizes; it owns everything its values point to.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tilewright/base/source_change.h"
#include "tilewright/base/stop.h"
#include "tilewright/frontend/evaluate/value.h"
#include "tilewright/frontend/frontend.h"

namespace tilewright::frontend {

class Parsed;

using Bindings = std::map<std::string, Value, std::less<>>;

struct Environment {
  Environment* outer = nullptr;
  ModuleInfo* module = nullptr;
  const ClassInfo* of_class = nullptr;  // its names are not seen from the functions inside
  Bindings values;

  // Null when neither this scope nor an outer one knows the name.
  const Value* find(std::string_view name) const;
  void bind(std::string_view name, Value value) {
    values.insert_or_assign(std::string(name), std::move(value));
  }
};

struct ModuleInfo {
  std::string name;
  std::shared_ptr<const Parsed> parsed;
  Environment names;
  bool complete = false;  // false while it runs: a cycle sees what it has so far
};

struct ClassInfo {
  std::string name;
  const Stmt* def = nullptr;
  std::vector<const ClassInfo*> bases;  // and their bases, each once, nearest first
  Environment names;
  bool dataclass = false;
  bool enumeration = false;
  bool named_tuple = false;
  struct Field {
    std::string name;
    const Expr* initial = nullptr;  // null: it must be given
    Environment* home = nullptr;
  };
  std::vector<Field> fields;  // of a dataclass or named tuple, those of bases first

  const Value* find(std::string_view name) const;
};

// TensorSpec(...) or ScalarSpec(...): an object with the fields that the harness gives it.
struct SpecCall {
  Object object;
  bool scalar = false;
  Place place;

  const Value& field(std::string_view name) const;  // None when it has none
};

// run(...) or run_jit(...) of the file's main part: which program it starts, with which specs.
struct Launch {
  Value program, specs;
  std::optional<double> rtol, atol;
  Bindings globals;  // what the names of the file stood for at that moment
  bool compiles = false;  // it is compiled for these tensors, whose elements mean nothing
};

// What the user chose with --arg: a name and its value.
using Choices = std::map<std::string, Value>;

// An option of the file's command line, and what it can be besides its default.
struct CommandOption {
  std::string name;
  std::vector<Value> others;
};

class World {
 public:
  // `command_line`: options the file is started with, as the user's choices are. Those win.
  // Evaluation is given up after `most_steps`.
  explicit World(Choices choices, Choices command_line = {}, int64_t most_steps = kMostSteps);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Environment* new_environment(Environment* outer) {
    Environment& e = environments_.emplace_back();
    e.outer = outer;
    e.module = outer->module;
    return &e;
  }
  ClassInfo* new_class() { return &classes_.emplace_back(); }
  ModuleInfo* new_module() { return &modules_.emplace_back(); }
  const std::deque<ModuleInfo>& modules() const { return modules_; }

  // The user's choice for a name, if there is one; it then counts as used.
  const Value* chosen(std::string_view name);
  const std::set<std::string>& used() const { return used_; }
  // What the command line says for an option; null when it does not mention it.
  const Value* option(std::string_view name);
  // A number that --arg can replace, with what the file says.
  struct Choosable {
    std::string name;
    Value value;
    std::vector<Written> written;  // empty where the file computes it
  };
  void offer(std::string_view name, const Value& value, std::optional<Written> written = {});
  // Of a builder.
  void offer_first(std::string_view name, const Value& value, std::optional<Written> written = {});
  const std::vector<Choosable>& choosable() const { return choosable_; }

  // Evaluation ends, whatever the files hold: every statement and call is a step, and so is every
  // part of a value that is made, copied or looked at.
  void step(const Source& source, At at) {
    if (++steps_ > most_steps_) give_up(source.place(at));
    if (steps_ % 1024 == 0) stop_if_asked();
  }
  // What comes next has steps of its own: tables that take too long only cost the inputs their
  // values.
  void renew_steps() { steps_ = 0; }
  void spend(int64_t parts) { steps_ += parts; }  // refused at the next step

  int calls = 0;  // functions inside each other
  int depth = 0;  // blocks and expressions inside each other, over all calls and imports
  std::vector<SpecCall> specs;
  std::vector<Launch> launches;
  std::vector<CommandOption> options;  // that the file's main part reads
  List argv;                           // sys.argv
  bool main_started = false;  // the main part of the file has run, as far as it goes
  std::string main_stopped;   // not empty: it raised this, and where
  // What each function was given when it was first called. A builder that has no defaults is
  // called as the file calls it.
  std::map<const Stmt*, std::map<std::string, Value, std::less<>>> first_calls;

 private:
  Choices choices_;
  Choices command_line_;
  std::set<std::string> used_;
  std::vector<Choosable> choosable_;
  std::set<std::string> offered_;  // their names
  std::ptrdiff_t of_builders_ = 0;
  std::deque<Environment> environments_;
  std::deque<ClassInfo> classes_;
  std::deque<ModuleInfo> modules_;
  [[noreturn]] void give_up(const Place& place) const;
  int64_t most_steps_;
  int64_t steps_ = 0;
};

// Evaluation that is given up: nothing may go on as if the value were merely unknown.
class TooLong : public ProgramError {
 public:
  using ProgramError::ProgramError;
};

}  // namespace tilewright::frontend
