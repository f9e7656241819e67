#include "program_subject.h"

#include <stdexcept>

#include "tilewright/session/session.h"

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
  session::Request request = session::request_for(platform);
  request.shape = configuration.shape;
  request.set = configuration.set;
  for (platform::Memory& m : request.platform.platform.memories) shrink(m, configuration.memory);
  session::Session s(def, request);
  if (!s.prepare(session::Inputs::All)) throw std::runtime_error(s.diagnostics().text());
  std::vector<HostArray> arrays;
  for (HostArray* a : s.bindings().arrays) arrays.push_back(a ? std::move(*a) : HostArray());
  return make_subject(s.program(), s.machine(), std::move(arrays), s.bindings().scalars, s.budget());
}

}  // namespace exact_test
