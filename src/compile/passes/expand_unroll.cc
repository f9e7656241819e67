#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tilewright/base/text.h"
#include "tilewright/compile/passes/carried.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/compile/trips.h"
#include "tilewright/ir/unique_names.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

constexpr int64_t kMostStatements = 1'000'000;  // made by one unroll

// Of constant bounds that the verifier has seen; they may be far apart.
int64_t constant_trips(const For& f) { return std::max<int64_t>(0, trip_count(f).constant()); }

int64_t count_statements(const Block& block) {
  int64_t n = 0;
  for_each_stmt(block, [&](const Stmt&) { ++n; });
  return n;
}

class Expander {
 public:
  Expander(Program& program, PassContext& context)
      : p_(program), names_(program), context_(context) {
    for (const Param& param : p_.params) ++uses_[param.var];  // by the caller
    count_uses(p_.body, uses_);
  }

  void expand(Block& block) {
    Block out;
    for (Stmt& s : block) {
      for_each_body(s, [&](Block& body) { expand(body); });
      auto* loop = s.as<For>();
      if (!loop || loop->kind != LoopKind::Unroll) {
        out.push_back(std::move(s));
      } else if (fits(*loop)) {
        write_copies(*loop, out);
      }
    }
    block = std::move(out);
  }

 private:
  using UseCounts = std::map<VarId, int64_t>;

  static void count_uses(const Block& block, UseCounts& uses) {
    for_each_stmt(block, [&](const Stmt& s) {
      for_each_array_use(s, [&](VarId v, bool) { ++uses[v]; });
    });
  }

  bool fits(const For& loop) {
    const int64_t trips = constant_trips(loop);
    const int64_t size = count_statements(loop.body);
    if (trips <= kMostStatements / std::max<int64_t>(size, 1)) return true;
    context_.report(
        p_, loop.place, "", "unroll loop",
        {.code = "unroll-size",
         .what = fmt::format("unroll of {} iterations of {}", trips, counted(size, "statement")),
         .law = fmt::format("unroll copies its body into at most {} statements", kMostStatements),
         .help = "use range"});
    return false;
  }

  void write_copies(const For& loop, Block& out) {
    const int64_t start = loop.start.constant();
    const int64_t stop = loop.stop.constant();
    const std::vector<VarId> own = own_variables(loop.body);
    for (int64_t i = start; loop.step > 0 ? i < stop : i > stop; i += loop.step) {
      Block copy = loop.body;
      substitute(copy, [&](VarId v) {
        return v == loop.var ? std::optional(Expr(i)) : std::nullopt;
      });
      if (i != start) {
        rename(copy, own);
        count_uses(copy, uses_);
      }
      for (Stmt& inner : copy) out.push_back(std::move(inner));
    }
  }

  // Variables that no trip leaves for a later one, nor for what follows. A copy with variables of
  // its own has buffers that live no longer than it does, and needs no GM to hand them on.
  std::vector<VarId> own_variables(const Block& body) const {
    UseCounts here;
    count_uses(body, here);
    const Carried carried(body);
    std::vector<VarId> own;
    for (const auto& [v, count] : here)
      if (uses_.at(v) == count && !carried.needs().contains(v)) own.push_back(v);
    return own;
  }

  void rename(Block& copy, const std::vector<VarId>& own) {
    std::map<VarId, VarId> renamed;
    for (const VarId v : own) {
      Var fresh = p_[v];
      fresh.name = names_.next(fresh.name);
      renamed[v] = p_.add_var(std::move(fresh));
    }
    const auto take = [&](VarId& v) {
      if (const auto it = renamed.find(v); it != renamed.end()) v = it->second;
    };
    for_each_stmt(copy, [&](Stmt& s) {
      if (auto* op = s.as<Op>()) {
        std::ranges::for_each(op->args, take);
        take(op->dst);
      } else if (auto* read = s.as<Read>()) {
        take(read->array);
      } else if (auto* call = s.as<ExternalCall>()) {
        for (ExternalCall::Array& a : call->arrays) take(a.var);
      }
    });
  }

  Program& p_;
  UniqueNames names_;
  PassContext& context_;
  UseCounts uses_;  // of the program as it is by now
};

}  // namespace

void expand_unroll(Plan& plan, PassContext& context) {
  Expander(plan.program, context).expand(plan.program.body);
}

}  // namespace tilewright::compile
