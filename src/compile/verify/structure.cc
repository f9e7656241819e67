#include <fmt/format.h>

#include <map>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/compile/spelling.h"
#include "tilewright/compile/verify/verify.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

class StructureChecker {
 public:
  StructureChecker(const Program& program, PassContext& context) : p_(program), context_(context) {}

  void run() {
    block(p_.body);
    written_parameters();
    note_externals();
  }

 private:
  bool in_scope() const { return scope_ != nullptr; }
  std::string scope_name() const { return scope_ ? scope_->name : std::string(); }

  void report(const Place& place, std::string_view detail, Problem problem) {
    context_.report(p_, place, scope_name(), detail, std::move(problem));
  }

  void block(const Block& b) {
    for (const Stmt& s : b) statement(s);
  }

  void statement(const Stmt& s) {
    if (const auto* op = s.as<Op>()) return operation(*op);
    if (const auto* f = s.as<For>()) return loop(*f);
    if (const auto* w = s.as<While>()) {
      loops_.push_back({LoopKind::Range, true, 0});
      block(w->body);
      loops_.pop_back();
      return;
    }
    if (const auto* c = s.as<If>()) {
      block(c->then_body);
      block(c->else_body);
      return;
    }
    if (const auto* sc = s.as<Scope>()) return scope(*sc);
    if (const auto* call = s.as<ExternalCall>()) return external(*call);
    if (const auto* b = s.as<Break>()) return jump(b->place, "break");
    if (const auto* c = s.as<Continue>()) return jump(c->place, "continue");
  }

  void operation(const Op& op) {
    if (in_scope()) {
      tile_space(op);
    } else {
      outside(op);
    }
    writes(op);
    if (op.kind == OpKind::Load) load(op);
  }

  static bool is_view(OpKind k) { return k == OpKind::Slice || k == OpKind::Reshape; }

  void outside(const Op& op) {
    if (!allowed_in_orchestrator(op.kind)) {
      report(op.place, written_text(op, p_),
             {.code = "outside-scope",
              .what = fmt::format("{} outside any scope",
                                  op.kind == OpKind::Copy ? "assign" : op_name(op.kind)),
              .law = "the orchestrator only creates, slices, reshapes and assembles tensors and "
                     "reads scalars; arithmetic runs on a core",
              .help = fmt::format("put it in a scope: {}", spelling(op.place, Phrase::OpenScope))});
    }
    if (op.kind == OpKind::Create && op.space)
      report(op.place, written_text(op, p_),
             {.code = "tile-outside-scope",
              .what =
                  fmt::format("on-chip tile in {} outside any scope", memory_space_name(*op.space)),
              .law = "a tile exists only on a core, inside a scope",
              .help =
                  fmt::format("move it into the scope that uses it, or make it a GM tensor with {}",
                              spelling(op.place, Phrase::MakeTensor))});
    if (op.kind == OpKind::Slice && !op.valid.empty())
      report(op.place, written_text(op, p_),
             {.code = "view-valid",
              .what = fmt::format("slice of {} outside any scope with a valid shape",
                                  p_[op.args[0]].written_name()),
              .law = "outside a scope a slice is a view of GM; only tiles have a valid shape",
              .help = "give the valid shape to the slice inside the scope"});
    if ((is_view(op.kind) || op.kind == OpKind::Create) && p_.param_of(op.dst))
      report(op.place, written_text(op, p_),
             {.code = "rebind",
              .what = fmt::format("{} replaces parameter {}", op_name(op.kind), p_[op.dst].written_name()),
              .law = "a parameter is the caller's buffer; a program can write it but not replace "
                     "it",
              .help = "assemble the value into it, or assign it inside a scope"});
    if (is_view(op.kind)) views_[op.dst.value] = root(op.args[0]);
  }

  // What a name outside scopes stands for: views are other names of their source.
  VarId root(VarId v) const {
    const auto it = views_.find(v.value);
    return it == views_.end() ? v : it->second;
  }

  void writes(const Op& op) {
    if (op.kind == OpKind::Create || (!in_scope() && is_view(op.kind))) return;
    write(op.dst, op.place, op_name(op.kind), written_text(op, p_));
  }

  void write(VarId written, const Place& place, std::string_view by, const std::string& statement) {
    const VarId target = root(written);
    written_.insert(target.value);
    const Param* param = p_.param_of(target);
    if (!param || param->direction != Direction::In) return;
    const std::string through =
        target == written ? "" : fmt::format(" through its view {}", p_[written].written_name());
    report(place, statement,
           {.code = "writes-input",
            .what = fmt::format("{} writes parameter {}{}, which is declared In", by,
                                p_[target].written_name(), through),
            .law = "an In parameter is read-only; declare every parameter that the program writes",
            .help = fmt::format("declare it {} if its old contents matter",
                                spelling(place, Phrase::DeclareState))});
  }

