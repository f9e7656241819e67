#include "tilewright/emit/orchestration/orchestration.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/emit/kernel/queues.h"
#include "tilewright/emit/orchestration/tensors.h"
#include "tilewright/emit/spelling.h"
#include "tilewright/emit/text.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::emit {

using namespace ir;

namespace {

class OrchestrationWriter {
 public:
  OrchestrationWriter(const Plan& plan, const Options& options,
                      const std::vector<Function>& functions, Refusals& refusals)
      : plan_(plan),
        p_(plan.program),
        options_(options),
        functions_(functions),
        refusals_(refusals),
        spell_(p_),
        tensors_(p_, spell_, refusals, out_) {}

  std::string text() {
    config();
    out_.line("__attribute__((visibility(\"default\"))) void");
    out_.open("aicpu_orchestration_entry(const ChipTaskArgs& orch_args) {");
    parameters();
    scalars();
    block(p_.body);
    out_.close();
    out_.blank();
    out_.line("}  // extern \"C\"");
    return head() + integer_functions(out_.text()) + out_.text();
  }

 private:
  std::string head() const {
    return fmt::format(R"(// orchestration of {}
// written by tilewright for simpler {:.7} ({}), runtime tensormap_and_ringbuffer
#include <stdint.h>

#include "pto_orchestration_api.h"

#ifndef __aicore__
#define __aicore__
#endif

)",
                       p_.name, kSimplerRevision, kRevisionMonth);
  }

  void config() {
    const auto tensors =
        std::ranges::count_if(p_.params, [&](const Param& param) { return !p_[param.var].scalar; });
    out_.line("extern \"C\" {");
    out_.blank();
    out_.line("__attribute__((visibility(\"default\"))) PTO2OrchestrationConfig");
    out_.open("aicpu_orchestration_config(const ChipTaskArgs&) {");
    out_.line(fmt::format("return PTO2OrchestrationConfig{{.expected_arg_count = {}}};", tensors));
    out_.close();
    out_.blank();
  }

  void parameters() {
    int tensor = 0, scalar = 0;
    for (const Param& param : p_.params) {
      const VarId v = param.var;
      if (p_[v].scalar)
        out_.line(
            fmt::format("[[maybe_unused]] const {0} {1} = from_u64<{0}>(orch_args.scalar({2}));",
                        spell_.scalar_type(v), spell_.name(v), scalar++));
      else
        tensors_.parameter(v, tensor++);
    }
  }

  // Those that statements define, other than loop variables.
  void scalars() {
    std::set<VarId> seen;
    for_each_stmt(p_.body, [&](const Stmt& s) {
      const VarId v = scalar_defined(s);
      if (!v.valid() || s.as<For>() || !seen.insert(v).second) return;
      out_.line(fmt::format("[[maybe_unused]] {} {} = 0;", spell_.scalar_type(v), spell_.name(v)));
    });
  }

  void block(const Block& body) {
    tensors_.enter();
    for (const Stmt& s : body) std::visit([&](const auto& node) { write(node); }, s.node);
    tensors_.leave();
  }

  // The body of a loop gives back the tensors that it makes.
  void body(const Block& inside) {
    const bool scope = makes_tensors(inside);
    if (scope) out_.open("PTO2_SCOPE() {");
    block(inside);
    if (scope) out_.close();
    out_.close();
  }

  bool makes_tensors(const Block& inside) const {
    return std::ranges::any_of(inside, [&](const Stmt& s) {
      if (const auto* op = s.as<Op>()) return op->kind == OpKind::Create;
      const auto* call = s.as<Scope>();
      if (!call) return false;
      const Kernel& k = plan_.kernel(call->kernel);
      return k.core == CoreKind::Mixed ||
             std::ranges::any_of(k.args, [](const KernelArg& a) { return a.escape; });
    });
  }

  void write(const Op& op) {
    switch (op.kind) {
      case OpKind::Create: return tensors_.create(op);
      case OpKind::Slice: return tensors_.slice(op);
      case OpKind::Reshape: return tensors_.reshape(op);
      default: bug("this op in the orchestration of a plan");
    }
  }

  void write(const For& f) {
    if (f.kind == LoopKind::Spmd)
      return refuse(f.place, "an spmd launch", "every submission is one task",
                    "use pl.parallel instead of pl.spmd");
    const std::string v = spell_.name(f.var);
    out_.open(fmt::format("for (int64_t {0} = {1}, {0}_end = {2}; {0} {3} {0}_end; {0} += {4}) {{",
                          v, spell_.text(f.start), spell_.text(f.stop), f.step > 0 ? "<" : ">",
                          f.step));
    body(f.body);
  }
  void write(const While& w) {
    out_.open(fmt::format("while ({}) {{", spell_.text(w.condition)));
    body(w.body);
  }
  void write(const If& c) {
    out_.open(fmt::format("if ({}) {{", spell_.text(c.condition)));
    block(c.then_body);
    if (!c.else_body.empty()) {
      out_.otherwise();
      block(c.else_body);
    }
    out_.close();
  }
  void write(const Let& let) {
    out_.line(fmt::format("{} = {};", spell_.name(let.var), spell_.text(let.value)));
  }
  void write(const Compute& c) {
    out_.line(fmt::format("{} = {};", spell_.name(c.var), spell_.text(c)));
  }
  void write(const Read& r) { tensors_.read(r); }
  void write(const Break&) { out_.line("break;"); }
  void write(const Continue&) { out_.line("continue;"); }
  void write(const TaskSet& set) {
    refuse(set.place, "names of tasks", "tasks are ordered by the tensors that they share",
           "leave the order to the data");
  }
  void write(const Signal& s) {
    refuse(s.place, "a signal between ranks", "an emitted program runs on one device",
           "emit a program of one rank");
  }
  void write(const ExternalCall& c) {
    refuse(c.place, "a call of a kernel without a body",
           "emit writes the kernels that it has compiled", "add its source to the driver by hand");
  }

