// One program made ready for one machine: configured, built, compiled, given its inputs, unrolled
// into tasks and ordered by the rules of a runtime. Every command, benchmark and test that checks,
// runs, predicts or measures a program starts here.
//
//   Session s(def, request_for("a2a3sim"));
//   if (!s.prepare()) print(s.diagnostics());
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/bindings.h"
#include "tilewright/session/request.h"

namespace tilewright::session {

enum class Inputs : uint8_t {
  Deciding,  // only what decides which tasks there are; all others of a layer are gigabytes
  All,
};

// Not copied and not moved: tasks point into the plan, bindings into the arrays.
class Session {
 public:
  // UserError for a key, a shape or rules that do not exist. `def` must outlive the session.
  Session(const catalog::ProgramDef& def, Request request);
  // A changed program in place of the one that `def` builds, with the same parameters.
  Session(const catalog::ProgramDef& def, Request request, ir::Program changed);
  // A program without a definition: the caller binds its arrays.
  Session(ir::Program program, Request request);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // All steps. False when the program is wrong: `diagnostics` says why, also when a key of the
  // request made it so. A request that cannot be understood throws UserError instead.
  bool prepare(Inputs inputs = Inputs::Deciding);

  // The steps one by one, in this order, for a caller that times them or has inputs of its own.
  // Each is false when the program is wrong, and then nothing may follow it.
  bool build();
  using AfterPass = std::function<void(std::string_view pass, const ir::Plan&)>;
  bool compile(const AfterPass& after_pass = {});
  bool generate_inputs(Inputs inputs, const std::function<void(double)>& progress = {});
  bool use_inputs(catalog::Arrays arrays, std::map<std::string, double> scalars);
  bool unroll();  // again after a change of what is bound

  // What was asked for.
  const std::string& name() const { return name_; }  // of the program
  const std::string& shape() const;
  const std::vector<catalog::Key>& keys() const;
  const catalog::Config& config() const { return *config_; }  // of a program with a definition
  const Request& request() const { return request_; }
  const platform::Platform& machine() const { return request_.machine(); }
  const platform::RuntimeRules& rules() const { return rules_; }
  // Of operands: what the request leaves open, the program's own promise decides.
  compile::Budget budget() const;

  // What came of it; each exists after its step.
  bool ready() const { return graph_.has_value() && !diagnostics_.has_errors(); }
  bool built() const { return program_.has_value(); }
  const ir::Program& program() const { return *program_; }  // as it was written
  const ir::Plan* plan() const { return plan_ ? &*plan_ : nullptr; }
  const ir::TaskGraph* graph() const { return graph_ ? &*graph_ : nullptr; }
  const ir::RuntimeGraph& order();  // under `rules`; made when first asked for
  catalog::Arrays& arrays() { return arrays_; }
  const std::map<std::string, double>& scalars() const { return scalars_; }
  ir::Bindings& bindings() { return bindings_; }
  const ir::Bindings& bindings() const { return bindings_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  // Conflicting tasks that `rules` leave unordered.
  compile::HazardReport hazards() const;

 private:
  Session(const catalog::ProgramDef* def, Request request, std::optional<ir::Program> program);
  // Runs a step of the program's own making: a mistake that it throws is one of the program.
  template <class F>
  bool step(F&& work);

  const catalog::ProgramDef* def_;  // may be null
  Request request_;
  platform::RuntimeRules rules_;
  std::string name_;
  std::optional<catalog::Config> config_;
  std::optional<ir::Program> program_;
  std::optional<ir::Plan> plan_;
  std::optional<ir::TaskGraph> graph_;  // points into `plan_`
  std::optional<ir::RuntimeGraph> order_;
  catalog::Arrays arrays_;
  std::map<std::string, double> scalars_;
  ir::Bindings bindings_;  // points into `arrays_`
  Diagnostics diagnostics_;
  Diagnostics compiled_diagnostics_;  // those before the tasks were made, which may be made again
};

}  // namespace tilewright::session
