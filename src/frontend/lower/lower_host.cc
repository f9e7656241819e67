// Host functions: they make windows and start a program once on every rank. What they become is
// the program of one rank, whose number is a parameter: a loop over the ranks is done once.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/functions.h"
#include "tilewright/frontend/lower/arguments.h"
#include "tilewright/frontend/parse/walk.h"

namespace tilewright::frontend {
namespace {

constexpr int64_t kRanksUnsaid = 2;  // the fewest that can go wrong together

const Expr* keyword_of(const Expr& call, std::string_view name) {
  const auto it = std::ranges::find(call.keywords, name, &Keyword::name);
  return it == call.keywords.end() ? nullptr : it->value;
}

// `f(..., device=r)`, or with any device when `rank` is empty.
bool starts_on(const Body& body, std::string_view rank) {
  bool found = false;
  for_each_expr(body, [&](const Expr& e) {
    const Expr* device = e.kind == ExprKind::Call ? keyword_of(e, "device") : nullptr;
    if (device) found = found || rank.empty() || device->text == rank;
  });
  return found;
}

bool is_window(const Expr& annotation) {
  bool found = false;
  for_each_expr(annotation, [&](const Expr& e) {
    found = found || (e.kind == ExprKind::Attribute && e.text == "DistributedTensor");
  });
  return found;
}

}  // namespace

bool starts_ranks(const Stmt& function) {
  return function_kind(function) == FunctionKind::Host && starts_on(function.body, "");
}

bool has_windows(const Stmt& function) {
  return std::ranges::any_of(function.parameters, [](const Parameter& p) {
    return p.annotation && is_window(*p.annotation);
  });
}

std::set<std::string_view> started_by(const Stmt& host) {
  std::set<std::string_view> names;
  for_each_expr(host.body, [&](const Expr& e) {
    if (e.kind == ExprKind::Call && keyword_of(e, "device")) names.insert(e.parts[0]->text);
  });
  return names;
}

bool Lowering::in_host() const {
  return frames_.size() == 1 && function_kind(*frame().function) == FunctionKind::Host;
}

// How many ranks: what the user says, else the first dimension of what the host hands out by rank.
int64_t Lowering::ranks_of(const Stmt& host) {
  if (const auto n = chosen_ranks()) return *n;
  std::set<std::string_view> loops;  // variables of loops over ranks
  const std::function<void(const Body&)> collect = [&](const Body& body) {
    for (const Stmt* s : body) {
      if (s->kind == StmtKind::For && starts_on(s->body, s->targets[0]->text))
        loops.insert(s->targets[0]->text);
      collect(s->body);
    }
  };
  collect(host.body);
  std::optional<int64_t> found;
  std::string_view first;
  for_each_expr(host.body, [&](const Expr& e) {
    if (e.kind != ExprKind::Subscript || e.parts[0]->kind != ExprKind::Name ||
        !loops.contains(e.parts[1]->text))
      return;
    const auto it = frame().names.find(e.parts[0]->text);
    const auto* t = it == frame().names.end() ? nullptr : it->second.value.as<Tensor>();
    if (!t) return;
    const int64_t size = program_[t->var].shape[0];
    if (found && *found != size)
      fail(e.at, "ranks",
           fmt::format("{} is split over {} ranks, but {} over {}", first, *found, e.parts[0]->text,
                       size),
           "a tensor that the host splits by rank has one part per rank",
           "give all of them the same first dimension");
    if (!found) first = e.parts[0]->text;
    found = size;
  });
  return found.value_or(kRanksUnsaid);
}

std::optional<int64_t> Lowering::chosen_ranks() {
  const Value* chosen = world_.chosen("world_size");
  return chosen ? chosen->integer() : std::nullopt;
}

// A device program that is checked without its host: what its file calls the number of ranks.
int64_t Lowering::ranks_around() {
  if (const auto n = chosen_ranks()) return *n;
  for (const char* name : {"N_RANKS", "WORLD_SIZE", "EP_WORLD_SIZE", "CP_SIZE", "TP_SIZE"})
    if (const Value* v = in_.home.find(name); v && v->integer()) return *v->integer();
  return kRanksUnsaid;
}

void Lowering::declare_rank(int64_t ranks) {
  constexpr int64_t kMostRanks = 1024;
  if (ranks < 1 || ranks > kMostRanks)
    fail(frame().function->at, "ranks", fmt::format("a program for {} ranks", ranks),
         fmt::format("a program runs on 1 to {} ranks", kMostRanks),
         "give --arg world_size=NUMBER");
  program_.ranks = ranks;
  program_.rank = scalar_var("rank", DType::Index, frame().function->at);
  program_.params.push_back({program_.rank, ir::Direction::In, ir::Role::Activation});
}

// A file that Tilewright printed says above its program "ranks 2 rank": how many, and the parameter
// that is a rank's number. Its windows are marked, and stand for all ranks.
void Lowering::read_ranks() {
  constexpr std::string_view kRanks = "ranks ";
  if (!in_.names_are_buffers || !in_.directives) return;
  for (const Directive& d : *in_.directives) {
    if (d.line > in_.program->at.line || !d.text.starts_with(kRanks)) continue;
    const std::vector<std::string> words = split(d.text, ' ');
    const auto rank = words.size() == 3 ? program_.find(words[2]) : std::nullopt;
    if (!rank || !program_.param_of(*rank)) continue;
    program_.ranks = std::max<int64_t>(1, std::strtoll(words[1].c_str(), nullptr, 10));
    program_.rank = *rank;
  }
}

bool Lowering::is_marked_window(At at) const {
  return in_.names_are_buffers && in_.directives &&
         std::ranges::any_of(*in_.directives, [&](const Directive& d) {
           return d.line == at.line && d.text == "window";
         });
}

// `for r in pl.range(pld.world_size()): f(..., device=r)`. False when it is another loop.
bool Lowering::rank_loop(const Stmt& s) {
  const std::string_view rank = s.targets[0]->text;
  const Expr& over = *s.value;
  if (s.targets.size() != 1 || over.kind != ExprKind::Call || over.parts.size() != 2 ||
      !starts_on(s.body, rank))
    return false;
  const int64_t count =
      constant_of(value_of(*over.parts[1]), over.parts[1]->at, "the number of ranks");
  if (count != program_.ranks)
    fail(over.at, "ranks",
         fmt::format("a loop starts {}, but the program has {}",
                     counted(count, "rank"), program_.ranks),
         "a host starts its programs on every rank", "loop over pl.range(pld.world_size())");
  bind(rank, {ir::Expr::var(program_.rank)});
  body(s.body);
  return true;
}

// A call with device=: only the rank it names executes it.
std::optional<Value> Lowering::launch(const Expr& e) {
  const Expr* device = keyword_of(e, "device");
  if (!device) return std::nullopt;
  CallValues args = call_values(e);
  std::erase_if(args.keywords, [](const auto& k) { return k.first == "device"; });
  const ir::Expr rank = integer_of(value_of(*device), device->at, "device");
  std::optional<Function> callee;
  const std::string path = dotted_path(*e.parts[0]);
  if (path.starts_with("self.")) callee = method_named(path.substr(5));
  const Value named = callee ? Value{None{}} : evaluate(*e.parts[0]);
  if (const auto* f = named.as<Function>()) callee = *f;
  if (!callee || !callee->def)
    fail(e.at, "call", "a call with device= of a value that is not a program",
         "a host starts functions of its files on ranks", "call a function decorated @pl.jit");
  if (rank == ir::Expr::var(program_.rank)) return function_call(*callee, args, e);
  open();
  const Value result = function_call(*callee, args, e);
  ir::If only;
  only.condition.left = ir::Expr::var(program_.rank);
  only.condition.right = rank;
  only.then_body = close();
  only.place = place(e.at);
  append({std::move(only)});
  return result;
}

// inputs[r]: the part of one rank, without the dimension that counts them.
std::optional<Value> Lowering::part_of_rank(const Value& base, const Expr& e,
                                            std::string_view target) {
  const auto* t = base.as<Tensor>();
  if (!t || e.parts.size() != 2 || e.parts[1]->kind == ExprKind::Slice) return std::nullopt;
  const ir::Var& array = program_[t->var];
  if (array.shape.size() < 2) return std::nullopt;
  ir::Op op;
  op.kind = ir::OpKind::Slice;
  op.args = {t->var};
  op.offset.assign(array.shape.size(), ir::Expr(0));
  op.offset[0] = integer_of(value_of(*e.parts[1]), e.parts[1]->at, "a subscript");
  const ir::ArrayType type{array.dtype, Shape(array.shape.begin() + 1, array.shape.end())};
  return emit(std::move(op), type, target, e.at, array.name + "_part");
}

}  // namespace tilewright::frontend
