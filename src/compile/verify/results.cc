// Results that are lost: a loop computes a value anew in each iteration, nothing in the loop reads
// it, and what stands behind the loop sees the last one only. Mostly a sum that is not added up:
// `acc = matmul(...)` where `acc = matmul_acc(acc, ...)` was meant.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/compile/spelling.h"
#include "tilewright/compile/trips.h"
#include "tilewright/compile/verify/verify.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

// Whether the op computes all of its result without the value that was there. To load every row and
// keep the last one is a way to choose a row.
bool replaces(const Op& op) {
  if (op.kind == OpKind::Load || op.kind == OpKind::Slice) return false;
  return !updates_in_place(op.kind) && !reads_dst(op) && op.kind != OpKind::Create &&
         std::ranges::find(op.args, op.dst) == op.args.end();
}

class LostResults {
 public:
  LostResults(const Program& program, PassContext& context) : p_(program), context_(context) {}

  // `scope`: the name of the scope around the block, if there is one.
  void look_into(const Block& block, const std::string* scope) {
    for (const Stmt& s : block) {
      const auto* inner = s.as<Scope>();
      const auto* loop = s.as<For>();
      const bool launch = loop && loop->kind == LoopKind::Spmd;
      if (loop && !launch && scope) look_at(*loop, *scope);
      const std::string* in = inner ? &inner->name : launch ? &loop->name : scope;
      for_each_body(s, [&](const Block& body) { look_into(body, in); });
    }
  }

 private:
  // Only what certainly happens: iterations that are counted, and ops that none of them skips.
  void look_at(const For& loop, const std::string& scope) {
    const Expr trips = trip_count(loop);
    if (!trips.is_constant() || trips.constant() < 2 || leaves_early(loop.body)) return;
    for (const Stmt& s : loop.body) {
      const Op* op = s.as<Op>();
      if (!op || !replaces(*op) || used(loop.body, op->dst, op)) continue;
      if (used(p_.body, op->dst, op, &loop)) tell(*op, loop, trips.constant(), scope);
    }
  }

  // Whether a statement other than `op` uses `v`, or outside of `apart` reads it.
  static bool used(const Block& block, VarId v, const Op* op, const For* apart = nullptr) {
    return std::ranges::any_of(block, [&](const Stmt& s) {
      if (apart && s.as<For>() == apart) return false;
      bool found = false;
      if (s.as<Op>() != op)
        for_each_array_use(s, [&](VarId u, bool write) {
          found = found || (u == v && (!write || !apart));
        });
      for_each_body(s, [&](const Block& body) { found = found || used(body, v, op, apart); });
      return found;
    });
  }

  void tell(const Op& op, const For& loop, int64_t trips, const std::string& scope) {
    const std::string name = p_[op.dst].written_name();
    const bool product = op.kind == OpKind::Matmul && op.args.size() == 2;
    context_.report(
        p_, op.place, scope, written_text(op, p_),
        {.severity = Severity::Warning,
         .code = "lost-result",
         .what = fmt::format("{} of {} values of {} are overwritten before anything reads them",
                             trips - 1, trips, name),
         .law = fmt::format("each iteration of the loop over {} computes {} anew, and only the last "
                            "value is read",
                            p_[loop.var].written_name(), name),
         .help = product ? fmt::format("add the products up with {}({}, {}, {})",
                                       spelling(op.place, Phrase::AddProduct), name,
                                       p_[op.args[0]].written_name(), p_[op.args[1]].written_name())
                         : fmt::format("use {} inside the loop, or compute it once behind the loop",
                                       name)});
  }

  const Program& p_;
  PassContext& context_;
};

}  // namespace

void verify_results(const Program& program, PassContext& context) {
  LostResults(program, context).look_into(program.body, nullptr);
}

}  // namespace tilewright::compile
