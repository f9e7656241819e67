#include "tilewright/session/session.h"

#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/data/inputs.h"
#include "tilewright/session/definition.h"

namespace tilewright::session {

Session::Session(const catalog::ProgramDef* def, Request request,
                 std::optional<ir::Program> program)
    : def_(def),
      request_(std::move(request)),
      rules_(rules_of(request_)),
      program_(std::move(program)) {
  if (def_) config_ = configure(*def_, request_);
  name_ = def_ ? def_->name : program_->name;
}

Session::Session(const catalog::ProgramDef& def, Request request)
    : Session(&def, std::move(request), std::nullopt) {}

Session::Session(const catalog::ProgramDef& def, Request request, ir::Program changed)
    : Session(&def, std::move(request), std::optional(std::move(changed))) {}

Session::Session(ir::Program program, Request request)
    : Session(nullptr, std::move(request), std::optional(std::move(program))) {
  bindings_.arrays.resize(program_->params.size());
  bindings_.scalars.resize(program_->params.size());
}

const std::string& Session::shape() const {
  static const std::string kNone;
  return config_ ? config_->shape() : kNone;
}

const std::vector<catalog::Key>& Session::keys() const {
  static const std::vector<catalog::Key> kNone;
  return config_ ? config_->keys() : kNone;
}

compile::Budget Session::budget() const {
  compile::Budget budget = request_.budget;
  if (!def_) return budget;
  if (!budget.vector && def_->vector_budget > 0) budget.vector = def_->vector_budget;
  if (!budget.cube && def_->cube_budget > 0) budget.cube = def_->cube_budget;
  return budget;
}

bool Session::prepare(Inputs inputs) {
  return build() && compile() && (!def_ || generate_inputs(inputs)) && unroll();
}

template <class F>
bool Session::step(F&& work) {
  try {
    work();
  } catch (const UserError& e) {
    Diagnostic d = e.diagnostic();
    if (d.where.empty()) d.where = fmt::format("in program {}", name_);
    diagnostics_.add(std::move(d));
  }
  return !diagnostics_.has_errors();
}

bool Session::build() {
  return step([&] {
    if (program_) return;
    program_ = def_->build(*config_);
    require_consistent(*def_, *config_, *program_);
  });
}

bool Session::compile(const AfterPass& after_pass) {
  compile::Options options;
  options.budget = budget();
  options.observe = after_pass;
  const bool fine =
      step([&] { plan_ = compile::compile(*program_, machine(), options, diagnostics_); });
  compiled_diagnostics_ = diagnostics_;
  return fine;
}

bool Session::generate_inputs(Inputs inputs, const std::function<void(double)>& progress) {
  catalog::Arrays arrays;
  std::map<std::string, double> scalars;
  const bool made = step([&] {
    const auto deciding = data::parameters_read_as_scalars(*program_);
    arrays = data::generate(*def_, *config_, *program_, request_.seed,
                            inputs == Inputs::Deciding ? &deciding : nullptr, progress);
    scalars = data::scalar_values(*def_, *config_);
  });
  return made && use_inputs(std::move(arrays), std::move(scalars));
}

bool Session::use_inputs(catalog::Arrays arrays, std::map<std::string, double> scalars) {
  arrays_ = std::move(arrays);
  scalars_ = std::move(scalars);
  return step([&] {
    if (def_ && def_->validate) def_->validate(*config_, arrays_);
    bindings_ = data::make_bindings(*program_, arrays_, scalars_);
  });
}

bool Session::unroll() {
  check(plan_.has_value(), "a program is compiled before it is unrolled");
  order_.reset();
  diagnostics_ = compiled_diagnostics_;
  return step([&] { graph_ = compile::unroll(*plan_, bindings_, diagnostics_); }) && ready();
}

const ir::RuntimeGraph& Session::order() {
  if (!order_) order_ = compile::order_tasks(*plan_, *graph_, rules_);
  return *order_;
}

compile::HazardReport Session::hazards() const {
  return compile::find_hazards(*plan_, *graph_, rules_);
}

}  // namespace tilewright::session
