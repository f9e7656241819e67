#include "tilewright/harness/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "tilewright/base/text.h"
#include "tilewright/cpu/executable.h"
#include "tilewright/golden/golden.h"
#include "tilewright/harness/cross_check.h"
#include "tilewright/harness/data_dir.h"
#include "tilewright/harness/inputs.h"
#include "tilewright/sim/sim.h"

namespace tilewright::harness {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One run in progress. Each step is one stage; a step that finds errors in the program leaves them
// in the result's diagnostics and the run ends there.
class Run {
 public:
  Run(const catalog::ProgramDef& def, RunRequest request, const Executor& executor,
      const Observer& observer)
      : def_(def), request_(std::move(request)), executor_(executor), observer_(observer) {}

  RunResult go() {
    const auto start = Clock::now();
    prepare();
    if (observer_.start) observer_.start(result_);
    if (compile()) {
      inputs();
      if (unroll()) {
        predict();
        formula();
        explore();
        if (!reader_ && !def_.formula) keep_inputs();
        execute();
        compare();
        cross_check();
        if (writer_)
          stage("save data", [&] {
            save();
            return std::string();
          });
      }
    }
    result_.seconds = seconds_since(start);
    return std::move(result_);
  }

 private:
  // `work` returns what the stage has to say.
  template <class F>
  void stage(const std::string& name, F&& work) {
    if (observer_.begin) observer_.begin(name);
    const auto start = Clock::now();
    std::string detail = work();
    result_.stages.push_back({name, seconds_since(start), std::move(detail)});
    if (observer_.end) observer_.end(result_.stages.back());
  }

  void prepare();
  bool compile();
  void inputs();
  bool unroll();
  void predict();
  void formula();
  void explore();
  void keep_inputs();
  void execute();
  void compare();
  void cross_check();
  void compare_added(OutputResult& out);
  void save();

  template <class F>
  void for_each_array(F&& visit) const {
    for (const ir::Param& p : program_.params)
      if (!program_[p.var].scalar) visit(p, program_[p.var]);
  }
  template <class F>
  void for_each_output(F&& visit) const {
    for_each_array([&](const ir::Param& p, const ir::Var& v) {
      if (p.direction != ir::Direction::In) visit(v);
    });
  }
  catalog::Arrays replayed_inputs() const;
  catalog::Arrays replayed_expectations() const;
  catalog::Arrays computed_expectations() const;

