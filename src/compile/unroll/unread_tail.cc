#include "tilewright/compile/unroll/unread_tail.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

// What all tasks read of one input, along one of its two dimensions.
struct Reach {
  int64_t end = 0;    // of what is read
  int64_t tile = 0;   // that each load takes; 0 when nothing was loaded
  bool alike = true;  // every load takes that many

  void add(int64_t until, int64_t taken) {
    end = std::max(end, until);
    alike = alike && (tile == 0 || tile == taken);
    tile = taken;
  }
  // Whole tiles, and then less than one.
  bool leaves_tail(int64_t size) const {
    return alike && tile > 0 && end < size && size - end < tile && end % tile == 0;
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
    rows.add(access.rect.row + access.rect.rows, p[op->dst].shape[0]);
    columns.add(access.rect.col + access.rect.cols, p[op->dst].shape[1]);
  }
};

// Whether scalars or data decide what is read, so that another run may read the rest.
bool numbers_decide(const Program& p) {
  bool reads = std::ranges::any_of(p.params, [&](const Param& q) { return p[q.var].scalar; });
  for_each_stmt(p.body, [&](const Stmt& s) { reads = reads || s.as<Read>(); });
  return reads;
}

void report(const Var& v, const Input& input, const char* of, const Reach& reach, int64_t size,
            Findings& findings) {
  findings.add(
      &v, v.place, "", fmt::format("parameter {} {}", v.written_name(), type_text(v)),
      {.severity = Severity::Warning,
       .code = "in-partial",
       .what = fmt::format("input {}: {} {} to {} are never read", v.written_name(), of, reach.end,
                           size - 1),
       .law =
           fmt::format("loads take {0} {1} at a time, and {2} is no multiple of {0}; they are at "
                       "{3}",
                       reach.tile, of, size, input.load->place.text()),
       .help = fmt::format("use a tile that divides {}, or load the rest with a valid shape", size),
       .related = {{input.load->place, "it is read"}}});
}

}  // namespace

void report_unread_tails(const Program& program, const TaskGraph& graph, Findings& findings) {
  if (numbers_decide(program)) return;
  std::vector<Input> inputs(program.params.size());
  for (const Access& access : graph.accesses) {
    const int param = graph.buffers[access.buffer.index()].param;
    if (param >= 0 && !access.write) inputs[static_cast<std::size_t>(param)].add(access, program);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Param& param = program.params[i];
    const Var& v = program[param.var];
    const Input& input = inputs[i];
    if (param.direction != Direction::In || !input.known || v.shape.size() != 2) continue;
    if (input.rows.leaves_tail(v.shape[0]))
      report(v, input, "rows", input.rows, v.shape[0], findings);
    if (input.columns.leaves_tail(v.shape[1]))
      report(v, input, "columns", input.columns, v.shape[1], findings);
  }
}

}  // namespace tilewright::compile
