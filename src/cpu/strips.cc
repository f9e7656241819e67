#include "tilewright/cpu/strips.h"

#include <algorithm>
#include <array>

namespace tilewright::cpu {
namespace {

using ir::OpKind;

// Numbers of a tile that are computed at once: 8 KiB in FP32, so that the half dozen tiles of an
// activation or of a rotation are in L1 together.
constexpr int64_t kNumbers = 2048;
constexpr std::size_t kMostInputs = 16;

bool is_row_local(const ir::Op& op) {
  switch (op.kind) {
    case OpKind::Cast:
    case OpKind::Concat:
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin: return true;
    default: return ir::op_family(op.kind) == ir::OpFamily::Elementwise;
  }
}

bool contains(const auto& range, const auto& x) {
  return std::ranges::find(range, x) != std::ranges::end(range);
}

class Finder {
 public:
  Finder(const ir::Program& program, const Aliases& aliases)
      : program_(program), aliases_(aliases) {}

  std::optional<Strip> find(std::span<const ir::Stmt> statements) {
    for (const ir::Stmt& s : statements) {
      const auto* op = s.as<ir::Op>();
      if (!op || !(aliases_.is_alias(op->dst) ? take_view(*op) : take(*op))) break;
      ++strip_.statements;
    }
    if (std::ranges::count(strip_.parts, false, &Strip::Part::view) < 2) return {};
    int64_t widest = 1;
    for (const Strip::Part& p : strip_.parts)
      widest = std::max(widest, program_[p.op->dst].shape[1]);
    strip_.at_once = std::max<int64_t>(1, kNumbers / widest);
    if (strip_.at_once >= rows_ || strip_.inputs.empty()) return {};
    for (Strip::Part& p : strip_.parts) p.kept = !p.view && is_kept(p.op->dst);
    return strip_;
  }

 private:
  bool has_rows(ir::VarId v) const {
    return program_[v].shape.size() == 2 && program_[v].shape[0] == rows_;
  }
  const Strip::Part* maker(ir::VarId v) const {
    const auto part = std::ranges::find(strip_.parts, v, [](const auto& p) { return p.op->dst; });
    return part == strip_.parts.end() ? nullptr : &*part;
  }
  ir::VarId root(ir::VarId v) const {
    while (aliases_.is_alias(v)) v = aliases_.writers(v).front()->args[0];
    return v;
  }

  bool take(const ir::Op& op) {
    const ir::Var& result = program_[op.dst];
    if (!is_row_local(op) || aliases_.is_argument(op.dst) || aliases_.read_as_scalar(op.dst) ||
        result.shape.size() != 2)
      return false;
    if (strip_.parts.empty()) rows_ = result.shape[0];
    const bool replaces = contains(op.args, op.dst);
    if (rows_ == 1 || !has_rows(op.dst) ||
        !std::ranges::all_of(op.args, [&](ir::VarId a) { return fits(a); }))
      return false;
    // A result that replaces an operand is computed in place, element by element. What is a view of
    // it would change under the rows that come later.
    if (replaces && ir::op_family(op.kind) != ir::OpFamily::Elementwise) return false;
    if (contains(viewed_, op.dst)) return false;
    std::vector<ir::VarId> inputs = strip_.inputs;
    for (const ir::VarId a : op.args)
      if (has_rows(a) && !maker(a) && !contains(inputs, a)) inputs.push_back(a);
    if (inputs.size() > kMostInputs) return false;
    strip_.inputs = std::move(inputs);
    for (const ir::VarId a : op.args)
      if (aliases_.is_alias(a)) viewed_.push_back(root(a));
    strip_.parts.push_back({&op});
    return true;
  }

  // The rows of a tile, or one row for all that was there before.
  bool fits(ir::VarId a) const {
    return has_rows(a) || (program_[a].shape.size() == 2 && program_[a].shape[0] == 1 && !maker(a));
  }

