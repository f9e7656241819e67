// Names of tasks, and what scopes say about their order (ir/task_order.h).
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {
namespace {

// The days on which the words came into use.
constexpr std::string_view kTaskIds = "2026-05-15";
constexpr std::string_view kEarlyResolve = "2026-06-19";

// Whether a scope of these statements is called so: then None under that name means no task.
bool names_a_task(const Body& body, std::string_view name) {
  return std::ranges::any_of(body, [&](const Stmt* s) {
    return (s->kind == StmtKind::With && s->name == name) || names_a_task(s->body, name) ||
           names_a_task(s->other, name);
  });
}

}  // namespace

// A file is written for a runtime that knows the newest of its words.
void Lowering::note_dialect(std::string_view day) {
  if (program_.dialect < day) program_.dialect = day;
}

// The variable that a name of tasks is kept in; in a file of ours a name has one for good.
ir::VarId Lowering::task_var(std::string_view name, At at, int64_t entries) {
  const ir::VarId* pin = name.empty() ? nullptr : pin_of(name);
  if (pin && program_[*pin].task) return *pin;
  const ir::VarId var = scalar_var(name.empty() ? "tasks" : name, DType::Index, at);
  program_[var].task = true;
  if (entries > 0) program_[var].shape = {entries};
  if (in_.names_are_buffers && !name.empty()) frame().pinned[name] = var;
  return var;
}

void Lowering::set_tasks(ir::TaskRef target, std::vector<ir::TaskRef> tasks, At at) {
  if (in_scope())
    fail(at, "order", "a task id is set inside a scope",
         "task ids belong to the orchestration: a task does not start tasks",
         "set it before or after the scope");
  append({ir::TaskSet{std::move(target), std::move(tasks), place(at)}});
}

// A task id, an array of them, None, or a list of these.
void Lowering::collect_tasks(const Value& v, At at, std::vector<ir::TaskRef>& out) const {
  if (const auto* task = v.as<TaskHandle>()) return out.push_back(task->ref);
  if (v.as<None>()) return;
  if (v.as<Told>()) throw AlreadyTold();
  const auto* list = v.as<List>();
  if (!list)
    fail(at, "order", fmt::format("deps contains {}", kind_text(v)),
         "deps takes task ids and arrays of task ids",
         "pass the name that 'with ... as' binds to the task; list tensors in no_dep_args");
  for (const Value& item : list->items()) collect_tasks(item, at, out);
}

// What a scope or launch says of its order.
ir::TaskOrder Lowering::task_order(Arguments& args) {
  ir::TaskOrder order;
  order.manual = manual_scopes_ > 0;
  if (args.has("deps")) {
    note_dialect(kTaskIds);
    collect_tasks(args.value("deps"), args.at("deps"), order.deps);
  }
  if (args.has("no_dep_args")) {
    note_dialect(kTaskIds);
    const Value tensors = args.value("no_dep_args");
    const auto* list = tensors.as<List>();
    if (!list) args.wrong("no_dep_args", tensors, "a list of tensors");
    for (const Value& t : list->items())
      order.untracked.push_back(tensor_of(t, args.at("no_dep_args"), "an entry of no_dep_args"));
  }
  order.early = args.flag("allow_early_resolve");
  if (order.early) note_dialect(kEarlyResolve);
  return order;
}

// `with ... as name`.
void Lowering::name_task(ir::TaskOrder& order, std::string_view name, At at) {
  if (name.empty()) return;
  note_dialect(kTaskIds);
  order.task = task_var(name, at);
  bind(name, {TaskHandle{{order.task}}});
}

Value Lowering::task_dummy(const Expr& e, std::string_view target) {
  note_dialect(kTaskIds);
  Arguments args(*this, e, "pl.system.task_dummy", {}, {"deps"});
  std::vector<ir::TaskRef> tasks;
  collect_tasks(args.value("deps"), args.at("deps"), tasks);
  const ir::VarId var = task_var(target, e.at);
  set_tasks({var}, std::move(tasks), e.at);
  return {TaskHandle{{var}}};
}

Value Lowering::task_array(const Expr& e, std::string_view target) {
  Arguments args(*this, e, "pl.array.create", {"extent", "dtype"});
  note_dialect(kTaskIds);
  const int64_t entries = args.constant("extent");
  if (entries < 1) args.wrong("extent", args.value("extent"), "a positive number of task ids");
  const ir::VarId var = task_var(target, e.at, entries);
  set_tasks({var}, {}, e.at);
  return {TaskHandle{{var}}};
}

// a[i]: one entry, or the whole array that only deps can take.
Value Lowering::task_entry(const TaskHandle& array, const Expr& e) {
  const Shape& shape = program_[array.ref.var].shape;
  if (shape.empty() || array.ref.index || e.parts.size() != 2)
    fail(e.at, "order", "a task id is subscripted", "an array of task ids has one index",
         "make it with pl.array.create(n, pl.TASK_ID)");
  const ir::Expr i = integer_of(value_of(*e.parts[1]), e.parts[1]->at, "an index");
  if (i.is_constant() && (i.constant() < 0 || i.constant() >= shape[0]))
    fail(e.at, "order", fmt::format("entry {} of an array of {} task ids", i.constant(), shape[0]),
         "an index must be in range", "enlarge the array, or check the index");
  return {TaskHandle{{array.ref.var, i}}};
}

void Lowering::assign_task_entry(const TaskHandle& array, const Expr& target, const Value& value) {
  const Value entry = task_entry(array, target);
  std::vector<ir::TaskRef> tasks;
  collect_tasks(value, target.at, tasks);
  set_tasks(entry.as<TaskHandle>()->ref, std::move(tasks), target.at);
}

int64_t Lowering::task_entries(const TaskHandle& value) const {
  const Shape& shape = program_[value.ref.var].shape;
  return shape.empty() || value.ref.index ? 0 : shape[0];
}

// A task id is a value: its copy still stands for the same tasks when the original is set anew. An
// array is one thing under all its names.
void Lowering::assign_task(const Expr& target, const TaskHandle& value, Origin origin) {
  const ir::VarId* pin = pin_of(target.text);
  const bool is_own = pin && *pin == value.ref.var && !value.ref.index;
  const bool fresh = !pin && !value.ref.index && origin == Origin::Made;
  const bool same_array = task_entries(value) > 0 && !in_.names_are_buffers;
  if (is_own || fresh || same_array) return bind(target.text, {value});
  bind(target.text, copy_task(target.text, {value}, target.at));
}

// A variable of this name that stands for the same tasks.
Value Lowering::copy_task(std::string_view name, const Value& value, At at) {
  std::vector<ir::TaskRef> tasks;
  collect_tasks(value, at, tasks);
  const auto* handle = value.as<TaskHandle>();
  const ir::VarId var = task_var(name, at, handle ? task_entries(*handle) : 0);
  set_tasks({var}, std::move(tasks), at);
  return {TaskHandle{{var}}};
}

// Hands a task id, or an array of the same length, to the next trip of a loop.
void Lowering::yield_task(ir::VarId state, const Value& value, At at) {
  const auto* handle = value.as<TaskHandle>();
  const int64_t entries = handle ? task_entries(*handle) : 0;
  const int64_t wanted = task_entries({{state}});
  if (entries != wanted)
    fail(at, "loop", fmt::format("{} task ids are handed to a loop state of {}", entries, wanted),
         "a loop state is one task id, or an array of one length", "make both arrays alike");
  std::vector<ir::TaskRef> tasks;
  collect_tasks(value, at, tasks);
  set_tasks({state}, std::move(tasks), at);
}

// Gives a task id that a loop or branch carries a variable of its own. An array has one already.
void Lowering::pin_task(std::string_view name, const Value& value, At at) {
  const auto* task = value.as<TaskHandle>();
  if (task && task_entries(*task) > 0) return;
  if (!task && !(frame().function && names_a_task(frame().function->body, name))) return;
  const Value own = copy_task(name, value, at);
  frame().pinned[name] = own.as<TaskHandle>()->ref.var;
  bind(name, own);
}

}  // namespace tilewright::frontend