  void external(const ExternalCall& call) {
    const std::string text = written_text(call, p_);
    for (const ExternalCall::Array& a : call.arrays)
      if (a.writes()) write(a.var, call.place, p_.external(call.kernel).name, text);
  }

  // A task is either a body of ops or an external kernel.
  void alone(const Block& body) {
    if (body.size() == 1 && body[0].as<ExternalCall>()) return;
    for_each_stmt(body, [&](const Stmt& s) {
      const auto* call = s.as<ExternalCall>();
      if (!call) return;
      const std::string& name = p_.external(call->kernel).name;
      report(call->place, written_text(*call, p_),
             {.code = "external-alone",
              .what =
                  fmt::format("external kernel {} shares its scope with other statements", name),
              .law = "an external kernel is a separate task and takes GM tensors",
              .help = "call it in a separate scope, and slice its arguments before that scope"});
    });
  }

  void tile_space(const Op& op) {
    const bool places = op.kind == OpKind::Create || op.kind == OpKind::Move;
    if (!places || op.space != MemorySpace::GM) return;
    report(op.place, written_text(op, p_),
           {.code = "tile-space",
            .what = op.kind == OpKind::Create ? "tile in GM" : "move of a tile to GM",
            .law = "a tile is stored in a memory of its core; load and store access GM",
            .help = "create a tensor outside the scope and assemble into it"});
  }

  void load(const Op& op) {
    const MemorySpace target = op.space.value_or(MemorySpace::Vec);
    if (target != MemorySpace::Vec && target != MemorySpace::Mat)
      report(op.place, written_text(op, p_),
             {.code = "load-target",
              .what = fmt::format("load from GM into {}", memory_space_name(target)),
              .law = "a load from GM can only target Vec or Mat",
              .help = "load into Mat and move the tile from there"});
    if (op.transpose && target != MemorySpace::Mat)
      report(op.place, written_text(op, p_),
             {.code = "load-transpose",
              .what = fmt::format("transposed load into {}", memory_space_name(target)),
              .law = "only a load into Mat can transpose",
              .help = "use target Mat, or transpose() the tile"});
  }

  void loop(const For& f) {
    const std::string detail = fmt::format("{} loop", loop_kind_name(f.kind));
    if (f.step == 0)
      report(f.place, detail,
             {.code = "loop-step",
              .what = "loop with step 0",
              .law = "the step of a loop must not be 0",
              .help = "use a step of 1"});
    if (f.chunk != 0) chunk(f, detail);
    if (f.kind == LoopKind::Unroll && (!f.start.is_constant() || !f.stop.is_constant()))
      report(f.place, detail,
             {.code = "unroll-bounds", .what = "unroll with bounds that are not constants",
              .law = "unroll is expanded when the program is compiled",
              .help = "use range for bounds known only at run time"});
    if (f.kind == LoopKind::Pipeline) pipeline(f, detail);
    if (f.kind == LoopKind::Parallel && in_scope() && scope_->kind != ScopeKind::Auto)
      report(f.place, detail,
             {.severity = Severity::Warning, .code = "parallel-in-scope",
              .what = "parallel loop inside a plain scope",
              .law = "a scope runs as one task on one core, so its loops run in order",
              .help = "put the parallel loop outside the scope, or use an auto scope with chunk"});
    loops_.push_back({f.kind, f.kind == LoopKind::Range || f.kind == LoopKind::Pipeline, f.chunk});
    if (f.kind == LoopKind::Spmd) {
      spmd(f);
    } else {
      block(f.body);
    }
    loops_.pop_back();
  }

  void chunk(const For& f, const std::string& detail) {
    if (f.chunk < 0)
      report(f.place, detail,
             {.code = "chunk",
              .what = fmt::format("chunk of {}", f.chunk),
              .law = "a chunk must be a positive number of iterations per task",
              .help = "use a chunk of 1 or more"});
    if (!in_scope() || scope_->kind != ScopeKind::Auto)
      report(f.place, detail,
             {.code = "chunk-outside-auto",
              .what = fmt::format("chunk={} outside an auto scope", f.chunk),
              .law = "chunk sets how many iterations of an auto scope form one task",
              .help = fmt::format(
                  "wrap the loop in {}, or use a parallel loop with a step outside and a "
                  "range inside the scope",
                  spelling(f.place, Phrase::AutoScope))});
  }

  void pipeline(const For& f, const std::string& detail) {
    if (!in_scope())
      report(f.place, detail,
             {.code = "pipeline-outside",
              .what = "pipeline outside any scope",
              .law = "pipeline overlaps loads with computation on one core",
              .help = "use range or parallel in the orchestrator"});
    if (f.stages < 1)
      report(f.place, detail,
             {.code = "pipeline-stages",
              .what = fmt::format("pipeline with {} stages", f.stages),
              .law = "a pipeline needs at least 1 stage",
              .help = "use 2 stages"});
  }

