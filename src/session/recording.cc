#include "tilewright/session/recording.h"

#include "tilewright/session/parameters.h"

namespace tilewright::session {

void Recording::inputs(Session& session) {
  const ir::Program& program = session.program();
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    if (v.scalar) {
      writer_.write_scalar(v.name, v.dtype, session.scalars().at(v.name));
    } else if (p.direction != ir::Direction::Out) {
      writer_.write("in", v.name, session.arrays()[v.name]);
    }
  }
}

void Recording::expected(const catalog::Arrays& arrays) {
  for (const auto& [name, array] : arrays.all()) writer_.write("expected", name, array);
}

void Recording::outputs(Session& session) {
  for_each_output(session.program(), [&](const ir::Var& v) {
    writer_.write("out", v.name, session.arrays()[v.name]);
  });
}

void Recording::commit(const Session& session) {
  const Request& request = session.request();
  data::Manifest m;
  m.program = session.name();
  m.shape = session.shape();
  m.platform = request.platform_name;
  m.seed = request.seed;
  for (const catalog::Key& k : session.keys()) m.keys[k.name] = k.value;
  m.set = request.set;
  writer_.commit(m);
}

}  // namespace tilewright::session
