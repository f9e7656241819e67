#include "tilewright/session/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/program.h"

namespace tilewright::session {
namespace {

using catalog::Config;
using catalog::ProgramDef;

const ir::Var* array_named(const ir::Program& program, const std::string& name) {
  for (const ir::Param& p : program.params)
    if (const ir::Var& v = program[p.var]; !v.scalar && v.name == name) return &v;
  return nullptr;
}

// The reasons why `program` cannot be compared with `reference`; empty when it can.
std::vector<std::string> differences(const ir::Program& program, const ir::Program& reference) {
  std::vector<std::string> out;
  for (const ir::Param& p : reference.params) {
    const ir::Var& want = reference[p.var];
    if (want.scalar) continue;
    const ir::Var* have = array_named(program, want.name);
    // An output of the reference that the program keeps to itself is not compared.
    if (!have && p.direction == ir::Direction::Out) continue;
    if (!have) {
      out.push_back(fmt::format("there is no parameter {}", want.name));
    } else if (have->shape != want.shape || have->dtype != want.dtype) {
      out.push_back(
          fmt::format("{} is {}, not {}", want.name, ir::type_text(*have), ir::type_text(want)));
    }
  }
  return out;
}

struct Match {
  std::optional<Config> config;
  std::string shape;  // the most similar one when none fits
  std::vector<std::string> misses;
};

Match match(const ProgramDef& reference, const ir::Program& program) {
  Match best;
  for (const std::string& shape : reference.shapes) {
    const Config config = catalog::configure(reference, shape, {});
    auto misses = differences(program, reference.build(config));
    if (misses.empty()) return {config, shape, {}};
    if (best.shape.empty() || misses.size() < best.misses.size())
      best = {{}, shape, std::move(misses)};
  }
  return best;
}

// The program with what the reference gives it: kernels may then read it as the program's own.
std::function<ir::Program(const Config&)> told_inputs(const ProgramDef& def,
                                                      const ProgramDef& reference,
                                                      const Config& config) {
  return [build = def.build, own = def.inputs, given = reference.inputs,
          config](const Config& chosen) {
    ir::Program program = build(chosen);
    if (!given) return program;
    const auto said = own ? own(chosen) : std::map<std::string, catalog::Init>{};
    const auto inputs = given(config);
    for (ir::Param& p : program.params) {
      const std::string& name = program[p.var].name;
      if (inputs.contains(name) && !said.contains(name)) p.unsaid = false;
    }
    return program;
  };
}

// The formula may write outputs that the program does not have; they get temporary arrays.
void run_formula(const ProgramDef& reference, const Config& config, catalog::Arrays& io) {
  const ir::Program program = reference.build(config);
  for (const ir::Param& p : program.params)
    if (const ir::Var& v = program[p.var]; !v.scalar && !io.contains(v.name)) {
      HostArray array(v.dtype, v.shape);
      array.fill_poison();
      io.add(v.name, std::move(array));
    }
  reference.formula(config, io);
}

}  // namespace

bool use_reference(ProgramDef& def, const ProgramDef& reference, bool required) {
  const ir::Program program = def.build(catalog::configure(def, "", {}));
  if (program.diagnostics.has_errors()) return false;  // the program's own errors come first
  const Match found = match(reference, program);
  if (!found.config || !reference.formula) {
    if (!required) return false;
    user_error("reference",
               found.config ? fmt::format("program {} has no formula", reference.name)
                            : fmt::format("{} does not fit {} at any of its shapes", def.name,
                                          reference.name),
               found.config ? ""
                            : fmt::format("the closest shape is {}: {}", found.shape,
                                          join(found.misses, "; ")),
               "a reference must have parameters of the same names, types and shapes",
               "choose sizes with --arg, or omit --reference");
  }
  const Config config = *found.config;
  def.build = told_inputs(def, reference, config);
  const auto own = def.inputs;
  const auto reference_inputs = reference.inputs;
  def.inputs = [own, reference_inputs, config, program](const Config& chosen) {
    auto inits = own ? own(chosen) : std::map<std::string, catalog::Init>{};
    if (reference_inputs)
      for (const auto& [name, init] : reference_inputs(config))
        if (array_named(program, name)) inits.emplace(name, init);
    return inits;
  };
  def.formula = [reference, config](const Config&, catalog::Arrays& io) {
    run_formula(reference, config, io);
  };
  if (reference.validate)
    def.validate = [reference, config](const Config&, const catalog::Arrays& io) {
      reference.validate(config, io);
    };
  const ir::Program theirs = reference.build(config);
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    if (v.scalar || p.direction == ir::Direction::In || !array_named(theirs, v.name)) continue;
    def.formula_outputs.insert(v.name);
    def.tolerances[v.name] = reference.tolerance(v.name);
    if (const auto it = reference.added_to.find(v.name);
        it != reference.added_to.end() && array_named(program, it->second))
      def.added_to[v.name] = it->second;
  }
  return true;
}

void use_original(ProgramDef& def, const catalog::Catalog& catalog) {
  const std::string name = def.build(catalog::configure(def, "", {})).name;
  const auto original = std::ranges::find(catalog.all(), name, &ProgramDef::name);
  if (original != catalog.all().end()) use_reference(def, *original, false);
}

}  // namespace tilewright::session
