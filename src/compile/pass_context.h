// What every check and pass is given: the plan's program, the platform, and where to say what is
// wrong. Messages are worded here once: "at file:line, program p, scope s, statement".
#pragma once

#include <string>
#include <string_view>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/plan.h"
#include "tilewright/platform/platform.h"

namespace tilewright::compile {

struct Problem {
  Severity severity = Severity::Error;
  std::string code, what, law, help;
  std::string excerpt = {};
  std::vector<RelatedPlace> related = {};
};

// An access to elements [first, last] of one dimension that does not have them all. `iteration` is
// the first that fails, as "nb = 3, kb = 6"; empty outside of loops, or if it is not known.
Problem out_of_bounds(std::string_view access, int64_t first, int64_t last, std::size_t dimension,
                      const ir::Var& array, const std::string& iteration);

// "at file:line, program p, scope "s", detail"
std::string where_text(const ir::Program& program, const Place& place, std::string_view scope,
                       std::string_view detail);

struct PassContext {
  const platform::Platform& platform;
  Diagnostics& diagnostics;

  void report(const ir::Program& program, const Place& place, std::string_view scope,
              std::string_view detail, Problem problem);
};

}  // namespace tilewright::compile
