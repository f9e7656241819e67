// Program files: Python with pl. calls, read without Python. A File knows the programs that stand
// in it; `lower` makes one of them an ir::Program, with the numbers the user chose.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/source_change.h"
#include "tilewright/ir/program.h"

namespace tilewright::frontend {

class Parsed;
class Source;
struct At;
struct Value;

// Statements, calls and parts of values that are evaluated outside programs, at most: about 10 s.
inline constexpr int64_t kMostSteps = 30'000'000;

// How the file fills an input: scale * (distribution + shift), as tensor specs write it.
struct Initialiser {
  enum class Kind : uint8_t { Uniform, Normal, Constant, Integers, Counting, Values };
  Kind kind = Kind::Constant;
  double scale = 1;
  double shift = 0;
  int64_t low = 0, high = 0;  // Integers: high is not included
  std::shared_ptr<std::vector<double>> values = nullptr;  // Values: every element
};

// A number of the file that --arg can replace: a builder parameter, a constant, a dynamic size.
struct Argument {
  std::string name;
  std::string value;  // as the file has it
  bool integer = false;
  int64_t number = 0;            // when integer
  std::vector<Written> written;  // where it stands as a number; empty if the file computes it
};

struct Lowered {
  ir::Program program;                        // its diagnostics say what was refused
  std::map<std::string, Initialiser> inputs;  // by parameter, where the file says how
  std::map<std::string, double> scalars;
};

// How a file is read; most of it is what an editor knows of a file, and what it wants to know.
struct Reading {
  std::vector<std::string> paths = {};  // directories of modules, after the file's own
  int64_t most_steps = kMostSteps;      // of evaluation
  // Hears the path of every file that decides what the program is, also of modules that are not
  // there.
  std::function<void(const std::string& path)> looked_for = {};
  // The text of a file that is open in an editor; nothing: the file on disk counts.
  std::function<std::optional<std::string>(const std::string& path)> open_text = {};
  // Lowering begins, perhaps once more: what was heard of names no longer holds.
  std::function<void()> lowering = {};
  // What a name of a program stands for where it is read, or bound. A function that is called twice
  // is heard twice.
  std::function<void(const Source& source, At at, std::string_view name, const Value& value,
                     bool bound)>
      named = {};
};

class File {
 public:
  // UserError with line and column when the text is no Python. `paths` are directories where
  // imported modules are looked for, after the file's own. `looked_for` hears the path of every
  // file that decides what the program is, also of modules that are not there.
  using LookedFor = std::function<void(const std::string& path)>;
  static File read(const std::string& path, std::vector<std::string> paths = {},
                   const LookedFor& looked_for = {});
  static File read(const std::string& path, Reading how);
  static File parse(const std::string& name, const std::string& text,
                    std::vector<std::string> paths = {});

  // What is evaluated from now on is given up after so many steps.
  void limit_steps(int64_t most_steps);

  const std::string& name() const;
  // Program classes and jit functions, in the order they stand in the file.
  std::vector<std::string> programs() const;
  // The file and the modules that were read so far.
  std::vector<std::shared_ptr<const Parsed>> files() const;
  // The first rtol= and atol= that are written in the file, if both are.
  struct Tolerance {
    double rtol, atol;
  };
  std::optional<Tolerance> tolerance() const;
  // The numbers of the file that belong to a program.
  std::vector<Argument> arguments(const std::string& program,
                                  const std::map<std::string, std::string>& chosen) const;
  // `program` may be empty when there is only one. UserError for an unknown program or argument.
  Lowered lower(const std::string& program, const std::map<std::string, std::string>& chosen) const;

  struct Content;

 private:
  File(std::shared_ptr<const Parsed> main, Reading how);
  std::shared_ptr<Content> content_;
};

}  // namespace tilewright::frontend
