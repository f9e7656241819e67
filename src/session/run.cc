#include "tilewright/session/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "tilewright/base/text.h"
#include "tilewright/data/data_dir.h"
#include "tilewright/data/inputs.h"
#include "tilewright/ir/plan.h"
#include "tilewright/session/cross_check.h"
#include "tilewright/session/expected.h"
#include "tilewright/session/device_reads.h"
#include "tilewright/session/externals.h"
#include "tilewright/session/parameters.h"
#include "tilewright/session/doubt.h"
#include "tilewright/session/predict.h"
#include "tilewright/session/ranks.h"
#include "tilewright/session/recording.h"
#include "tilewright/session/replay.h"
#include "tilewright/session/session.h"

namespace tilewright::session {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One run in progress. Each step is one phase; a step that finds errors in the program leaves them
// in the session's diagnostics and the run ends there.
class ProgramRun {
 public:
  ProgramRun(const catalog::ProgramDef& def, const Request& request, const Executor& executor,
             const RunOptions& options, const Observer& observer)
      : def_(def), executor_(executor), options_(options), observer_(observer) {
    Request chosen = request;
    if (!options.replay.empty()) {
      replay_.emplace(options.replay, def.name);
      replay_->apply_to(chosen);
    }
    if (!options.expect.empty()) expect_.emplace(options.expect);
    session_ = std::make_unique<Session>(def, std::move(chosen));
    if (!options.save_data.empty()) recording_.emplace(options.save_data);
  }

  RunResult go() {
    const auto start = Clock::now();
    describe();
    if (observer_.start) observer_.start(result_);
    if (build() && compile() && inputs() && read_expected() && unroll()) {
      predict();
      expect();
      explore();
      execute();
      compare();
      cross_check();
      save();
    }
    result_.diagnostics.append(session_->diagnostics());
    result_.seconds = seconds_since(start);
    return std::move(result_);
  }

 private:
  // `work` returns the detail of the phase.
  template <class F>
  void phase(const std::string& name, F&& work) {
    if (observer_.begin) observer_.begin(name);
    const auto start = Clock::now();
    std::string detail = work();
    result_.phases.push_back({name, seconds_since(start), std::move(detail)});
    if (observer_.end) observer_.end(result_.phases.back());
  }
  // The same for a step of the session.
  template <class F, class Detail>
  bool step(const std::string& name, F&& work, Detail&& detail) {
    bool fine = false;
    phase(name, [&] {
      fine = work();
      return fine ? detail() : std::string("errors found");
    });
    return fine;
  }

  // Expected outputs come from --expect, else from the recording, else from the formula.
  bool expects_files() const { return expect_ || (replay_ && replay_->has_expected()); }

  void describe();
  bool build();
  bool compile();
  bool inputs();
  bool replay_inputs();
  bool read_expected();
  bool unroll();
  void predict();
  void expect();
  void explore();
  void execute();
  void compare();
  void cross_check();
  void save();

