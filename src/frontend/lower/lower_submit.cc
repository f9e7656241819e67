// pl.submit and pl.spmd_submit: a call of a kernel whose task has a name.
#include <fmt/format.h>

#include <utility>

#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {
namespace {

bool is_of_the_task(std::string_view keyword) {
  return keyword == "deps" || keyword == "allow_early_resolve" || keyword == "dumps" ||
         keyword == "core_num" || keyword == "sync_start" || keyword == "predicate";
}

}  // namespace

// pl.no_dep(t) is t; the task that it is passed to is not ordered by it.
Value Lowering::no_dep(const Expr& e) {
  Arguments args(*this, e, "pl.no_dep", word_signature("no_dep"));
  untracked_now_.push_back(args.tensor("tensor"));
  return args.value("tensor");
}

// The order of a task that is started by a plain call.
ir::TaskOrder Lowering::call_order() {
  ir::TaskOrder order;
  order.manual = manual_scopes_ > 0;
  order.untracked = std::exchange(untracked_now_, {});
  return order;
}

// The results of the kernel, and then the id of its task.
Value Lowering::submit(const std::string& word, const Expr& e) {
  const std::string path = e.parts.size() > 1 ? dotted_path(*e.parts[1]) : "";
  auto callee = path.starts_with("self.") ? own_function(path.substr(5)) : method_named(path);
  if (!callee && e.parts.size() > 1 && !path.starts_with("self."))
    if (const Value v = evaluate(*e.parts[1]); v.as<Function>() && v.as<Function>()->def)
      callee = *v.as<Function>();
  if (!callee || in_scope())
    fail(e.at, "call",
         in_scope() ? fmt::format("pl.{} inside a scope", word)
                    : fmt::format("pl.{} of {}", word, path.empty() ? "this" : path),
         "the orchestration submits kernels of the same file: first the kernel, then its arguments",
         in_scope() ? "move it out of the scope"
                    : "write the kernel as a pl.function of this file");
  const Stmt* kernel = callee->def;
  Expr task, call;  // what is said of the task, and the call that it makes
  task.kind = call.kind = ExprKind::Call;
  task.at = call.at = e.at;
  task.parts = {e.parts[0]};
  call.parts.assign(e.parts.begin() + 1, e.parts.end());
  for (const Keyword& k : e.keywords) (is_of_the_task(k.name) ? task : call).keywords.push_back(k);
  const bool spmd = word == "spmd_submit";
  std::vector<std::string_view> known{"deps", "allow_early_resolve", "dumps"};
  if (spmd) known.insert(known.end(), {"core_num", "sync_start"});
  Arguments args(*this, task, "pl." + word, {}, known);
  ir::TaskOrder order = task_order(args);
  order.task = task_var("", e.at);

  ir::For launch;
  if (spmd) {
    launch.kind = ir::LoopKind::Spmd;
    launch.stop = args.integer("core_num");
    launch.sync_start = args.flag("sync_start");
    launch.var = scalar_var("block", DType::Index, e.at);
    launch.name = kernel->name;
    launch.place = place(e.at);
    block_index_.push_back(ir::Expr::var(launch.var));
  }
  open();
  const std::string outer_name = std::exchange(scope_name_, std::string(kernel->name));
  if (scopes_++ == 0) ++scope_number_;
  Value result = function_call(*callee, call_values(call), call);
  --scopes_;
  scope_name_ = outer_name;
  order.untracked = std::exchange(untracked_now_, {});
  const ir::VarId named = order.task;
  if (spmd) {
    block_index_.pop_back();
    launch.order = std::move(order);
    launch.body = close();
    append({std::move(launch)});
  } else {
    ir::Scope scope;
    scope.name = kernel->name;
    scope.place = place(e.at);
    scope.order = std::move(order);
    scope.body = close();
    append({std::move(scope)});
  }
  if (result.as<Told>()) return result;
  std::vector<Value> results;
  if (const auto* several = result.as<List>())
    results = several->items();
  else if (!result.as<None>())
    results.push_back(std::move(result));
  results.push_back({TaskHandle{{named}}});
  return {List::of(std::move(results), true)};
}

}  // namespace tilewright::frontend
