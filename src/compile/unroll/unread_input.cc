#include "tilewright/compile/unroll/unread_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tilewright/base/text.h"
#include "tilewright/compile/trips.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

// What all tasks read of one input, along one of its two dimensions.
struct Reach {
  std::set<std::pair<int64_t, int64_t>> read;  // [begin, end) of every load
  int64_t end = 0;    // of what is read
  int64_t tile = 0;   // that each load takes; 0 when nothing was loaded
  bool alike = true;  // every load takes that many

  void add(int64_t begin, int64_t until, int64_t taken) {
    read.emplace(begin, until);
    end = std::max(end, until);
    alike = alike && (tile == 0 || tile == taken);
    tile = taken;
  }
  // Whole tiles, and then less than one.
  bool leaves_tail(int64_t size) const {
    return alike && tile > 0 && end < size && size - end < tile && end % tile == 0;
  }
  // The parts [begin, end) that no load takes.
  std::vector<std::pair<int64_t, int64_t>> gaps(int64_t size) const {
    std::vector<std::pair<int64_t, int64_t>> out;
    int64_t covered = 0;
    for (const auto& [begin, until] : read) {
      if (begin > covered) out.emplace_back(covered, begin);
      covered = std::max(covered, until);
    }
    if (covered < size) out.emplace_back(covered, size);
    return out;
  }
};

struct Input {
  Reach rows, columns;
  const Op* load = nullptr;
  bool known = true;  // that every read is a load of a whole tile

  void add(const Access& access, const Program& p) {
    const Op* op = access.op;
    known = known && access.certain && op && op->valid.empty() && !op->transpose &&
            op->dst.valid() && p[op->dst].shape.size() == 2;
    if (!known) return;
    load = op;
    const Rect& r = access.rect;
    rows.add(r.row, r.row + r.rows, p[op->dst].shape[0]);
    columns.add(r.col, r.col + r.cols, p[op->dst].shape[1]);
  }
};

// Whether scalars or data decide what is read, so that another run may read the rest.
bool numbers_decide(const Program& p) {
  bool reads = std::ranges::any_of(p.params, [&](const Param& q) { return p[q.var].scalar; });
  for_each_stmt(p.body, [&](const Stmt& s) { reads = reads || s.as<Read>(); });
  return reads;
}

// A load in a loop that reads the same block in every iteration.
struct StillLoad {
  const Op* load = nullptr;
  const For* loop = nullptr;  // the innermost one
};

// Of each array the first such load.
class StillLoads {
 public:
  explicit StillLoads(const Plan& plan) {
    for (const Kernel& k : plan.kernels) look_into(k.body, nullptr);
  }
  const StillLoad* of(VarId array) const {
    const auto at = found_.find(array);
    return at == found_.end() ? nullptr : &at->second;
  }

 private:
  void look_into(const Block& block, const For* loop) {
    for (const Stmt& s : block) {
      const Op* op = s.as<Op>();
      if (op && op->kind == OpKind::Load && loop && stands_still(*op, *loop))
        found_.emplace(op->args[0], StillLoad{op, loop});
      const For* inner = s.as<For>();
      // How often a while loop runs, and what moves in it, its text does not say.
      if (!s.as<While>())
        for_each_body(s, [&](const Block& body) { look_into(body, inner ? inner : loop); });
    }
  }

  static bool stands_still(const Op& load, const For& loop) {
    const Expr trips = trip_count(loop);
    if (!trips.is_constant() || trips.constant() < 2) return false;
    std::set<VarId> moving{loop.var};
    for_each_stmt(loop.body, [&](const Stmt& s) { moving.insert(scalar_defined(s)); });
    bool still = true;
    for (const Expr& e : load.offset)
      e.for_each_var([&](VarId v) { still = still && !moving.contains(v); });
    return still;
  }

  std::map<VarId, StillLoad> found_;
};

void report(const Program& p, const Var& v, const Input& input, const StillLoad* still, const char* of,
            const Reach& reach, int64_t size, Findings& findings) {
  const auto gaps = reach.gaps(size);
  if (gaps.empty()) return;
  const bool tail = reach.leaves_tail(size);
  if (!tail && !still) return;  // only a part is wanted
  int64_t missed = 0;
  for (const auto& [begin, end] : gaps) missed += end - begin;
  const auto& [begin, end] = gaps.front();
  const std::string part =
      gaps.size() == 1 ? fmt::format("{} {} to {}", of, begin, end - 1)
                       : fmt::format("{} of {} {}, the first at {},", missed, size, of, begin);
  Problem problem{.severity = Severity::Warning,
                  .code = "in-partial",
                  .what = fmt::format("input {}: {} are never read", v.written_name(), part),
                  .law = "",
                  .help = ""};
  if (tail) {
    const Place& place = input.load->place;
    problem.law = fmt::format("loads take {0} {1} at a time, and {2} is no multiple of {0}; they are "
                              "at {3}",
                              reach.tile, of, size, place.text());
    problem.help =
        fmt::format("use a tile that divides {}, or load the rest with a valid shape", size);
    problem.related = {{place, "it is read"}};
  } else {
    const Place& place = still->load->place;
    const std::string& variable = p[still->loop->var].written_name();
    problem.law = fmt::format("the load at {} reads the same block in every iteration of the loop "
                              "over {}",
                              place.text(), variable);
    problem.help = fmt::format("use {} in the offset of the load, or move the load out of the loop",
                               variable);
    problem.related = {{place, "it reads the same block every time"}};
  }
  findings.add(&reach, v.place, "", fmt::format("parameter {} {}", v.written_name(), type_text(v)),
               std::move(problem));
}

}  // namespace

void report_unread_inputs(const Plan& plan, const TaskGraph& graph, Findings& findings) {
  const Program& program = plan.program;
  if (numbers_decide(program)) return;
  std::vector<Input> inputs(program.params.size());
  for (const Access& access : graph.accesses) {
    const int param = graph.buffers[access.buffer.index()].param;
    if (param >= 0 && !access.write) inputs[static_cast<std::size_t>(param)].add(access, program);
  }
  const StillLoads still_loads(plan);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Param& param = program.params[i];
    const Var& v = program[param.var];
    const Input& input = inputs[i];
    if (param.direction != Direction::In || !input.known || v.shape.size() != 2) continue;
    if (!input.load) continue;  // a tensor that nothing reads
    const StillLoad* still = still_loads.of(param.var);
    report(program, v, input, still, "rows", input.rows, v.shape[0], findings);
    report(program, v, input, still, "columns", input.columns, v.shape[1], findings);
  }
}

}  // namespace tilewright::compile
