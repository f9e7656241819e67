// What profile and tune take time from: a described machine, or this CPU.
#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/cli/sim_request.h"

namespace tilewright::cli {
namespace {

// A run on this CPU has no machine to vary.
void refuse_variations(const Context& c) {
  for (const char* flag : {"--override", "--ideal", "--rules", "--unprofiled"})
    if (c.args.has(flag))
      user_error("command-line", fmt::format("{} has no meaning on cpu", flag), "",
                 "a run on this cpu is measured; only described machines can be varied",
                 fmt::format("leave out {}, or use -p a2a3sim", flag));
}

}  // namespace

harness::SimRequest time_request(const Context& c) {
  if (c.args.text("--platform") != "cpu") return sim_request(c);
  refuse_variations(c);
  harness::SimRequest request;
  static_cast<harness::Request&>(request) = c.request();
  return request;
}

}  // namespace tilewright::cli