  bool take_view(const ir::Op& op) {
    if (op.kind != OpKind::Slice && op.kind != OpKind::Load) return false;
    const Strip::Part* source = maker(op.args[0]);
    if (!source) {
      strip_.views.push_back(&op);
      return true;
    }
    if (source->view || !has_rows(op.dst) || !(op.offset[0] == ir::Expr(0))) return false;
    strip_.parts.push_back({&op, true});
    return true;
  }

  bool read_inside(ir::VarId v) const {
    return !aliases_.read_as_scalar(v) &&
           std::ranges::all_of(aliases_.readers(v), [&](const ir::Op* reader) {
             return std::ranges::find(strip_.parts, reader, &Strip::Part::op) != strip_.parts.end();
           });
  }

  // Somebody else reads it, itself or a view of it, or it is read again in the next trip of a loop.
  bool is_kept(ir::VarId v) const {
    return !read_inside(v) || contains(strip_.inputs, v) || aliases_.writers(v).size() > 1 ||
           std::ranges::any_of(strip_.parts, [&](const Strip::Part& p) {
             return p.view && p.op->args[0] == v && !read_inside(p.op->dst);
           });
  }

  const ir::Program& program_;
  const Aliases& aliases_;
  int64_t rows_ = 0;
  std::vector<ir::VarId> viewed_;  // what views that parts read are views of
  Strip strip_;
};

// Tiles that begin some rows further, as long as this lives: also when a part ends in an error.
class ShiftedTiles {
 public:
  ShiftedTiles(Frame& f, int64_t bytes) : f_(f), tiles_(f.tiles) { f.tiles += bytes; }
  ~ShiftedTiles() { f_.tiles = tiles_; }
  ShiftedTiles(const ShiftedTiles&) = delete;
  ShiftedTiles& operator=(const ShiftedTiles&) = delete;

 private:
  Frame& f_;
  std::byte* tiles_;
};

}  // namespace

std::optional<Strip> find_strip(const ir::Program& program, std::span<const ir::Stmt> statements,
                                const Aliases& aliases) {
  return Finder(program, aliases).find(statements);
}

bool StripStep::rows_agree(const Frame& f) const {
  const int64_t rows = f.views[inputs_.front().var].valid[0];
  return std::ranges::all_of(inputs_,
                             [&](const Operand& o) { return f.views[o.var].valid[0] == rows; });
}

// The parts, with the inputs set to some rows of theirs. A result that is kept goes to the same
// rows of its tile, others to the first.
void StripStep::run_rows(Frame& f, int64_t first) const {
  for (const Part& p : parts_) {
    const ShiftedTiles shifted(f, p.kept ? first * p.result.cols() * p.result.bytes : 0);
    p.step->run(f);
    if (p.view) {
      int64_t& rows = f.views[p.result.var].valid[0];
      rows = std::min(rows, f.views[inputs_.front().var].valid[0]);
    }
  }
}

Flow StripStep::run(Frame& f) const {
  std::array<View, kMostInputs> whole;
  for (std::size_t i = 0; i < inputs_.size(); ++i) whole[i] = f.views[inputs_[i].var];
  const int64_t rows = whole[0].valid[0];
  if (rows <= at_once_ || !rows_agree(f)) {
    for (const Part& p : parts_) p.step->run(f);
    return Flow::Next;
  }
  for (int64_t first = 0; first < rows; first += at_once_) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      View& v = f.views[inputs_[i].var];
      v.data = whole[i].data + first * whole[i].stride[0] * inputs_[i].bytes;
      v.valid[0] = std::min(at_once_, rows - first);
    }
    run_rows(f, first);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) f.views[inputs_[i].var] = whole[i];
  for (const Part& p : parts_) {
    if (p.view) {
      p.step->run(f);
    } else if (p.kept) {
      View& v = f.views[p.result.var];
      v.data = f.tiles + p.result.tile;
      v.valid[0] = rows;
    }
  }
  return Flow::Next;
}

}  // namespace tilewright::cpu
