// A first iteration that is written before its loop or in a branch of an if: `acc = matmul(x[0],
// w[0]); for k in range(1, n): matmul_acc(acc, x[k], w[k])`. Its ops are found by comparison with
// those of the body at i = 0.
#pragma once

#include <map>
#include <set>

#include "tilewright/improve/rewrites/loop_body.h"

namespace tilewright::improve {

struct FirstIteration {
  std::map<ir::VarId, ir::VarId> twin;  // variable of the first iteration -> of the body
  std::set<const ir::Op*> ops;          // of the first iteration
};

// The ops among `candidates` that start the sums which the body continues; nothing if one of the
// sums starts in another way.
std::optional<FirstIteration> find_first_iteration(const LoopBody& body,
                                                   const std::vector<const ir::Op*>& candidates);

}  // namespace tilewright::improve