  void write(const Scope& call) {
    const Kernel& k = plan_.kernel(call.kernel);
    if (!call.order.deps.empty() || call.order.manual || !call.order.untracked.empty())
      return refuse(call.place, fmt::format("the stated order of {}", k.name),
                    "tasks are ordered by the tensors that they share",
                    "leave the order to the data: no deps, no manual scope");
    const std::string args = k.name + "_args", outs = k.name + "_outs";
    out_.line(fmt::format("// {}{}", call.place.known() ? call.place.text() + "  " : "", k.name));
    std::vector<VarId> made;
    for (const KernelArg& a : k.args)
      if (a.escape && role(call.kernel, a) == SubmitRole::Output) {
        tensors_.describe(a.var);
        made.push_back(a.var);
      }
    out_.line(fmt::format("CoreTaskArgs {};", args));
    for (const KernelArg& a : k.args) argument(call, a, args);
    if (const int64_t bytes = Queues(k.lowered).bytes(); bytes > 0) queues(k, args, bytes);
    for (VarId v : k.scalars) out_.line(fmt::format("{}.add_scalar({});", args, spell_.name(v)));
    out_.line(fmt::format("{}{};", made.empty() ? "" : "TaskOutputTensors " + outs + " = ",
                          submission(call.kernel, args)));
    for (std::size_t i = 0; i < made.size(); ++i) tensors_.made(made[i], outs, i);
  }

  // What the sides of the task hand over goes through a tensor that the task gives back.
  void queues(const Kernel& k, const std::string& args, int64_t bytes) {
    const std::string name = fmt::format("{}_{}", k.name, kQueues);
    out_.line(fmt::format("const uint32_t {}_shape[] = {{{}}};", name, bytes));
    out_.line(fmt::format("TensorCreateInfo {0}_info({0}_shape, 1, DataType::UINT8);", name));
    out_.line(fmt::format("{}.add_output({}_info);", args, name));
  }

  SubmitRole role(KernelId k, const KernelArg& arg) const {
    const auto& args = plan_.kernel(k).args;
    const auto at = static_cast<std::size_t>(&arg - args.data());
    return options_.roles[k.index()][at];
  }

  void argument(const Scope& call, const KernelArg& a, const std::string& args) {
    const SubmitRole r = role(call.kernel, a);
    if (r != SubmitRole::Output && !tensors_.known(a.var))
      return refuse(call.place,
                    fmt::format("{} is used outside of the block that makes it",
                                p_[a.var].written_name()),
                    "a tensor lives until the end of the block that makes it",
                    "create it before the block");
    std::string_view add;
    switch (r) {
      case SubmitRole::Input: add = "add_input"; break;
      case SubmitRole::InOut: add = "add_inout"; break;
      case SubmitRole::OutputExisting:
      case SubmitRole::Output: add = "add_output"; break;
    }
    out_.line(fmt::format("{}.{}({}{});", args, add, spell_.name(a.var),
                          r == SubmitRole::Output ? "_info" : ""));
  }

  std::string submission(KernelId k, const std::string& args) const {
    std::map<CoreSide, std::size_t> number;
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (functions_[i].kernel == k) number[functions_[i].side] = i;
    switch (plan_.kernel(k).core) {
      case CoreKind::Cube:
        return fmt::format("rt_submit_aic_task({}, {})", number.at(CoreSide::Cube), args);
      case CoreKind::Vector:
        return fmt::format("rt_submit_aiv_task({}, {})", number.at(CoreSide::Vector), args);
      case CoreKind::Mixed:
        return fmt::format("rt_submit_task(MixedKernels{{{}, {}}}, {})", number.at(CoreSide::Cube),
                           number.at(CoreSide::Vector), args);
    }
    bug("a kernel of no core");
  }

  void refuse(const Place& place, const std::string& what, const std::string& law,
              const std::string& help) {
    refusals_.add(place, what, law, help);
  }

  const Plan& plan_;
  const Program& p_;
  const Options& options_;
  const std::vector<Function>& functions_;
  Refusals& refusals_;
  Spelling spell_;
  Text out_;
  Tensors tensors_;
};

}  // namespace

std::string orchestration_file(const Plan& plan, const Options& options,
                               const std::vector<Function>& functions, Refusals& refusals) {
  return OrchestrationWriter(plan, options, functions, refusals).text();
}

}  // namespace tilewright::emit
