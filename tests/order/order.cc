#include "order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/compile/unroll/submit_role.h"
#include "tilewright/compile/unroll/tracking.h"
#include "tilewright/data/program_file.h"
#include "tilewright/ir/runtime_graph.h"

namespace order_test {

using namespace tilewright;

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"tour.may", "tour", "may-2026"},
      {"scope1_split.august", "qwen3/scope1-split", "august-2026", "tiny"},
      {"scope2_before.may", "qwen3/scope2-before", "may-2026", "tiny"},
      {"scope3_before.april", "qwen3/scope3-before", "2026-04-24", "tiny"},
      {"decode.august", "qwen3/decode", "august-2026", "tiny"},
      {"manual_groups.august", "manual_groups.py", "august-2026"},
      {"untracked_parts.june", "untracked_parts.py", "june-2026"},
      {"siblings.april_29", "siblings.py", "2026-04-29"},
      {"siblings.may_06", "siblings.py", "2026-05-06"},
  };
  return kCases;
}

namespace {

catalog::ProgramDef load(const std::string& program) {
  if (!program.ends_with(".py")) return cli::builtin_catalog().find(program);
  return data::program_from_file(std::string(TILEWRIGHT_ORDER) + "/programs/" + program, {});
}

}  // namespace

Ordered::Ordered(const Case& c) : def_(load(c.program)) {
  session::Request request = session::request_for("a2a3sim");
  request.rules = c.rules;
  request.shape = c.shape;
  session_ = std::make_unique<session::Session>(def_, request);
  if (!session_->prepare()) bug(session_->diagnostics().text());
}

std::string Ordered::submissions() const {
  const ir::Plan& plan = *session_->plan();
  const ir::TaskGraph& graph = *session_->graph();
  const compile::SubmitRoles roles = compile::submit_roles(plan, session_->rules());
  const compile::Tracking tracking(plan, graph);
  std::string out;
  std::size_t t = 0;
  for (uint32_t s = 0; s < graph.submissions.size(); ++s) {
    out += fmt::format("submit {} {}\n", s, tracking.is_manual(s) ? "manual" : "auto");
    for (uint32_t from : graph.stated_preds(s)) out += fmt::format("after {}\n", from);
    const ir::Task& task = graph.tasks[t];  // the blocks of a launch pass the same arguments
    while (t < graph.tasks.size() && graph.tasks[t].submission == s) ++t;
    const ir::Kernel& kernel = plan.kernel(task.kernel);
    for (std::size_t i = 0; i < kernel.args.size(); ++i) {
      const ir::TensorRef& ref = graph.arg(task, i);
      if (!ref.buffer.valid()) continue;
      const ir::Buffer& buffer = graph.buffers[ref.buffer.index()];
      const auto left_out = graph.untracked_by(s);
      const bool no_dep = std::ranges::find(left_out, ref.buffer) != left_out.end();
      const auto creator = tracking.creator(ref.buffer);
      const auto rank = static_cast<std::size_t>(ref.rank);
      out +=
          fmt::format("arg {} {} {} {} {:d} {} {} {} {}\n",
                      no_dep ? "NoDep" : ir::submit_role_name(roles[task.kernel.index()][i]),
                      ref.buffer.index(), element_count(buffer.shape),
                      creator ? static_cast<int64_t>(*creator) : -1,
                      plan.program[buffer.var].untracked, ref.base, ref.rank,
                      fmt::join(ref.shape.begin(), ref.shape.begin() + rank, " "),
                      fmt::join(ref.stride.begin(), ref.stride.begin() + rank, " "));
    }
  }
  return out;
}

std::string Ordered::edges() {
  const ir::RuntimeGraph& order = session_->order();
  std::string out;
  for (uint32_t s = 0; s < order.submissions(); ++s) {
    std::vector<uint32_t> preds(order.preds_of(s).begin(), order.preds_of(s).end());
    std::ranges::sort(preds);
    if (!preds.empty()) out += fmt::format("{}: {}\n", s, fmt::join(preds, " "));
  }
  return out;
}

}  // namespace order_test
