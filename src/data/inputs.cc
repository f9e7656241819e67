#include "tilewright/data/inputs.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/rng.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace tilewright::data {
namespace {

bool moves_data_unchanged(ir::OpKind kind) {
  return kind == ir::OpKind::Slice || kind == ir::OpKind::Load || kind == ir::OpKind::Reshape ||
         kind == ir::OpKind::Move || kind == ir::OpKind::Copy;
}

void fill(HostArray& array, const catalog::Init& init, uint64_t seed, const ir::Program& program,
          const std::string& name) {
  Rng rng(seed_for(seed, name.c_str()));
  const DType dtype = array.dtype();
  const Shape shape = array.shape();
  try {
    init(array, rng);
  } catch (const UserError& e) {  // an initialiser does not know the name of its parameter; add it
    if (!e.diagnostic().where.empty()) throw;
    Diagnostic d = e.diagnostic();
    d.where = fmt::format("in the initial values of input {}, program {}", name, program.name);
    throw UserError(std::move(d));
  }
  if (array.dtype() != dtype || array.shape() != shape)
    user_error("init",
               fmt::format("input {} became {} {}", name, shape_text(array.shape()),
                           dtype_name(array.dtype())),
               fmt::format("in the initial values of input {}, program {}", name, program.name),
               "an initialiser must not change the type or shape of its array",
               fmt::format("keep it {} {}", shape_text(shape), dtype_name(dtype)));
}

double scalar_value(const ir::Program& program, const ir::Var& v,
                    const std::map<std::string, double>& values) {
  const auto refuse = [&](const std::string& what) {
    user_error("scalar", what, fmt::format("scalar parameter {}, program {}", v.name, program.name),
               "every scalar parameter has a value of its type",
               fmt::format("give {0} a value: --arg {0}=NUMBER, in C++ ProgramDef::scalars",
                           v.name));
  };
  const auto it = values.find(v.name);
  if (it == values.end()) refuse(fmt::format("no value for scalar {}", v.name));
  const double value = it->second;
  const bool integral = value == std::floor(value) && std::abs(value) <= 0x1p53;
  if (!is_float(v.dtype) && !integral)
    refuse(fmt::format("{} is not a value of {}", value, dtype_name(v.dtype)));
  return value;
}

}  // namespace

std::set<std::string> parameters_read_as_scalars(const ir::Program& program) {
  std::set<ir::VarId> read;
  std::vector<std::pair<ir::VarId, ir::VarId>> views;  // result, source
  ir::for_each_stmt(program.body, [&](const ir::Stmt& s) {
    if (const auto* r = s.as<ir::Read>()) read.insert(r->array);
    if (const auto* op = s.as<ir::Op>(); op && moves_data_unchanged(op->kind))
      for (ir::VarId source : op->args) views.emplace_back(op->dst, source);
  });
  // A view can only refer to an earlier one, so one backward pass is usually enough; a buffer that
  // is carried by a loop may need more.
  for (bool grew = true; grew;) {
    grew = false;
    for (auto it = views.rbegin(); it != views.rend(); ++it)
      if (read.contains(it->first)) grew |= read.insert(it->second).second;
  }
  std::set<std::string> names;
  for (const ir::Param& p : program.params)
    if (read.contains(p.var)) names.insert(program[p.var].name);
  return names;
}

catalog::Arrays generate(const catalog::ProgramDef& def, const catalog::Config& config,
                         const ir::Program& program, uint64_t seed,
                         const std::set<std::string>* wanted,
                         const std::function<void(double)>& progress) {
  std::map<std::string, catalog::Init> inits;
  if (def.inputs) inits = def.inputs(config);
  const auto skipped = [&](const ir::Var& v) {
    return v.scalar || (wanted && !wanted->contains(v.name));
  };
  double total = 0, done = 0;
  for (const ir::Param& p : program.params)
    if (!skipped(program[p.var])) total += static_cast<double>(program[p.var].bytes());

  catalog::Arrays arrays;
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    if (skipped(v)) continue;
    HostArray array(v.dtype, v.shape);
    if (p.direction == ir::Direction::Out) {
      array.fill_poison();
    } else {
      const auto it = inits.find(v.name);
      fill(array, it == inits.end() ? catalog::uniform(-1, 1) : it->second, seed, program, v.name);
    }
    arrays.add(v.name, std::move(array));
    done += static_cast<double>(v.bytes());
    if (progress) progress(done / total);
  }
  return arrays;
}

std::map<std::string, double> scalar_values(const catalog::ProgramDef& def,
                                            const catalog::Config& config) {
  return def.scalars ? def.scalars(config) : std::map<std::string, double>{};
}

ir::Bindings make_bindings(const ir::Program& program, catalog::Arrays& arrays,
                           const std::map<std::string, double>& scalars) {
  ir::Bindings bindings;
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    bindings.arrays.push_back(!v.scalar && arrays.contains(v.name) ? &arrays[v.name] : nullptr);
    bindings.scalars.push_back(v.scalar ? scalar_value(program, v, scalars) : 0.0);
  }
  return bindings;
}

}  // namespace tilewright::data
