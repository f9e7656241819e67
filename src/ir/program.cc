#include "tilewright/ir/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewright::ir {

std::string_view direction_name(Direction d) {
  constexpr std::array<std::string_view, 3> kNames{"In", "Out", "InOut"};
  return kNames[static_cast<std::size_t>(d)];
}

std::string_view role_name(Role r) {
  constexpr std::array<std::string_view, 3> kNames{"activation", "weight", "state"};
  return kNames[static_cast<std::size_t>(r)];
}

std::string_view layout_name(Layout l) {
  constexpr std::array<std::string_view, 3> kNames{"ND", "DN", "NZ"};
  return kNames[static_cast<std::size_t>(l)];
}

std::string_view loop_kind_name(LoopKind k) {
  constexpr std::array<std::string_view, 5> kNames{"range", "parallel", "unroll", "pipeline",
                                                   "spmd"};
  return kNames[static_cast<std::size_t>(k)];
}

std::string_view chunk_policy_name(ChunkPolicy p) {
  constexpr std::array<std::string_view, 2> kNames{"guarded", "leading_full"};
  return kNames[static_cast<std::size_t>(p)];
}

std::string_view split_name(Split s) {
  constexpr std::array<std::string_view, 3> kNames{"NONE", "UP_DOWN", "LEFT_RIGHT"};
  return kNames[static_cast<std::size_t>(s)];
}

std::string_view level_name(Level l) {
  constexpr std::array<std::string_view, 10> kNames{"AIV",       "AIC",       "CORE_GROUP",
                                                    "CHIP_DIE",  "CHIP",      "HOST",
                                                    "CLUSTER_0", "CLUSTER_1", "CLUSTER_2",
                                                    "GLOBAL"};
  return kNames[static_cast<std::size_t>(l)];
}

VarId Program::add_var(Var v) {
  vars.push_back(std::move(v));
  return VarId(vars.size() - 1);
}

std::string Program::unique_name(const std::string& base) const {
  if (!find(base)) return base;
  for (int i = 1;; ++i) {
    std::string name = fmt::format("{}_{}", base, i);
    if (!find(name)) return name;
  }
}

const Param* Program::param_of(VarId v) const {
  const auto it = std::ranges::find(params, v, &Param::var);
  return it == params.end() ? nullptr : &*it;
}

std::optional<VarId> Program::find(std::string_view wanted) const {
  for (std::size_t i = 0; i < vars.size(); ++i)
    if (vars[i].name == wanted) return VarId(i);
  return std::nullopt;
}

namespace {

std::optional<ScalarNumber> known_number(const ScalarOperand& o, const Program& p,
                                         const ScalarEnv& env) {
  switch (o.kind) {
    case ScalarOperand::Kind::Literal: return ScalarNumber{true, o.literal, 0};
    case ScalarOperand::Kind::Index:
      if (const auto v = evaluate(o.index, env)) return ScalarNumber{false, 0, *v};
      return std::nullopt;
    case ScalarOperand::Kind::Variable: break;
  }
  if (!env.known(o.variable)) return std::nullopt;
  if (is_float(p[o.variable].dtype)) return ScalarNumber{true, env.real(o.variable), 0};
  return ScalarNumber{false, 0, env.value(o.variable)};
}

}  // namespace

void execute(const Compute& c, const Program& p, ScalarEnv& env) {
  const auto a = known_number(c.a, p, env);
  const auto b = takes_two(c.math) ? known_number(c.b, p, env) : ScalarNumber{};
  if (!a || !b) return env.forget(c.var);
  const ScalarNumber v = computed(c.math, *a, *b, p[c.var].dtype);
  if (v.is_float)
    env.set_real(c.var, v.real);
  else
    env.set(c.var, v.integer);
}

bool copies_array(const TaskSet& set, const Program& program) {
  const auto is_array = [&](const TaskRef& ref) {
    return !ref.index && !program[ref.var].shape.empty();
  };
  return is_array(set.target) && set.tasks.size() == 1 && is_array(set.tasks[0]) &&
         program[set.target.var].shape == program[set.tasks[0].var].shape;
}

const Place& place_of(const Stmt& s) {
  return std::visit([](const auto& node) -> const Place& { return node.place; }, s.node);
}

}  // namespace tilewright::ir