  void spmd(const For& f) {
    if (in_scope()) {
      nested(f.place, "spmd");
      block(f.body);
      return;
    }
    const bool is_call = f.body.size() == 1 && f.body[0].as<Scope>();
    if (is_call) {
      block(f.body);
      return;
    }
    Scope implicit;
    implicit.name = f.name;
    scope_ = &implicit;
    alone(f.body);
    block(f.body);
    scope_ = nullptr;
  }

  void nested(const Place& place, std::string_view what) {
    report(place, "",
           {.code = "nested-scope",
            .what = fmt::format("{} inside a scope", what),
            .law = "one scope is one task, and a task cannot start another task",
            .help = "close the outer scope first, and pass values between scopes through GM"});
  }

  void scope(const Scope& s) {
    if (in_scope()) {
      nested(s.place, s.name.empty() ? "a scope" : fmt::format("scope \"{}\"", s.name));
      block(s.body);
      return;
    }
    scope_ = &s;
    if (s.level != Level::CoreGroup && s.level != Level::AIV && s.level != Level::AIC)
      report(s.place, "",
             {.code = "level",
              .what = fmt::format("scope at level {}", level_name(s.level)),
              .law = "a device scope must run on the cores of one cluster",
              .help = "use CORE_GROUP, or AIC / AIV to require one kind of core"});
    alone(s.body);
    const auto outer = std::move(loops_);
    loops_.clear();
    block(s.body);
    loops_ = outer;
    scope_ = nullptr;
  }

  void jump(const Place& place, std::string_view word) {
    const std::string guard = spelling(place, Phrase::Guard);
    if (loops_.empty())
      report(place, "",
             {.code = "break-outside",
              .what = fmt::format("{} outside a loop", word),
              .law = fmt::format("{} applies to the innermost loop of its scope", word),
              .help = "remove it, or move it into the loop"});
    else if (loops_.back().kind == LoopKind::Unroll)
      report(place, "",
             {.code = "break-unroll",
              .what = fmt::format("{} inside unroll", word),
              .law = "unroll is replaced by copies of its body, so no loop remains",
              .help = fmt::format("use range, or guard the body with {}", guard)});
    else if (!loops_.back().ordered)
      report(place, "",
             {.code = "break-parallel",
              .what = fmt::format("{} inside {}", word, loop_kind_name(loops_.back().kind)),
              .law = "iterations of an unordered loop have no sequence; only ordered loops "
                     "support break and continue",
              .help = fmt::format("use range, or guard the body with {}", guard)});
    else if (loops_.back().chunk > 0 && word == "break")
      report(place, "",
             {.code = "break-chunk",
              .what = fmt::format("break in a range with chunk={}", loops_.back().chunk),
              .law = "each chunk is a separate task, and a break in one chunk does not stop the "
                     "others",
              .help = fmt::format("remove the chunk, or guard the body with {}", guard)});
  }

  void written_parameters() {
    for (const Param& param : p_.params) {
      if (param.direction != Direction::Out || written_.contains(param.var.value)) continue;
      const Var& v = p_[param.var];
      report(v.place, fmt::format("parameter {} {}", v.written_name(), type_text(v)),
             {.code = "out-unwritten",
              .what = fmt::format("output {} is never written", v.written_name()),
              .law = "a program must write every element of an Out parameter",
              .help = "assemble or assign the result into the parameter"});
    }
  }

  void note_externals() {
    if (p_.externals.empty() || context_.diagnostics.has_errors()) return;
    std::vector<std::string> names;
    for (const External& e : p_.externals) names.push_back(e.name);
    const char* subject = names.size() == 1 ? "the body of an external kernel is"
                                            : "the bodies of external kernels are";
    report(p_.externals[0].place, "",
           {.severity = Severity::Note, .code = "external",
            .what = fmt::format("{} not checked: {}", subject, join(names, ", ")),
            .law = "only the signature of an external kernel is known: it is assumed to read and "
                   "write whole arguments, as the directions of its parameters declare",
            .help = "check that its source matches its signature"});
  }

  struct OpenLoop {
    LoopKind kind;
    bool ordered;
    int64_t chunk;
  };

  const Program& p_;
  PassContext& context_;
  const Scope* scope_ = nullptr;
  std::vector<OpenLoop> loops_;
  std::set<uint32_t> written_;        // roots
  std::map<uint32_t, VarId> views_;  // orchestrator views and their roots
};

}  // namespace

void verify_structure(const Program& program, PassContext& context) {
  StructureChecker(program, context).run();
}

}  // namespace tilewright::compile
