#include "tilewright/session/expected.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/session/parameters.h"

namespace tilewright::session {
namespace {

void compare_added(const catalog::ProgramDef& def, const catalog::Arrays& arrays,
                   const catalog::Arrays& expected, OutputResult& out) {
  const auto it = def.added_to.find(out.name);
  if (it == def.added_to.end()) return;
  const HostArray& base = arrays[it->second];  // read-only, so it still holds the input
  out.added_to = it->second;
  out.added_relative_l2 = relative_to_added(arrays[out.name], expected[out.name], base);
}

// Input and output of one name need two files.
void require_not_the_input(const std::filesystem::path& file, const std::string& name,
                           const data::DataReader& inputs) {
  const auto input = inputs.find("in", name);
  std::error_code error;
  if (!input || !std::filesystem::equivalent(*input, file, error)) return;
  user_error("expect",
             fmt::format("{}.npy would be both input and expected value of {}", name, name),
             fmt::format("in --replay and --expect {}", inputs.directory()),
             "a parameter that is read and written needs one file for its input and one for its "
             "expected value",
             fmt::format("write in/{}.npy and out/{}.npy", name, name));
}

}  // namespace

catalog::Arrays file_outputs(const data::DataReader& files, const ir::Program& program,
                             const data::DataReader* inputs, Diagnostics& diagnostics) {
  catalog::Arrays expected;
  std::vector<std::string> names;
  bool any = false;
  for_each_array(program, [&](const ir::Param& p, const ir::Var& v) {
    if (p.direction == ir::Direction::In) return;
    names.push_back(v.name);
    const auto file = files.find("out", v.name);
    if (!file) return;
    if (inputs && p.direction == ir::Direction::InOut)
      require_not_the_input(*file, v.name, *inputs);
    any = true;
    data::read_parameter(*file, v, expected, diagnostics);
  });
  if (!any)
    user_error("expect", fmt::format("no file for any output: {}", join(names, ", ")),
               fmt::format("in --expect {}", files.directory()),
               "--expect compares each output with out/NAME.npy or NAME.npy",
               fmt::format("available: {}", files.listing("out")));
  return expected;
}

catalog::Arrays formula_outputs(const catalog::ProgramDef& def, Session& session) {
  // The formula gets its own arrays, so it cannot change the program's inputs. Outputs start as
  // poison, so an output that the formula forgets cannot match by chance.
  catalog::Arrays io;
  for (const auto& [name, array] : session.arrays().all()) io.add(name, array.clone());
  def.formula(session.config(), io);
  catalog::Arrays expected;
  for_each_output(session.program(), [&](const ir::Var& v) {
    if (!def.formula_outputs.empty() && !def.formula_outputs.contains(v.name)) return;
    HostArray& array = io[v.name];
    if (array.dtype() != v.dtype || array.shape() != v.shape)
      user_error("formula",
                 fmt::format("the formula changed {} to {} {}", v.name, shape_text(array.shape()),
                             dtype_name(array.dtype())),
                 fmt::format("in the formula of program {}", def.name),
                 "a formula must not change the type or shape of its arrays",
                 fmt::format("keep {} {} {}", v.name, shape_text(v.shape), dtype_name(v.dtype)));
    expected.add(v.name, std::move(array));
  });
  return expected;
}

std::vector<OutputResult> compare_outputs(const catalog::ProgramDef& def, Session& session,
                                          const catalog::Arrays& expected) {
  const catalog::Arrays& arrays = session.arrays();
  std::vector<OutputResult> outputs;
  for_each_output(session.program(), [&](const ir::Var& v) {
    OutputResult out{v.name, v.dtype, v.shape, def.tolerance(v.name), Status::Skipped, {}};
    if (expected.contains(v.name)) {
      out.comparison = compare(arrays[v.name], expected[v.name], out.tolerance);
      out.status = out.comparison.passed() ? Status::Pass : Status::Fail;
      compare_added(def, arrays, expected, out);
    } else {
      out.comparison.total = arrays[v.name].size();
    }
    outputs.push_back(std::move(out));
  });
  return outputs;
}

}  // namespace tilewright::session
