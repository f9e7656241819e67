#include "tilewright/session/session.h"

#include <fmt/format.h>

#include <optional>

#include "tilewright/base/check.h"
#include "tilewright/base/stop.h"
#include "tilewright/data/inputs.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/session/definition.h"

namespace tilewright::session {

struct Session::Parts {
  const catalog::ProgramDef* def;  // may be null
  Request request;
  ChosenRules chosen;
  std::string name;
  std::optional<catalog::Config> config = {};
  std::optional<ir::Program> program;
  std::optional<ir::Plan> plan = {};
  std::vector<ir::TaskGraph> graphs = {};  // one per rank; they point into `plan`
  std::size_t rank = 0;                    // the rank that accessors refer to
  std::optional<ir::RuntimeGraph> order = {};
  catalog::Arrays arrays = {};
  std::map<std::string, double> scalars = {};
  ir::Bindings bindings = {};  // points into `arrays`
  Diagnostics diagnostics = {};
  Diagnostics compiled_diagnostics = {};  // from compilation; restored before every unroll

  Parts(const catalog::ProgramDef* d, Request r, std::optional<ir::Program> p)
      : def(d), request(std::move(r)), chosen(choose_rules(request)), program(std::move(p)) {
    if (def) config = configure(*def, request);
    name = def ? def->name : program->name;
  }
};

Session::Session(const catalog::ProgramDef& def, Request request)
    : parts_(std::make_unique<Parts>(&def, std::move(request), std::nullopt)) {}

Session::Session(const catalog::ProgramDef& def, Request request, ir::Program changed)
    : parts_(std::make_unique<Parts>(&def, std::move(request), std::move(changed))) {}

Session::Session(ir::Program program, Request request)
    : parts_(std::make_unique<Parts>(nullptr, std::move(request), std::move(program))) {
  parts_->bindings.arrays.resize(parts_->program->params.size());
  parts_->bindings.scalars.resize(parts_->program->params.size());
}

Session::~Session() = default;

const std::string& Session::name() const { return parts_->name; }
const catalog::Config& Session::config() const { return *parts_->config; }
const Request& Session::request() const { return parts_->request; }
const ChosenRules& Session::chosen_rules() const { return parts_->chosen; }
bool Session::built() const { return parts_->program.has_value(); }
bool Session::ready() const {
  return !parts_->graphs.empty() && !parts_->diagnostics.has_errors();
}
const ir::Program& Session::program() const { return *parts_->program; }
const ir::Plan* Session::plan() const { return parts_->plan ? &*parts_->plan : nullptr; }
const ir::TaskGraph* Session::graph() const {
  return parts_->graphs.empty() ? nullptr : &parts_->graphs[parts_->rank];
}
std::size_t Session::ranks() const { return parts_->graphs.size(); }
void Session::look_at(std::size_t rank) {
  check(rank < ranks(), "a rank of the program");
  parts_->rank = rank;
  parts_->order.reset();
}
catalog::Arrays& Session::arrays() { return parts_->arrays; }
const std::map<std::string, double>& Session::scalars() const { return parts_->scalars; }
ir::Bindings& Session::bindings() { return parts_->bindings; }
const Diagnostics& Session::diagnostics() const { return parts_->diagnostics; }
const Diagnostics& Session::program_diagnostics() const { return parts_->program->diagnostics; }

const std::string& Session::shape() const {
  static const std::string kNone;
  return parts_->config ? parts_->config->shape() : kNone;
}

const std::vector<catalog::Key>& Session::keys() const {
  static const std::vector<catalog::Key> kNone;
  return parts_->config ? parts_->config->keys() : kNone;
}

compile::Budget Session::budget() const {
  compile::Budget budget = parts_->request.budget;
  if (!parts_->def) return budget;
  if (!budget.vector && parts_->def->vector_budget > 0) budget.vector = parts_->def->vector_budget;
  if (!budget.cube && parts_->def->cube_budget > 0) budget.cube = parts_->def->cube_budget;
  return budget;
}

bool Session::prepare(Inputs inputs) {
  return build() && compile() && (!parts_->def || generate_inputs(inputs)) && unroll();
}

template <class F>
bool Session::step(F&& work) {
  stop_if_asked();
  try {
    work();
  } catch (const UserError& e) {
    Diagnostic d = e.diagnostic();
    if (d.where.empty()) d.where = fmt::format("in program {}", parts_->name);
    parts_->diagnostics.add(std::move(d));
  }
  return !parts_->diagnostics.has_errors();
}

bool Session::build() {
  return step([&] {
    if (!parts_->program) {
      parts_->program = parts_->def->build(*parts_->config);
      require_consistent(*parts_->def, *parts_->config, *parts_->program);
    }
    parts_->chosen = choose_rules(parts_->request, parts_->program->dialect);
  });
}

bool Session::compile(const AfterPass& after_pass) {
  compile::Options options;
  options.budget = budget();
  options.observe = after_pass;
  const bool fine = step([&] {
    parts_->plan = compile::compile(*parts_->program, machine(), options, parts_->diagnostics);
  });
  parts_->compiled_diagnostics = parts_->diagnostics;
  return fine;
}

bool Session::generate_inputs(Inputs inputs, const std::function<void(double)>& progress) {
  catalog::Arrays arrays;
  std::map<std::string, double> scalars;
  const bool made = step([&] {
    const auto deciding = data::parameters_read_as_scalars(*parts_->program);
    arrays = data::generate(*parts_->def, *parts_->config, *parts_->program, parts_->request.seed,
                            inputs == Inputs::Deciding ? &deciding : nullptr, progress);
    scalars = data::scalar_values(*parts_->def, *parts_->config);
  });
  return made && use_inputs(std::move(arrays), std::move(scalars));
}

bool Session::use_inputs(catalog::Arrays arrays, std::map<std::string, double> scalars) {
  parts_->arrays = std::move(arrays);
  parts_->scalars = std::move(scalars);
  return step([&] {
    if (parts_->def && parts_->def->validate)
      parts_->def->validate(*parts_->config, parts_->arrays);
    parts_->bindings = data::make_bindings(*parts_->program, parts_->arrays, parts_->scalars);
  });
}

bool Session::unroll() {
  check(parts_->plan.has_value(), "a program is compiled before it is unrolled");
  parts_->order.reset();
  parts_->diagnostics = parts_->compiled_diagnostics;
  parts_->graphs.clear();
  parts_->rank = 0;
  return step([&] {
           if (program().ranks > 1) return unroll_ranks();
           auto graph = compile::unroll(*parts_->plan, parts_->bindings, parts_->diagnostics);
           if (!graph) return;
           parts_->diagnostics.append(compile::check_launches(*parts_->plan, *graph, machine()));
           parts_->graphs.push_back(std::move(*graph));
         }) &&
         ready();
}

void Session::unroll_ranks() {
  parts_->graphs =
      compile::unroll_ranks(*parts_->plan, parts_->bindings, parts_->diagnostics);
  if (!parts_->graphs.empty())
    parts_->diagnostics.append(compile::check_ranks(*parts_->plan, parts_->graphs, rules()));
}

const ir::RuntimeGraph& Session::order() {
  if (!parts_->order)
    parts_->order = compile::order_tasks(*parts_->plan, *graph(), rules());
  return *parts_->order;
}

compile::HazardReport Session::hazards() const {
  return compile::find_hazards(*parts_->plan, *graph(), rules());
}

}  // namespace tilewright::session
