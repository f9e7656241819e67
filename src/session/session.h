// One program made ready for one machine: configured, built, compiled, given its inputs, unrolled
// into tasks and ordered by the rules of a runtime. Every command, benchmark and test that checks,
// runs, predicts or measures a program starts here.
//
//   Session s(def, request_for("a2a3sim"));
//   if (!s.prepare()) print(s.diagnostics());
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/forward.h"
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
  ~Session();
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
  const std::string& name() const;  // of the program
  const std::string& shape() const;
  const std::vector<catalog::Key>& keys() const;
  const catalog::Config& config() const;  // of a program with a definition
  const Request& request() const;
  const platform::Platform& machine() const { return request().machine(); }
  const platform::RuntimeRules& rules() const { return chosen_rules().rules; }
  const ChosenRules& chosen_rules() const;  // by the program's dialect once it is built
  // Of operands: what the request leaves open, the program's own promise decides.
  compile::Budget budget() const;

  // What came of it; each exists after its step.
  bool built() const;
  bool ready() const;
  const ir::Program& program() const;  // as it was written
  const ir::Plan* plan() const;
  const ir::TaskGraph* graph() const;  // of the rank looked at
  std::size_t ranks() const;           // that have graphs
  void look_at(std::size_t rank);      // the first, until another is chosen
  const ir::RuntimeGraph& order();  // under `rules`; made when first asked for
  catalog::Arrays& arrays();
  const std::map<std::string, double>& scalars() const;
  ir::Bindings& bindings();
  const Diagnostics& diagnostics() const;
  const Diagnostics& program_diagnostics() const;  // found while the program was being written
  // Conflicting tasks that `rules` leave unordered.
  compile::HazardReport hazards() const;

 private:
  struct Parts;
  // Runs a step of the program's own making: a mistake that it throws is one of the program.
  template <class F>
  bool step(F&& work);
  void unroll_ranks();

  std::unique_ptr<Parts> parts_;
};

}  // namespace tilewright::session
