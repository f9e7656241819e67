#include "tilewright/session/replay.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/data/npy.h"
#include "tilewright/session/parameters.h"

namespace tilewright::session {

Replay::Replay(const std::string& directory, const std::string& program) : files_(directory) {
  if (!files_.manifest() || files_.manifest()->program == program) return;
  const std::string& recorded = files_.manifest()->program;
  user_error("replay",
             fmt::format("the data was saved by program \"{}\", not \"{}\"", recorded, program),
             fmt::format("in --replay {}", directory),
             "saved data can be replayed only by the program that saved it",
             fmt::format("run {}, or use only the inputs with --replay {}/in", recorded,
                         directory));
}

void Replay::apply_to(Request& request) const {
  if (!files_.manifest()) return;
  const data::Manifest& m = *files_.manifest();
  if (request.shape.empty()) request.shape = m.shape;
  for (const auto& [key, value] : m.set) request.set.emplace(key, value);
  request.seed = m.seed;
}

void Replay::require_every_input(const ir::Program& program,
                                 const std::map<std::string, double>& given) const {
  std::vector<std::string> missing;
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    const bool needed = v.scalar ? !given.contains(v.name) : p.direction != ir::Direction::Out;
    if (needed && !files_.find("in", v.name)) missing.push_back(v.name);
  }
  if (missing.empty()) return;
  user_error("replay",
             fmt::format("no file for {}: {}",
                         counted(static_cast<int64_t>(missing.size()), "input"),
                         join(missing, ", ")),
             fmt::format("in --replay {}", files_.directory()),
             "every input of the program needs a file in/NAME.npy or NAME.npy",
             fmt::format("available: {}", files_.listing("in")));
}

catalog::Arrays Replay::inputs(const ir::Program& program, Diagnostics& diagnostics) const {
  catalog::Arrays arrays;
  for_each_array(program, [&](const ir::Param& p, const ir::Var& v) {
    if (p.direction != ir::Direction::Out) {
      data::read_parameter(*files_.find("in", v.name), v, arrays, diagnostics);
      return;
    }
    HostArray array(v.dtype, v.shape);
    array.fill_poison();
    arrays.add(v.name, std::move(array));
  });
  return arrays;
}

std::map<std::string, double> Replay::scalars(const ir::Program& program,
                                              std::map<std::string, double> given) const {
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    if (const auto file = v.scalar ? files_.find("in", v.name) : std::nullopt)
      given[v.name] = data::read_npy_scalar(*file, v.dtype);
  }
  return given;
}

bool Replay::has_expected() const { return files_.manifest() && files_.has("expected"); }

catalog::Arrays Replay::expected(const ir::Program& program, Diagnostics& diagnostics) const {
  catalog::Arrays arrays;
  for_each_output(program, [&](const ir::Var& v) {
    if (const auto file = files_.find("expected", v.name))
      data::read_parameter(*file, v, arrays, diagnostics);
  });
  return arrays;
}

}  // namespace tilewright::session
