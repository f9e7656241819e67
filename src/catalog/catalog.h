// What a runnable program is besides its tiles: named shapes, tiling keys, inputs, the formula it
// is compared with, and tolerances. Library programs, models and users' own files define these; the
// harness runs them.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/base/rng.h"
#include "tilewright/base/source_change.h"
#include "tilewright/ir/forward.h"

namespace tilewright::catalog {

// A free number of a program: a tiling constant or a size, settable with --set name=value.
struct Key {
  std::string name;
  int64_t value = 0;  // the default for this shape and machine
  std::string help;
  int64_t low = 1;
  int64_t high = INT64_MAX;
  std::vector<int64_t> choices = {};  // values worth trying when the program is tuned; none = fixed
  bool literal =
      false;  // a number in the user's file: what is worth trying follows from the program
};

// What the defaults of keys may depend on of the machine a program is made for: facts and numbers,
// so that a machine under another name has the same defaults. As it stands, this CPU.
struct Machine {
  std::string name = "cpu";  // to be told, not to be asked for
  bool device = false;       // an NPU; else this CPU
  // Cores that together take all that HBM gives, each loading as fast as it can; 0 = not known.
  double hbm_streams = 0;
};

// The choices of one run: named shape, machine, and every key's value.
class Config {
 public:
  Config(std::string shape, Machine machine, std::vector<Key> keys)
      : shape_(std::move(shape)), machine_(std::move(machine)), keys_(std::move(keys)) {}

  const std::string& shape() const { return shape_; }
  const Machine& machine() const { return machine_; }
  const std::vector<Key>& keys() const { return keys_; }
  // The value of a key; UserError if the program did not declare it.
  int64_t operator[](std::string_view key) const;
  // Throws UserError with the nearest name for an unknown key, or the range for a bad value.
  void set(const std::string& key, int64_t value);

 private:
  std::string shape_;
  Machine machine_;
  std::vector<Key> keys_;
};

// Fills one input. Each tensor has a random stream of its own, so order does not matter. Values
// that the array's type cannot hold are a UserError.
using Init = std::function<void(HostArray&, Rng&)>;
// Encoded types get random codes and scales of that magnitude from uniform and normal.
Init uniform(double low, double high);  // [low, high), then rounded to the type
Init normal(double scale);              // mean 0, standard deviation `scale`; floats only
Init constant(double value);
Init integers(int64_t low, int64_t high);  // [low, high)

// Arrays by parameter name.
class Arrays {
 public:
  void add(std::string name, HostArray array) {
    map_.insert_or_assign(std::move(name), std::move(array));
  }
  // Throws UserError with the nearest name when there is no such array.
  HostArray& operator[](const std::string& name);
  const HostArray& operator[](const std::string& name) const;
  bool contains(const std::string& name) const { return map_.contains(name); }
  const std::map<std::string, HostArray>& all() const { return map_; }
  std::map<std::string, HostArray>& all() { return map_; }

 private:
  std::map<std::string, HostArray> map_;
};

// Every element, for formulas: they read an array often, and HostArray::at is slow.
std::vector<double> doubles(const HostArray& array);

struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-5;
};

struct ProgramDef {
  std::string name;                               // "qwen3/decode"
  std::string summary;                            // one line for `list`
  std::vector<std::string> shapes = {"default"};  // the first one is the default
  std::function<std::vector<Key>(const std::string& shape, const Machine& machine)> keys;
  std::function<ir::Program(const Config&)> build;
  // Initialisers by parameter name for In and InOut parameters; unnamed ones are uniform [-1, 1).
  std::function<std::map<std::string, Init>(const Config&)> inputs;
  // Values of scalar parameters by name.
  std::function<std::map<std::string, double>(const Config&)> scalars;
  // Fills the Out and InOut arrays of `io` (which holds the inputs) from the model's equations, in
  // double precision. Absent: the comparison is SKIPPED.
  std::function<void(const Config&, Arrays& io)> formula;
  // Outputs that the formula fills; empty = all. The others are SKIPPED.
  std::set<std::string> formula_outputs = {};
  std::map<std::string, Tolerance> tolerances;  // by output name; "" = every other output

  Tolerance tolerance(const std::string& output) const;
  // The files of the user with other values for literal keys; absent: the program stands in none.
  std::function<std::vector<SourceChange>(const std::map<std::string, int64_t>& keys)> rewrite = {};
  // Refuses inputs that cannot work before anything runs: a UserError that names the element.
  std::function<void(const Config&, const Arrays& io)> validate = {};
  // Largest operand of a vector or cube op in bytes that the program promises to keep; 0 = none.
  int64_t vector_budget = 0;
  int64_t cube_budget = 0;
  // Outputs that are an input plus something small, by name: the input. Their error is worth
  // stating relative to what was added, since the input hides it.
  std::map<std::string, std::string> added_to = {};
};

// The keys of a program at their defaults. An empty shape name means the first; an unknown one is a
// UserError with the nearest name.
Config configure(const ProgramDef& def, const std::string& shape, const Machine& machine);

// The programs one executable offers, in the order they were added.
class Catalog {
 public:
  Catalog() = default;
  Catalog(std::initializer_list<ProgramDef> programs) : programs_(programs) {}

  void add(ProgramDef def) { programs_.push_back(std::move(def)); }
  // Throws UserError for a program without a name or a builder, or two of one name. Apart from
  // `add` so that a catalog made in the argument of main() fails inside main().
  void validate() const;
  // Throws UserError with the nearest name.
  const ProgramDef& find(const std::string& name) const;
  const std::vector<ProgramDef>& all() const { return programs_; }
  std::vector<std::string> names() const;

 private:
  std::vector<ProgramDef> programs_;
};

}  // namespace tilewright::catalog
