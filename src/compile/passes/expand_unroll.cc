#include <fmt/format.h>

#include "tilewright/compile/passes/passes.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

constexpr int64_t kMostCopies = 100000;

void expand(Block& block, const Program& program, Context& context) {
  Block out;
  for (Stmt& s : block) {
    for_each_body(s, [&](Block& body) { expand(body, program, context); });
    auto* loop = s.as<For>();
    if (!loop || loop->kind != LoopKind::Unroll) {
      out.push_back(std::move(s));
      continue;
    }
    const int64_t start = loop->start.constant();
    const int64_t stop = loop->stop.constant();
    const int64_t span = loop->step > 0 ? stop - start : start - stop;
    if (span / std::abs(loop->step) > kMostCopies) {
      context.report(program, loop->place, "", "unroll loop",
                     {.code = "unroll-size",
                      .what = fmt::format("unroll of {} iterations", span / std::abs(loop->step)),
                      .law = fmt::format("unroll copies its body; at most {} times", kMostCopies),
                      .help = "use range"});
      continue;
    }
    // Copies share their variables: a buffer is rewritten by the next copy as by the next trip.
    for (int64_t i = start; loop->step > 0 ? i < stop : i > stop; i += loop->step) {
      Block copy = loop->body;
      substitute(copy, [&](VarId v) {
        return v == loop->var ? std::optional(Expr(i)) : std::nullopt;
      });
      for (Stmt& inner : copy) out.push_back(std::move(inner));
    }
  }
  block = std::move(out);
}

}  // namespace

void expand_unroll(Plan& plan, Context& context) {
  expand(plan.program.body, plan.program, context);
}

}  // namespace tilewright::compile