  const catalog::ProgramDef& def_;
  RunRequest request_;
  const Executor& executor_;
  const Observer& observer_;
  RunResult result_;
  std::optional<DataReader> reader_;
  std::unique_ptr<DataWriter> writer_;
  std::optional<catalog::Config> config_;
  ir::Program program_;
  std::optional<ir::Plan> plan_;
  std::optional<ir::TaskGraph> graph_;
  std::map<std::string, double> scalars_;
  catalog::Arrays arrays_;    // the program's own, read and written by the executor
  catalog::Arrays expected_;  // outputs only; empty = nothing to compare with
  catalog::Arrays found_;     // the arrays before the run, for a program without a formula
  ir::Bindings bindings_;
};

// Everything that can be refused without work: names, directories.
void Run::prepare() {
  if (!request_.replay.empty()) {
    reader_.emplace(request_.replay);
    const Manifest& m = reader_->manifest();
    if (m.program != def_.name)
      user_error("replay",
                 fmt::format("the data was saved by program \"{}\", not \"{}\"", m.program,
                             def_.name),
                 fmt::format("in --replay {}", request_.replay),
                 "data is replayed into the program that it was saved from",
                 fmt::format("run {}, or name another directory", m.program));
    // The recording's choices, unless the user chooses otherwise now.
    if (request_.shape.empty()) request_.shape = m.shape;
    for (const auto& [key, value] : m.set) request_.set.emplace(key, value);
    request_.seed = m.seed;
  }
  config_ = configure(def_, request_);
  result_.program = def_.name;
  result_.shape = config_->shape();
  result_.platform = request_.platform_name;
  result_.executor = executor_.name;
  result_.keys = config_->keys();
  result_.seed = request_.seed;
  if (!request_.save_data.empty()) writer_ = std::make_unique<DataWriter>(request_.save_data);
}

bool Run::compile() {
  stage("build", [&] {
    program_ = build(def_, *config_);
    return std::string();
  });
  stage("compile", [&] {
    compile::Options options;
    options.budget = budget_of(def_, request_);
    plan_ = compile::compile(program_, request_.platform.platform, options, result_.diagnostics);
    result_.kernels = plan_ ? static_cast<int64_t>(plan_->kernels.size()) : 0;
    return plan_ ? counted(result_.kernels, "kernel") : std::string("errors found");
  });
  return plan_.has_value() && !result_.diagnostics.has_errors();
}

catalog::Arrays Run::replayed_inputs() const {
  catalog::Arrays arrays;
  for_each_array([&](const ir::Param& p, const ir::Var& v) {
    HostArray array(v.dtype, v.shape);
    if (p.direction == ir::Direction::Out) {
      array.fill_poison();
    } else {
      array = reader_->read("in", v.name, v.dtype, v.shape);
    }
    arrays.add(v.name, std::move(array));
  });
  return arrays;
}

void Run::inputs() {
  stage(reader_ ? "read inputs" : "generate inputs", [&] {
    if (reader_) {
      arrays_ = replayed_inputs();
      scalars_ = reader_->manifest().scalars;
    } else {
      arrays_ = generate(def_, *config_, program_, request_.seed, nullptr, observer_.progress);
      scalars_ = scalar_values(def_, *config_);
    }
    if (def_.validate) def_.validate(*config_, arrays_);
    int64_t bytes = 0;
    int64_t count = 0;
    for_each_array([&](const ir::Param& p, const ir::Var& v) {
      if (p.direction == ir::Direction::Out) return;
      bytes += v.bytes();
      ++count;
      if (writer_) writer_->write("in", v.name, arrays_[v.name]);
    });
    bindings_ = make_bindings(program_, arrays_, scalars_);
    return fmt::format("{}, {}", counted(count, "tensor"), human_bytes(bytes));
  });
}

bool Run::unroll() {
  stage("unroll", [&] {
    graph_ = compile::unroll(*plan_, bindings_, result_.diagnostics);
    result_.tasks = graph_ ? static_cast<int64_t>(graph_->tasks.size()) : 0;
    return graph_ ? fmt::format("{}, {}", counted(result_.tasks, "task"),
                                counted(static_cast<int64_t>(graph_->edges.size()), "dependence"))
                  : std::string("errors found");
  });
  return graph_.has_value() && !result_.diagnostics.has_errors();
}

// From the same task graph that the executor runs.
void Run::predict() {
  const platform::Platform& machine = request_.platform.platform;
  if (!request_.platform.simulated || !machine.timing || !machine.runtime) return;
  stage("predict", [&] {
    const ir::RuntimeGraph order =
        compile::order_tasks(*plan_, *graph_, rules_named(machine.rules));
    sim::Options how;
    how.bindings = &bindings_;
    how.progress = observer_.progress;
    const ir::RunRecord record = sim::simulate(*plan_, *graph_, order, machine, how);
    result_.predicted = report::profile(*plan_, *graph_, record, machine);
    return fmt::format("{:.2f} us on {}", result_.predicted->all.total_us, machine.title);
  });
}

catalog::Arrays Run::replayed_expectations() const {
  catalog::Arrays expected;
  for_each_output([&](const ir::Var& v) {
    if (reader_->has("expected", v.name))
      expected.add(v.name, reader_->read("expected", v.name, v.dtype, v.shape));
  });
  return expected;
}

catalog::Arrays Run::computed_expectations() const {
  // The formula gets arrays of its own: it cannot change what the program is run on. Outputs are
  // poison, so one that the formula forgets does not match by luck.
  catalog::Arrays io;
  for (const auto& [name, array] : arrays_.all()) io.add(name, array.clone());
  def_.formula(*config_, io);
  catalog::Arrays expected;
  for_each_output([&](const ir::Var& v) {
    if (!def_.formula_outputs.empty() && !def_.formula_outputs.contains(v.name)) return;
    HostArray& array = io[v.name];
    if (array.dtype() != v.dtype || array.shape() != v.shape)
      user_error("formula",
                 fmt::format("the formula made {} {} {}", v.name, shape_text(array.shape()),
                             dtype_name(array.dtype())),
                 fmt::format("in the formula of program {}", def_.name),
                 "a formula fills the arrays it is given",
                 fmt::format("keep {} {} {}", v.name, shape_text(v.shape), dtype_name(v.dtype)));
    expected.add(v.name, std::move(array));
  });
  return expected;
}

void Run::formula() {
  if (!reader_ && !def_.formula) return;
  stage(reader_ ? "read expected" : "compute formula", [&] {
    expected_ = reader_ ? replayed_expectations() : computed_expectations();
    if (writer_)
      for (const auto& [name, array] : expected_.all()) writer_->write("expected", name, array);
    return std::string();
  });
}

// Before the executor changes the state that every order starts from.
void Run::explore() {
  if (request_.explore == 0) return;
  stage("explore orders", [&] {
    const std::string& own = request_.platform.platform.rules;
    const ir::RuntimeGraph order =
        compile::order_tasks(*plan_, *graph_,
                             rules_named(request_.rules.empty() ? own : request_.rules));
    result_.exploration =
        harness::explore(*plan_, *graph_, order, bindings_, request_.explore, observer_.progress);
    return fmt::format("{} under {}, {} different", result_.exploration->orders, order.rules,
                       result_.exploration->different);
  });
}

void Run::execute() {
  stage(fmt::format("run on {}", executor_.name), [&] {
    std::string said = executor_.run(*plan_, *graph_, bindings_);
    if (writer_)
      for_each_output([&](const ir::Var& v) { writer_->write("out", v.name, arrays_[v.name]); });
    return said;
  });
}

void Run::compare_added(OutputResult& out) {
  const auto it = def_.added_to.find(out.name);
  if (it == def_.added_to.end()) return;
  const HostArray& base = arrays_[it->second];  // read-only, so it still holds the input
  if (base.shape() != out.shape)
    user_error("definition",
               fmt::format("output {} {} is added to {} {}", out.name, shape_text(out.shape),
                           it->second, shape_text(base.shape())),
               fmt::format("in the definition of program {}", def_.name),
               "an output has the shape of the input it adds to", "correct ProgramDef::added_to");
  out.added_to = it->second;
  out.added_relative_l2 = relative_to_added(arrays_[out.name], expected_[out.name], base);
}

void Run::compare() {
  stage("compare", [&] {
    for_each_output([&](const ir::Var& v) {
      OutputResult out{v.name, v.dtype, v.shape, def_.tolerance(v.name), Status::Skipped, {}};
      if (expected_.contains(v.name)) {
        out.comparison = harness::compare(arrays_[v.name], expected_[v.name], out.tolerance);
        out.status = out.comparison.passed() ? Status::Pass : Status::Fail;
        compare_added(out);
      } else {
        out.comparison.total = arrays_[v.name].size();
      }
      result_.outputs.push_back(std::move(out));
    });
    return counted(static_cast<int64_t>(result_.outputs.size()), "output");
  });
  const auto any = [&](Status s) {
    return std::ranges::find(result_.outputs, s, &OutputResult::status) != result_.outputs.end();
  };
  if (any(Status::Fail) || (result_.exploration && result_.exploration->different > 0)) {
    result_.status = Status::Fail;
  } else {
    const bool unproven = any(Status::Skipped) || result_.outputs.empty();
    result_.status = unproven ? Status::Skipped : Status::Pass;
  }
}

void Run::keep_inputs() {
  for (const auto& [name, array] : arrays_.all()) found_.add(name, array.clone());
}

// Without a formula nothing says what is right, but the tasks can be held against the program.
void Run::cross_check() {
  if (found_.all().empty()) return;
  stage("check orders", [&] {
    const auto difference =
        first_difference(program_, *plan_, *graph_, found_, arrays_, scalars_, request_.seed);
    if (!difference)
      return fmt::format("the program and {} random task orders give the same bits", kOrders);
    result_.status = Status::Fail;
    result_.diagnostics.add({Severity::Error, "orders", *difference,
                             fmt::format("in program {} on {}", def_.name, executor_.name),
                             "every order that the dependences allow gives the same bits",
                             "this is a bug of tilewright unless the program was run elsewhere",
                             ""});
    return *difference;
  });
}

void Run::save() {
  Manifest m;
  m.program = result_.program;
  m.shape = result_.shape;
  m.platform = result_.platform;
  m.seed = result_.seed;
  for (const catalog::Key& k : result_.keys) m.keys[k.name] = k.value;
  m.set = request_.set;
  m.scalars = scalars_;
  writer_->commit(std::move(m));
}

}  // namespace