  const catalog::ProgramDef& def_;
  const Executor& executor_;
  const RunOptions& options_;
  const Observer& observer_;
  RunResult result_;
  std::optional<Replay> replay_;
  std::optional<data::DataReader> expect_;
  std::optional<Recording> recording_;
  std::unique_ptr<Session> session_;
  catalog::Arrays expected_;  // outputs only; empty = nothing to compare with
  catalog::Arrays found_;     // the arrays before the run, for a program without a formula
};

void ProgramRun::describe() {
  result_.program = session_->name();
  result_.shape = session_->shape();
  result_.platform = session_->request().platform_name;
  result_.executor = executor_.name;
  result_.sums = executor_.sums;
  result_.keys = session_->keys();
  result_.seed = session_->request().seed;
}

bool ProgramRun::build() {
  return step(
      "build",
      [&] {
        if (!session_->build()) return false;
        require_one_rank(session_->program());
        require_bodies(session_->program());
        return true;
      },
      [] { return std::string(); });
}

bool ProgramRun::compile() {
  return step(
      "compile", [&] { return session_->compile(); },
      [&] {
        result_.kernels = static_cast<int64_t>(session_->plan()->kernels.size());
        return counted(result_.kernels, "kernel");
      });
}

bool ProgramRun::inputs() {
  const auto make = [&] {
    return replay_ ? replay_inputs() : session_->generate_inputs(Inputs::All, observer_.progress);
  };
  return step(replay_ ? "read inputs" : "generate inputs", make, [&] {
    int64_t bytes = 0;
    int64_t count = 0;
    for_each_array(session_->program(), [&](const ir::Param& p, const ir::Var& v) {
      if (p.direction == ir::Direction::Out) return;
      bytes += v.bytes();
      ++count;
    });
    if (recording_) recording_->inputs(*session_);
    return fmt::format("{}, {}", counted(count, "tensor"), human_bytes(bytes));
  });
}

bool ProgramRun::replay_inputs() {
  const ir::Program& program = session_->program();
  const auto given = data::scalar_values(def_, session_->config());
  replay_->require_every_input(program, given);
  catalog::Arrays arrays = replay_->inputs(program, result_.diagnostics);
  return !result_.diagnostics.has_errors() &&
         session_->use_inputs(std::move(arrays), replay_->scalars(program, given));
}

bool ProgramRun::read_expected() {
  if (!expects_files()) return true;
  const auto read = [&] {
    const ir::Program& program = session_->program();
    Diagnostics& told = result_.diagnostics;
    const data::DataReader* inputs = replay_ ? &replay_->files() : nullptr;
    expected_ =
        expect_ ? file_outputs(*expect_, program, inputs, told) : replay_->expected(program, told);
    return !told.has_errors();
  };
  return step("read expected", read,
              [&] { return counted(static_cast<int64_t>(expected_.all().size()), "tensor"); });
}

bool ProgramRun::unroll() {
  return step(
      "unroll",
      [&] {
        learn_task_reads(*session_, executor_.exp);
        return session_->unroll();
      },
      [&] {
        const ir::TaskGraph& graph = *session_->graph();
        result_.tasks = static_cast<int64_t>(graph.tasks.size());
        return fmt::format("{}, {}", counted(result_.tasks, "task"),
                           counted(static_cast<int64_t>(graph.edges.size()), "dependence"));
      });
}

// Predicts with the task graph that the executor runs.
void ProgramRun::predict() {
  if (!can_predict(session_->request())) return;
  phase("predict", [&] {
    const platform::Platform& machine = session_->machine();
    const ir::RunRecord record = simulate(*session_, machine, {.progress = observer_.progress});
    result_.predicted = report::profile(*session_->plan(), *session_->graph(), record, machine);
    add_interval(*session_, *result_.predicted);
    return fmt::format("{:.2f} us on {}, 80 % interval {}", result_.predicted->all.total_us,
                       machine.name, report::interval_text(*result_.predicted->likely_us));
  });
}

void ProgramRun::expect() {
  if (!def_.formula) {
    for (const auto& [name, array] : session_->arrays().all()) found_.add(name, array.clone());
  } else if (!expects_files()) {
    phase("compute formula", [&] {
      expected_ = formula_outputs(def_, *session_);
      return std::string();
    });
  }
  if (recording_) recording_->expected(expected_);
}

// Must come before the executor, which changes the state that every order starts from.
void ProgramRun::explore() {
  if (options_.explore == 0) return;
  phase("explore orders", [&] {
    const ir::RuntimeGraph& order = session_->order();
    result_.exploration =
        session::explore(*session_->plan(), *session_->graph(), order, session_->bindings(),
                         options_.explore, observer_.progress);
    return fmt::format("{} under {}, {} different", result_.exploration->orders, order.rules,
                       result_.exploration->different);
  });
}

void ProgramRun::execute() {
  phase(fmt::format("run on {}", executor_.name), [&] {
    std::string said = executor_.run(*session_->plan(), *session_->graph(), session_->bindings());
    if (recording_) recording_->outputs(*session_);
    return said;
  });
}

void ProgramRun::compare() {
  phase("compare", [&] {
    result_.outputs = compare_outputs(def_, *session_, expected_);
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

// Without a formula the correct values are unknown, but the tasks can be compared with the program.
void ProgramRun::cross_check() {
  if (found_.all().empty()) return;
  phase("check orders", [&] {
    const CrossCheck found = session::cross_check(*session_, found_, executor_.exp);
    if (found.difference.empty()) {
      const std::string count = found.scopes ? "; as many tasks ran as scopes were entered" : "";
      return fmt::format("the program and {} random task orders give the same bits{}", kOrders,
                         count);
    }
    result_.status = Status::Fail;
    result_.diagnostics.add({Severity::Error, "orders", found.difference,
                             fmt::format("in program {} on {}", def_.name, executor_.name),
                             "every task order that the dependences allow must give the same bits",
                             "report this as a bug in tilewright", ""});
    return found.difference;
  });
}

void ProgramRun::save() {
  if (!recording_) return;
  phase("save data", [&] {
    recording_->commit(*session_);
    return std::string();
  });
}

}  // namespace

RunResult run(const catalog::ProgramDef& def, const Request& request, const Executor& executor,
              const RunOptions& options, const Observer& observer) {
  return ProgramRun(def, request, executor, options, observer).go();
}

}  // namespace tilewright::session
