#include "tilewright/harness/program_file.h"

#include <fmt/format.h>

#include <memory>

#include "tilewright/frontend/frontend.h"

namespace tilewright::harness {
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

// One program of a file. Lowering takes milliseconds, but is asked for by build, inputs and scalars
// in turn, so the last answer is kept.
class FileProgram {
 public:
  FileProgram(frontend::File file, std::string program, Args args)
      : file_(std::move(file)), program_(std::move(program)), args_(std::move(args)) {
    for (const frontend::Argument& a : file_.arguments(program_, args_))
      if (a.integer)
        keys_.push_back({a.name, a.number, "a number of the file", INT64_MIN, INT64_MAX});
  }

  const std::vector<catalog::Key>& keys() const { return keys_; }

  const frontend::Lowered& lowered(const catalog::Config& config) {
    Args args = args_;
    // Only what was changed: a default may be computed from another number that was.
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (config.keys()[i].value != keys_[i].value)
        args[keys_[i].name] = std::to_string(config.keys()[i].value);
    if (!last_ || args != last_args_) {
      last_ = std::make_unique<frontend::Lowered>(file_.lower(program_, args));
      last_args_ = std::move(args);
    }
    return *last_;
  }

 private:
  frontend::File file_;
  std::string program_;
  Args args_;
  std::vector<catalog::Key> keys_;
  Args last_args_;
  std::unique_ptr<frontend::Lowered> last_;
};

catalog::ProgramDef make_def(const std::string& name, const frontend::File& file,
                             const std::string& program, const Args& args) {
  auto source = std::make_shared<FileProgram>(file, program, args);
  catalog::ProgramDef def;
  def.name = name;
  def.summary = fmt::format("program {} of {}", program, file.name());
  def.shapes = {"file"};
  def.keys = [source](const std::string&, const std::string&) { return source->keys(); };
  def.build = [source](const catalog::Config& config) { return source->lowered(config).program; };
  return def;
}

}  // namespace

bool names_program_file(const std::string& operand) {
  return split_operand(operand).path.ends_with(".py");
}

std::vector<catalog::ProgramDef> programs_from_file(const std::string& operand, const Args& args) {
  const Operand o = split_operand(operand);
  const frontend::File file = frontend::File::read(o.path);
  const auto names = file.programs();
  std::vector<catalog::ProgramDef> defs;
  if (names.size() < 2 || !o.program.empty()) {
    defs.push_back(make_def(operand, file, o.program.empty() && !names.empty() ? names[0] : o.program, args));
  } else {
    for (const std::string& name : names)
      defs.push_back(make_def(fmt::format("{}::{}", o.path, name), file, name, args));
  }
  return defs;
}

catalog::ProgramDef program_from_file(const std::string& operand, const Args& args) {
  const Operand o = split_operand(operand);
  const frontend::File file = frontend::File::read(o.path);
  const auto names = file.programs();
  const bool only = o.program.empty() && names.size() == 1;
  return make_def(operand, file, only ? names[0] : o.program, args);
}

}  // namespace tilewright::harness