std::string_view status_name(Status s) {
  switch (s) {
    case Status::Pass: return "PASS";
    case Status::Fail: return "FAIL";
    case Status::Skipped: return "SKIPPED";
  }
  return "";
}

Executor golden_executor(std::optional<uint64_t> order_seed) {
  return {"golden", [order_seed](const ir::Plan& plan, const ir::TaskGraph& graph,
                                 const ir::Bindings& bindings) {
            golden::run_tasks(plan, graph, bindings, order_seed);
            return std::string();
          }};
}

Executor cpu_executor(const CpuOptions& options) {
  return {
      "cpu",
      [options](const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings) {
        const auto start = Clock::now();
        cpu::Pool pool(options.threads);
        cpu::Executable executable(plan, graph,
                                   {.threads = pool.threads(), .order_seed = options.order_seed});
        const cpu::Weights weights = executable.bind_weights(bindings, cpu::Source::Release, &pool);
        const double bound = seconds_since(start);
        executable.run(pool, weights, bindings);
        return fmt::format("bound in {:.3f} s, one step {:.2f} ms on {}", bound,
                           (seconds_since(start) - bound) * 1e3, counted(pool.threads(), "thread"));
      }};
}

RunResult run(const catalog::ProgramDef& def, const RunRequest& request, const Executor& executor,
              const Observer& observer) {
  return Run(def, request, executor, observer).go();
}

}  // namespace tilewright::harness
