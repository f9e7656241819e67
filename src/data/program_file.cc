#include "tilewright/data/program_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "tilewright/base/check.h"
#include "tilewright/frontend/frontend.h"

namespace tilewright::data {
namespace {

using Args = std::map<std::string, std::string>;

struct Operand {
  std::string path, program;
};

Operand split_operand(const std::string& operand) {
  const std::size_t colons = operand.rfind("::");
  if (colons == std::string::npos) return {operand, ""};
  return {operand.substr(0, colons), operand.substr(colons + 2)};
}

// One program of a file. Lowering takes milliseconds and is needed for build, inputs and scalars in
// turn, so the last result is cached. Searches call it from several threads.
class FileProgram {
 public:
  FileProgram(frontend::File file, std::string program, Args args)
      : file_(std::move(file)), program_(std::move(program)), args_(std::move(args)) {
    for (frontend::Argument& a : file_.arguments(program_, args_)) {
      if (!a.integer) continue;
      // A number given with --arg is fixed by the user, so it is not a constant to search.
      const bool literal = !a.written.empty() && !args_.contains(a.name);
      keys_.push_back(
          {a.name, a.number, "a number of the file", INT64_MIN, INT64_MAX, {}, literal});
      if (literal) written_[a.name] = std::move(a.written);
    }
  }

  std::vector<SourceChange> rewrite(const std::map<std::string, int64_t>& keys) const {
    std::vector<Replacement> changes;
    for (const auto& [name, value] : keys)
      for (const Written& w : written_.at(name))
        changes.push_back({w, std::to_string(value)});
    return replace_in_files(changes);
  }

  const std::vector<catalog::Key>& keys() const { return keys_; }

  std::shared_ptr<const frontend::Lowered> lowered(const catalog::Config& config) {
    Args args = args_;
    // Passes only changed keys: the default of another key may be computed from them.
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (config.keys()[i].value != keys_[i].value)
        args[keys_[i].name] = std::to_string(config.keys()[i].value);
    {
      const std::lock_guard lock(mutex_);
      if (last_ && args == last_args_) return last_;
    }
    auto fresh = std::make_shared<const frontend::Lowered>(file_.lower(program_, args));
    const std::lock_guard lock(mutex_);
    last_args_ = std::move(args);
    last_ = fresh;
    return fresh;
  }

 private:
  frontend::File file_;
  std::string program_;
  Args args_;
  std::vector<catalog::Key> keys_;
  std::map<std::string, std::vector<Written>> written_;  // of literal keys
  std::mutex mutex_;                                     // protects the two members below
  Args last_args_;
  std::shared_ptr<const frontend::Lowered> last_;
};

// Normally distributed numbers around a mean; the catalog has only mean 0.
catalog::Init shifted_normal(double scale, double shift) {
  return [scale, shift](HostArray& array, Rng& rng) {
    HostArray base(DType::F32, array.shape());
    catalog::normal(1)(base, rng);
    for (int64_t i = 0; i < array.size(); ++i) array.set(i, scale * (base.at(i) + shift));
  };
}

catalog::Init counting(double scale, double shift) {
  return [scale, shift](HostArray& array, Rng&) {
    for (int64_t i = 0; i < array.size(); ++i)
      array.set(i, scale * (static_cast<double>(i) + shift));
  };
}

catalog::Init listed(std::shared_ptr<const std::vector<double>> values) {
  return [values = std::move(values)](HostArray& array, Rng&) {
    for (int64_t i = 0; i < array.size() && i < static_cast<int64_t>(values->size()); ++i)
      array.set(i, (*values)[static_cast<std::size_t>(i)]);
  };
}

catalog::Init init_of(const frontend::Initialiser& i) {
  using Kind = frontend::Initialiser::Kind;
  const double low = i.scale * i.shift;
  const double high = i.scale * (1 + i.shift);
  switch (i.kind) {
    case Kind::Uniform: return catalog::uniform(std::min(low, high), std::max(low, high));
    case Kind::Normal:
      return i.shift == 0 ? catalog::normal(i.scale) : shifted_normal(i.scale, i.shift);
    case Kind::Constant: return catalog::constant(low);
    case Kind::Integers: return catalog::integers(i.low, i.high);
    case Kind::Counting: return counting(i.scale, i.shift);
    case Kind::Values: return listed(i.values);
  }
  bug("init_of: kind");
}

}  // namespace

catalog::ProgramDef program_of(const std::string& name, const frontend::File& file,
                             const std::string& program, const Args& args) {
  auto source = std::make_shared<FileProgram>(file, program, args);
  catalog::ProgramDef def;
  def.name = name;
  def.summary = fmt::format("program {} of {}", program, file.name());
  def.shapes = {kFileShape};
  def.keys = [source](const std::string&, const catalog::Machine&) { return source->keys(); };
  def.build = [source](const catalog::Config& config) { return source->lowered(config)->program; };
  def.inputs = [source](const catalog::Config& config) {
    const auto lowered = source->lowered(config);
    std::map<std::string, catalog::Init> inits;
    for (const ir::Param& p : lowered->program.params) {
      const ir::Var& v = lowered->program[p.var];
      if (v.scalar || p.direction == ir::Direction::Out) continue;
      const auto it = lowered->inputs.find(v.name);
      if (it != lowered->inputs.end()) inits[v.name] = init_of(it->second);
    }
    return inits;
  };
  def.rewrite = [source](const std::map<std::string, int64_t>& keys) {
    return source->rewrite(keys);
  };
  if (const auto t = file.tolerance()) def.tolerances[""] = {t->rtol, t->atol};
  def.scalars = [source](const catalog::Config& config) {
    return source->lowered(config)->scalars;
  };
  return def;
}

bool names_program_file(const std::string& operand) {
  return split_operand(operand).path.ends_with(".py");
}

std::vector<catalog::ProgramDef> programs_from_file(const std::string& operand,
                                                    const FileChoices& choices) {
  const Operand o = split_operand(operand);
  const frontend::File file = frontend::File::read(o.path, choices.paths);
  const auto names = file.programs();
  std::vector<catalog::ProgramDef> defs;
  if (names.size() < 2 || !o.program.empty()) {
    defs.push_back(
        program_of(operand, file, o.program.empty() && !names.empty() ? names[0] : o.program,
                 choices.args));
  } else {
    for (const std::string& name : names)
      defs.push_back(program_of(fmt::format("{}::{}", o.path, name), file, name, choices.args));
  }
  return defs;
}

catalog::ProgramDef program_from_file(const std::string& operand, const FileChoices& choices) {
  const Operand o = split_operand(operand);
  const frontend::File file = frontend::File::read(o.path, choices.paths, choices.looked_for);
  const auto names = file.programs();
  const bool only = o.program.empty() && names.size() == 1;
  return program_of(operand, file, only ? names[0] : o.program, choices.args);
}

}  // namespace tilewright::data
