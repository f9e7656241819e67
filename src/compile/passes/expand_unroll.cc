#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tilewright/base/text.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

constexpr int64_t kMostStatements = 1'000'000;  // made by one unroll

// Of constant bounds that the verifier has seen; they may be far apart.
int64_t trip_count(const For& f) {
  const Expr span = f.step > 0 ? f.stop - f.start : f.start - f.stop;
  return std::max<int64_t>(0, floor_div(span + Expr(std::abs(f.step) - 1), std::abs(f.step)).constant());
}

int64_t count_statements(const Block& block) {
  int64_t n = 0;
  for_each_stmt(block, [&](const Stmt&) { ++n; });
  return n;
}

void expand(Block& block, const Program& program, PassContext& context) {
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
    const int64_t trips = trip_count(*loop);
    const int64_t size = count_statements(loop->body);
    if (trips > kMostStatements / std::max<int64_t>(size, 1)) {
      context.report(program, loop->place, "", "unroll loop",
                     {.code = "unroll-size",
                      .what = fmt::format("unroll of {} iterations of {}", trips,
                                          counted(size, "statement")),
                      .law = fmt::format("unroll copies its body, into at most {} statements",
                                         kMostStatements),
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

void expand_unroll(Plan& plan, PassContext& context) {
  expand(plan.program.body, plan.program, context);
}

}  // namespace tilewright::compile
