#include "tilewright/session/replay.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/session/parameters.h"

namespace tilewright::session {

Replay::Replay(const std::string& directory, const std::string& program) : reader_(directory) {
  const std::string& recorded = reader_.manifest().program;
  if (recorded == program) return;
  user_error("replay",
             fmt::format("the data was saved by program \"{}\", not \"{}\"", recorded, program),
             fmt::format("in --replay {}", directory),
             "data is replayed into the program that it was saved from",
             fmt::format("run {}, or name another directory", recorded));
}

void Replay::apply_to(Request& request) const {
  const data::Manifest& m = reader_.manifest();
  if (request.shape.empty()) request.shape = m.shape;
  for (const auto& [key, value] : m.set) request.set.emplace(key, value);
  request.seed = m.seed;
}

catalog::Arrays Replay::inputs(const ir::Program& program) const {
  catalog::Arrays arrays;
  for_each_array(program, [&](const ir::Param& p, const ir::Var& v) {
    HostArray array(v.dtype, v.shape);
    if (p.direction == ir::Direction::Out) {
      array.fill_poison();
    } else {
      array = reader_.read("in", v.name, v.dtype, v.shape);
    }
    arrays.add(v.name, std::move(array));
  });
  return arrays;
}

catalog::Arrays Replay::expected(const ir::Program& program) const {
  catalog::Arrays arrays;
  for_each_output(program, [&](const ir::Var& v) {
    if (reader_.has("expected", v.name))
      arrays.add(v.name, reader_.read("expected", v.name, v.dtype, v.shape));
  });
  return arrays;
}

}  // namespace tilewright::session
