#include "program_subject.h"

#include "tilewright/harness/inputs.h"
#include "tilewright/harness/request.h"

namespace exact_test {
namespace {

void shrink(platform::Memory& m, double share) {
  if (!m.physical) return;
  const auto bytes = static_cast<int64_t>(static_cast<double>(*m.physical) * share);
  m.physical = m.safe = bytes / m.alignment * m.alignment;
}

}  // namespace

Subject make_subject(const catalog::ProgramDef& def, const std::string& platform,
                     const Configuration& configuration) {
  harness::Request request = harness::request_for(platform);
  request.shape = configuration.shape;
  request.set = configuration.set;
  for (platform::Memory& m : request.platform.platform.memories) shrink(m, configuration.memory);
  const catalog::Config config = harness::configure(def, request);
  const ir::Program program = harness::build(def, config);
  catalog::Arrays inputs = harness::generate(def, config, program, request.seed);
  const ir::Bindings bindings =
      harness::make_bindings(program, inputs, harness::scalar_values(def, config));
  std::vector<HostArray> arrays;
  for (HostArray* a : bindings.arrays) arrays.push_back(a ? std::move(*a) : HostArray());
  return make_subject(program, request.platform.platform, std::move(arrays), bindings.scalars,
                      harness::budget_of(def, request));
}

}  // namespace exact_test
