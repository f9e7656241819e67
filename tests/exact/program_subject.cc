#include "program_subject.h"

#include "tilewright/harness/inputs.h"
#include "tilewright/harness/request.h"

namespace exact_test {

Subject make_subject(const catalog::ProgramDef& def, const std::string& platform,
                     const std::string& shape, const Set& set) {
  harness::Request request = harness::request_for(platform);
  request.shape = shape;
  request.set = set;
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
