#include "support.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/session/session.h"

namespace qwen3_test {
namespace {

// The case as far as it is compiled; the program may have errors.
std::unique_ptr<session::Session> compiled(const Case& c) {
  const catalog::ProgramDef& def = c.own ? *c.own : program(c.program);
  session::Request r = session::request_for(c.platform);
  r.shape = c.shape;
  r.set = c.set;
  r.seed = c.seed;
  auto s = std::make_unique<session::Session>(def, r);
  if (!s->build()) return s;
  if (c.mutate) {
    ir::Program mutated = s->program();
    c.mutate(mutated);
    s = std::make_unique<session::Session>(def, r, std::move(mutated));
    s->build();
  }
  s->compile();
  return s;
}

catalog::Arrays clone(const catalog::Arrays& from) {
  catalog::Arrays to;
  for (const auto& [name, array] : from.all()) to.add(name, array.clone());
  return to;
}

}  // namespace

const std::vector<catalog::ProgramDef>& programs() {
  static const std::vector<catalog::ProgramDef> all = models::qwen3::qwen3_programs();
  return all;
}

const catalog::ProgramDef& program(const std::string& name) {
  for (const catalog::ProgramDef& def : programs())
    if (def.name == "qwen3/" + name) return def;
  throw std::invalid_argument(name);
}

bool has_key(const catalog::ProgramDef& def, const std::string& key) {
  for (const catalog::Key& k : def.keys("tiny", {}))
    if (k.name == key) return true;
  return false;
}

bool Outcome::passed() const {
  if (!ran() || outputs.empty()) return false;
  for (const auto& [name, comparison] : outputs)
    if (!comparison.passed()) return false;
  return true;
}

std::string Outcome::text() const {
  std::string out = diagnostics.text();
  for (const auto& [name, c] : outputs)
    out += fmt::format("{}: {}/{} matched, largest error {}\n", name, c.matched, c.total,
                       c.max_abs_error);
  return out;
}

Outcome run(const Case& c) {
  Outcome out;
  const catalog::ProgramDef& def = c.own ? *c.own : program(c.program);
  const auto s = compiled(c);
  out.diagnostics = s->diagnostics();
  if (!out.ran()) return out;
  s->generate_inputs(session::Inputs::All);
  if (c.inputs) {
    c.inputs(s->arrays());
    s->use_inputs(std::move(s->arrays()), s->scalars());
  }
  out.before = clone(s->arrays());
  out.expected = clone(s->arrays());
  if (!s->diagnostics().has_errors()) def.formula(s->config(), out.expected);
  if (!s->diagnostics().has_errors()) s->unroll();
  out.diagnostics = s->diagnostics();
  if (!out.ran()) return out;
  out.tasks = static_cast<int64_t>(s->graph()->tasks.size());
  golden::run_tasks(*s->plan(), *s->graph(), s->bindings(), c.order);
  out.actual = clone(s->arrays());
  for (const ir::Param& p : s->program().params) {
    const std::string& name = s->program()[p.var].name;
    if (p.direction != ir::Direction::In)
      out.outputs[name] =
          session::compare(out.actual[name], out.expected[name], def.tolerance(name));
  }
  return out;
}

Cost cost_of(const Case& c) {
  const auto s = compiled(c);
  const bool ready = !s->diagnostics().has_errors() &&
                     s->generate_inputs(session::Inputs::Deciding) && s->unroll();
  if (!ready) throw std::runtime_error(s->diagnostics().text());
  const ir::TaskGraph& graph = *s->graph();
  Cost cost{static_cast<int64_t>(graph.tasks.size()),
            static_cast<int64_t>(s->plan()->kernels.size())};
  for (const ir::Access& a : graph.accesses) {
    const DType dtype = graph.buffers[a.buffer.index()].dtype;
    (a.write ? cost.gm_written : cost.gm_read) += bytes_of(dtype, a.rect.elements());
  }
  return cost;
}

std::string refusal(const Case& c) {
  try {
    const Outcome o = run(c);
    return o.ran() ? "" : o.diagnostics.text();
  } catch (const UserError& e) {  // a key that the program does not have
    return e.diagnostic().text();
  }
}

}  // namespace qwen3_test
