// How valid regions travel through tile ops: ops act on the valid region of their operands, which
// must agree; outside it contents are undefined.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/program.h"
#include "tilewright/ir/region.h"

namespace tilewright::compile {

using Extent = std::array<int64_t, ir::kMaxRank>;

Extent full_extent(const ir::Var& v);
bool is_full(const Extent& e, const ir::Var& v);
std::string extent_text(const Extent& e, std::size_t rank);

// The valid extent of the result, or a sentence that says what disagrees. Not for memory ops.
struct ValidResult {
  Extent extent{};
  std::string problem = {};  // empty = fine
  bool needs_all = false;  // the problem is one operand that is not whole
};
ValidResult result_extent(const ir::Op& op, const std::vector<Extent>& args,
                          const ir::Program& program);

}  // namespace tilewright::compile
