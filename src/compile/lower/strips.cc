// Ops whose rows do not depend on other rows, one after the other: a few rows go through all of
// them before the next few. Intermediates are produced and consumed in L1; they never exist in full.
#include <algorithm>

#include "tilewright/compile/lower/matching.h"

namespace tilewright::compile {
namespace {

using Part = ir::StripGroup::Part;

// Numbers of a tile that are computed at once: 8 KiB in FP32, so that the half dozen tiles of an
// activation or of a rotation are in L1 together.
constexpr int64_t kNumbers = 2048;

bool contains(const auto& range, const auto& x) {
  return std::ranges::find(range, x) != std::ranges::end(range);
}

class StripMatcher {
 public:
  explicit StripMatcher(const Searched& in) : in_(in) {}

  std::optional<Found> match(Nodes nodes) {
    std::size_t taken = 0;
    for (const ir::LoweredNode& n : nodes) {
      const int i = in_.issued(n);
      if (i < 0 || !(in_.uses.is_view(in_.op(i).dst) ? take_view(i) : take(i))) break;
      ++taken;
    }
    if (std::ranges::count(strip_.parts, false, &Part::view) < 2) return {};
    int64_t widest = 1;
    for (const Part& p : strip_.parts) widest = std::max(widest, shape(result(p))[1]);
    strip_.rows_at_once = std::max<int64_t>(1, kNumbers / widest);
    if (strip_.rows_at_once >= rows_ || strip_.inputs.empty()) return {};
    for (Part& p : strip_.parts) p.kept = !p.view && is_kept(result(p));
    return Found{std::move(strip_), taken};
  }

 private:
  const Shape& shape(ir::VarId v) const { return in_.program[v].shape; }
  ir::VarId result(const Part& p) const { return in_.op(p.instruction).dst; }
  bool has_rows(ir::VarId v) const { return shape(v).size() == 2 && shape(v)[0] == rows_; }
  const Part* maker(ir::VarId v) const {
    const auto part = std::ranges::find(strip_.parts, v, [&](const Part& p) { return result(p); });
    return part == strip_.parts.end() ? nullptr : &*part;
  }
  ir::VarId root(ir::VarId v) const {
    while (in_.uses.is_view(v)) v = in_.op(in_.maker(v)).args[0];
    return v;
  }

  bool take(int instruction) {
    const ir::Op& op = in_.op(instruction);
    if (!ir::op_info(op.kind).row_local || in_.uses.is_argument(op.dst) ||
        in_.uses.read_as_scalar(op.dst) || shape(op.dst).size() != 2)
      return false;
    if (strip_.parts.empty()) rows_ = shape(op.dst)[0];
    if (rows_ == 1 || !has_rows(op.dst) ||
        !std::ranges::all_of(op.args, [&](ir::VarId a) { return fits(a); }))
      return false;
    // A result that replaces an operand is computed in place, element by element. What is a view of
    // it would change under the rows that come later.
    if (contains(op.args, op.dst) && ir::op_family(op.kind) != ir::OpFamily::Elementwise)
      return false;
    if (contains(viewed_, op.dst) || !take_inputs(op)) return false;
    for (const ir::VarId a : op.args)
      if (in_.uses.is_view(a)) viewed_.push_back(root(a));
    strip_.parts.push_back({.instruction = instruction});
    return true;
  }

  // The rows of a tile, or one row for all that was there before.
  bool fits(ir::VarId a) const {
    return has_rows(a) || (shape(a).size() == 2 && shape(a)[0] == 1 && !maker(a));
  }

  bool take_inputs(const ir::Op& op) {
    std::vector<ir::VarId> inputs = strip_.inputs;
    for (const ir::VarId a : op.args)
      if (has_rows(a) && !maker(a) && !contains(inputs, a)) inputs.push_back(a);
    if (inputs.size() > ir::StripGroup::kMostInputs) return false;
    strip_.inputs = std::move(inputs);
    return true;
  }

  bool take_view(int instruction) {
    const ir::Op& op = in_.op(instruction);
    if (ir::op_info(op.kind).view != ir::ViewKind::Window) return false;
    const Part* source = maker(op.args[0]);
    if (!source) {
      strip_.views.push_back(instruction);
      return true;
    }
    if (source->view || !has_rows(op.dst) || !(op.offset[0] == ir::Expr(0))) return false;
    strip_.parts.push_back({.instruction = instruction, .view = true});
    return true;
  }

  bool read_inside(ir::VarId v) const {
    return !in_.uses.read_as_scalar(v) && std::ranges::all_of(in_.uses.readers(v), [&](int reader) {
      return std::ranges::find(strip_.parts, reader, &Part::instruction) != strip_.parts.end();
    });
  }

  // Somebody else reads it, itself or a view of it, or it is read again in the next trip of a loop.
  bool is_kept(ir::VarId v) const {
    return !read_inside(v) || contains(strip_.inputs, v) || in_.uses.writers(v).size() > 1 ||
           std::ranges::any_of(strip_.parts, [&](const Part& p) {
             return p.view && in_.op(p.instruction).args[0] == v && !read_inside(result(p));
           });
  }

  const Searched& in_;
  int64_t rows_ = 0;
  std::vector<ir::VarId> viewed_;  // what views that parts read are views of
  ir::StripGroup strip_;
};

}  // namespace

std::optional<Found> match_strip(Nodes nodes, const Searched& in) {
  return StripMatcher(in).match(nodes);
}

}  // namespace tilewright::compile
