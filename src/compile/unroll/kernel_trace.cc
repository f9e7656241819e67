#include "tilewright/compile/unroll/kernel_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/compile/unroll/control.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"

namespace tilewright::compile {

using namespace ir;

namespace {

std::string missing_text(std::string_view reader, const Rect& r, const std::string& array,
                         const std::optional<Rect>& hole) {
  const std::string needs = fmt::format("{} needs {} of {}", reader, r.text(), array);
  return !hole || *hole == r ? needs + ", which was never written"
                             : fmt::format("{}, but {} was never written", needs, hole->text());
}

}  // namespace

KernelTrace::KernelTrace(const Plan& plan, std::vector<Binding>& bindings, Findings& findings,
                         ReadElement read_element)
    : p_(plan.program),
      bindings_(bindings),
      findings_(findings),
      read_element_(std::move(read_element)),
      tiles_(plan.program.vars.size()),
      kernel_args_(plan.program.vars.size(), 0) {}

void KernelTrace::run(const Kernel& kernel, ScalarEnv& env, uint32_t submitted,
                      std::vector<Access>& accesses) {
  ++generation_;
  kernel_ = &kernel;
  env_ = &env;
  submitted_ = submitted;
  accesses_ = &accesses;
  accesses_begin_ = accesses.size();
  for (const KernelArg& a : kernel.args) kernel_args_[a.var.index()] = generation_;
  execute(kernel.body, env, *this);
}

void KernelTrace::fail(const Place& place, Problem p) {
  findings_.add(&place, place, kernel_->name, "", std::move(p));
}

void KernelTrace::problem(const Op& op, Problem p) {
  findings_.add(&op, op.place, kernel_->name, statement_text(op, p_), std::move(p));
}

void KernelTrace::problem(const Read& read, Problem p) {
  findings_.add(&read, read.place, kernel_->name, statement_text(read, p_), std::move(p));
}

KernelTrace::Tile& KernelTrace::tile(VarId v) {
  Tile& t = tiles_[v.index()];
  if (t.generation != generation_) {
    t.generation = generation_;
    t.whole = false;
    t.valid = full_extent(p_[v]);
    const int64_t cols = p_[v].shape.back();
    t.partial = DefinedMap(element_count(p_[v].shape) / cols, cols, false);
  }
  return t;
}

void KernelTrace::define_whole(VarId v, const Extent& valid) {
  Tile& t = tiles_[v.index()];
  t.generation = generation_;
  t.whole = true;
  t.valid = valid;
}

void KernelTrace::op(const Op& op) {
  if (op.kind == OpKind::Load) return load(op);
  if (op.kind == OpKind::Store) return store(op);
  if (op.kind == OpKind::Slice) return slice(op);
  if (op.kind == OpKind::Assemble) return assemble(op);
  if (op.kind == OpKind::SetValid) return set_valid(op);
  if (op.kind != OpKind::Create) return compute(op);
  tiles_[op.dst.index()].generation = 0;  // forget what an earlier trip left
  (void)tile(op.dst);
}

// ---- valid shapes, offsets, bounds -------------------------------------------------------------

bool KernelTrace::valid_of(const Op& op, Extent& out) {
  const Var& dst = p_[op.dst];
  out = full_extent(dst);
  for (std::size_t i = 0; i < op.valid.size(); ++i) {
    const auto v = evaluate(op.valid[i], *env_);
    if (!v) continue;  // device data: checked when it runs
    if (*v < 1 || *v > dst.shape[i]) {
      problem(op, {.code = "valid",
                   .what = fmt::format("valid extent of {} in dimension {} of {} {}", *v, i, dst.name,
                                       type_text(dst)),
                   .law = "a valid extent is at least 1 and at most the tile's extent",
                   .help = "clamp it with min(tile, remaining), and skip blocks that have nothing left"});
      return false;
    }
    out[i] = *v;
  }
  return true;
}

bool KernelTrace::offsets_of(const Op& op, const Var& array, const Extent& extent, std::size_t rank,
                             std::array<int64_t, kMaxRank>& offset,
                             std::array<bool, kMaxRank>& unknown) {
  const std::size_t dropped = array.shape.size() - rank;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const auto value = evaluate(op.offset[i], *env_);
    unknown[i] = !value;
    offset[i] = value.value_or(0);
    const int64_t size = i < dropped ? 1 : extent[i - dropped];
    if (!value && size <= array.shape[i]) continue;
    if (offset[i] >= 0 && offset[i] + size <= array.shape[i]) continue;
    problem(op, out_of_bounds(op_name(op.kind), offset[i], offset[i] + size - 1, i, array));
    return false;
  }
  return true;
}

KernelTrace::Reach KernelTrace::reach_of(const Var& array, const Extent& extent, std::size_t rank,
                                         const std::array<bool, kMaxRank>& unknown) {
  const std::size_t dropped = array.shape.size() - rank;
  Reach reach{Shape(array.shape.size(), 1), true};
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    if (i >= dropped) reach.shape[i] = extent[i - dropped];
    if (!unknown[i]) continue;
    reach.shape[i] = array.shape[i];
    reach.certain = false;
  }
  return reach;
}

Rect KernelTrace::rows_and_cols(const Extent& extent, const Var& v) const {
  int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < v.shape.size(); ++i) rows *= extent[i];
  return {0, rows, 0, extent[v.shape.size() - 1]};
}

// ---- GM ----------------------------------------------------------------------------------------

void KernelTrace::load(const Op& op) {
  const Binding& source = bindings_[op.args[0].index()];
  const Var& array = p_[op.args[0]];
  const std::size_t rank = p_[op.dst].shape.size();
  Extent valid;
  const bool valid_ok = valid_of(op, valid);
  Extent extent = valid;
  if (op.transpose) std::swap(extent[0], extent[1]);
  std::array<int64_t, kMaxRank> offset{};
  std::array<bool, kMaxRank> unknown{};
  if (valid_ok && source.buffer && offsets_of(op, array, extent, rank, offset, unknown)) {
    const Reach reach = reach_of(array, extent, rank, unknown);
    touch(op, op.args[0], source.ref.window(offset.data(), reach.shape), Touch::Read);
  } else if (!source.buffer) {
    problem(op, never_made(array, "read"));
  }
  define_whole(op.dst, valid);
}

void KernelTrace::store(const Op& op) {
  const Binding& target = bindings_[op.dst.index()];
  const Var& array = p_[op.dst];
  const Tile& t = tile(op.args[0]);
  if (!op.may_be_undefined && !require_defined(op, op.args[0])) return;
  const std::size_t rank = p_[op.args[0]].shape.size();
  std::array<int64_t, kMaxRank> offset{};
  std::array<bool, kMaxRank> unknown{};
  if (!target.buffer) {
    problem(op, never_made(array, "written"));
    return;
  }
  if (!offsets_of(op, array, t.valid, rank, offset, unknown)) return;
  if (!t.whole) {
    store_defined_part(op, target, t);
    return;
  }
  const Reach reach = reach_of(array, t.valid, rank, unknown);
  const TensorRef window = target.ref.window(offset.data(), reach.shape);
  if (op.atomic_add) touch(op, op.dst, window, Touch::Read);
  touch(op, op.dst, window, reach.certain ? Touch::Write : Touch::MayWrite);
}

// An escaping tile of which only a part was written: the rest stays undefined in GM.
void KernelTrace::store_defined_part(const Op& op, const Binding& target, const Tile& t) {
  const Shape& shape = p_[op.dst].shape;
  const int64_t cols = t.partial.cols();
  for (int64_t row = 0; row < t.partial.rows(); ++row) {
    std::array<int64_t, kMaxRank> offset{};
    int64_t rest = row;
    for (std::size_t d = shape.size() - 1; d-- > 0; rest /= shape[d]) offset[d] = rest % shape[d];
    for (int64_t col = 0; col < cols; ++col) {
      if (!t.partial.covers({row, 1, col, 1})) continue;
      int64_t end = col + 1;
      while (end < cols && t.partial.covers({row, 1, end, 1})) ++end;
      offset[shape.size() - 1] = col;
      touch(op, op.dst, target.ref.window(offset.data(), {end - col}), Touch::Write);
      col = end;
    }
  }
}

void KernelTrace::touch(const Op& op, VarId name, const TensorRef& window, Touch how) {
  const Binding& b = bindings_[name.index()];
  BufferState& buffer = *b.buffer;
  const bool write = how != Touch::Read;
  for_each_rect(window, buffer.cols, [&](const Rect& r) {
    if (!write && !buffer.read_only) {
      if (!buffer.defined.covers(r))
        problem(op, undefined_read(op.atomic_add ? "assemble_add" : op_name(op.kind), name, b, r));
      if (b.is_view)
        buffer.regions.for_each_writer(r, [&](const RegionMap::Writer& w) {
          if (w.task.value < b.taken_at || w.via == name) return;
          problem(op, {.code = "stale-view",
                       .what = fmt::format("{} was sliced before its tensor was written as {}{}",
                                           p_[name].name, p_[w.via].name, written_at(buffer, w.via)),
                       .law = "after a tensor is updated, a view taken earlier is an old name for new "
                              "contents and must not be read",
                       .help = "take the slice after the write"});
        });
    }
    if (how == Touch::Write) buffer.defined.set(r);
    if (write) remember_writer(buffer, op);
    // Tiles of a loop over adjacent windows grow into one access.
    auto& list = *accesses_;
    const std::size_t look_back = std::min<std::size_t>(list.size() - accesses_begin_, 8);
    for (std::size_t i = 0; i < look_back; ++i) {
      Access& a = list[list.size() - 1 - i];
      if (a.buffer == buffer.id && a.write == write && merge_into(a.rect, r)) return;
    }
    list.push_back({buffer.id, r, write, &op});
  });
}

Problem KernelTrace::undefined_read(std::string_view reader, VarId array, const Binding& b,
                                    const Rect& r) const {
  std::string where;
  for (const Op* w : b.buffer->writers) where += (where.empty() ? "" : ", ") + w->place.text();
  return {.code = "undefined-read",
          .what = missing_text(reader, r, p_[array].name, b.buffer->defined.first_missing(r)),
          .law = where.empty() ? "nothing is read before it is written; nothing has written it yet"
                               : fmt::format("nothing is read before it is written; it is written at {}",
                                             where),
          .help = "write all of it first, or slice only the part that is written"};
}

// ---- tiles -------------------------------------------------------------------------------------

bool KernelTrace::require_defined(const Op& op, VarId v) {
  const Tile& t = tile(v);
  if (t.whole) return true;
  const Rect need = rows_and_cols(t.valid, p_[v]);
  if (t.partial.covers(need)) return true;
  problem(op, undefined_tile(op_name(op.kind), v, t, need));
  return false;
}

Problem KernelTrace::undefined_tile(std::string_view reader, VarId v, const Tile& t,
                                    const Rect& r) const {
  return {.code = "undefined-read",
          .what = missing_text(reader, r, fmt::format("{} {}", p_[v].name, type_text(p_[v])),
                               t.partial.first_missing(r)),
          .law = fmt::format("nothing is read before it is written; it is made at {}",
                             p_[v].place.text()),
          .help = "write all of it first; a new tile's contents are undefined, not zero"};
}

void KernelTrace::slice(const Op& op) {
  const VarId source = op.args[0];
  const Var& array = p_[source];
  const Tile& from = tile(source);
  const std::size_t rank = p_[op.dst].shape.size();
  const std::size_t dropped = array.shape.size() - rank;
  Extent valid;
  std::array<int64_t, kMaxRank> offset{};
  std::array<bool, kMaxRank> unknown{};
  if (!valid_of(op, valid) || !offsets_of(op, array, valid, rank, offset, unknown)) {
    define_whole(op.dst, full_extent(p_[op.dst]));
    return;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (unknown[i + dropped]) continue;
    const int64_t left = from.valid[i + dropped] - offset[i + dropped];
    if (!op.valid.empty() ? valid[i] > left : left < 1) {
      problem(op, {.code = "valid",
                   .what = fmt::format("slice of {} takes {} elements at {} in dimension {}, of which {} "
                                       "are valid",
                                       array.name, valid[i], offset[i + dropped], i,
                                       std::max<int64_t>(left, 0)),
                   .law = "a slice of a tile stays inside its valid region",
                   .help = "give the slice a smaller valid shape, or fillpad the tile first"});
      define_whole(op.dst, full_extent(p_[op.dst]));
      return;
    }
  }
  valid = window_extent(op, from.valid, p_, *env_);
  if (!from.whole) {
    const Reach reach = reach_of(array, valid, rank, unknown);
    const TensorRef window =
        TensorRef::whole(BufferId(), array.shape).window(offset.data(), reach.shape);
    for_each_rect(window, array.shape.back(), [&](const Rect& r) {
      if (!from.partial.covers(r)) problem(op, undefined_tile("slice", source, from, r));
    });
  }
  define_whole(op.dst, valid);
}

void KernelTrace::assemble(const Op& op) {
  if (!require_defined(op, op.args[0])) return;
  const Tile& from = tile(op.args[0]);
  const Var& array = p_[op.dst];
  const std::size_t rank = p_[op.args[0]].shape.size();
  std::array<int64_t, kMaxRank> offset{};
  std::array<bool, kMaxRank> unknown{};
  if (!offsets_of(op, array, from.valid, rank, offset, unknown)) return;
  Tile& into = tile(op.dst);
  const std::size_t dropped = array.shape.size() - rank;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const int64_t end = offset[i] + (i < dropped ? 1 : from.valid[i - dropped]);
    if (end <= into.valid[i]) continue;
    problem(op, {.code = "valid",
                 .what = fmt::format("assemble writes elements {} to {} of dimension {} of {}, of which {} "
                                     "are valid",
                                     offset[i], end - 1, i, array.name, into.valid[i]),
                 .law = "what is written outside the valid region of a tile is lost",
                 .help = "fillpad the destination first, or write less"});
    return;
  }
  if (into.whole) return;
  const Reach reach = reach_of(array, from.valid, rank, unknown);
  const TensorRef window =
      TensorRef::whole(BufferId(), array.shape).window(offset.data(), reach.shape);
  for_each_rect(window, array.shape.back(), [&](const Rect& r) {
    if (op.atomic_add && !into.partial.covers(r))
      problem(op, undefined_tile("assemble_add", op.dst, into, r));
    if (reach.certain) into.partial.set(r);
  });
  into.whole = into.partial.complete();
}

void KernelTrace::set_valid(const Op& op) {
  Extent valid;
  if (!valid_of(op, valid)) valid = full_extent(p_[op.dst]);
  // Growing the region exposes elements that nobody defined, unless the tile was whole.
  const Tile& from = tile(op.args[0]);
  for (std::size_t i = 0; i < p_[op.dst].shape.size(); ++i)
    if (from.whole && valid[i] > from.valid[i])
      problem(op, {.code = "valid",
                   .what = fmt::format("set_validshape grows dimension {} of {} from {} to {}", i,
                                       p_[op.args[0]].name, from.valid[i], valid[i]),
                   .law = "elements outside the valid region are undefined",
                   .help = "use fillpad to define them"});
  (void)require_defined(op, op.args[0]);
  define_whole(op.dst, valid);
}

void KernelTrace::compute(const Op& op) {
  std::vector<Extent> extents;
  extents.reserve(op.args.size());
  for (VarId v : op.args) {
    (void)require_defined(op, v);
    extents.push_back(tile(v).valid);
  }
  if (const Disagreement d = disagreement(op, extents, p_); !d.text.empty()) {
    problem(op, {.code = "valid-mismatch",
                 .what = d.text,
                 .law = d.needs_all ? "this op works on whole tiles"
                                         : "an op works on the valid region of its operands, which must agree",
                 .help = d.needs_all ? "fillpad it first"
                                          : "give both the same valid shape, or fillpad them"});
    define_whole(op.dst, full_extent(p_[op.dst]));
    return;
  }
  const Extent result = result_extent(op, extents, p_);
  if (op.kind == OpKind::MatmulAcc) {
    if (!require_defined(op, op.dst)) return define_whole(op.dst, result);
    if (tile(op.dst).valid != result)
      problem(op, {.code = "valid-mismatch",
                   .what = fmt::format("accumulator {} is valid in {}, the product in {}", p_[op.dst].name,
                                       extent_text(tile(op.dst).valid, p_[op.dst].shape.size()),
                                       extent_text(result, p_[op.dst].shape.size())),
                   .law = "an op works on the valid region of its operands, which must agree",
                   .help = "start the chain with a matmul of the same valid rows"});
    return;
  }
  define_whole(op.dst, result);
}

// ---- scalars -----------------------------------------------------------------------------------

void KernelTrace::read(const Read& read) {
  const Var& array = p_[read.array];
  env_->forget(read.var);
  std::array<int64_t, kMaxRank> offset{};
  Shape extent(array.shape.size(), 1);
  bool known = true;
  for (std::size_t i = 0; i < read.index.size(); ++i) {
    const auto v = evaluate(read.index[i], *env_);
    offset[i] = v.value_or(0);
    if (!v) {
      known = false;
      extent[i] = array.shape[i];  // device data chooses: it may be any of them
    } else if (*v < 0 || *v >= array.shape[i]) {
      return problem(read, out_of_bounds("read", *v, *v, i, array));
    }
  }
  if (!is_gm(read.array)) return read_tile(read, offset, extent);
  const Binding& b = bindings_[read.array.index()];
  if (!b.buffer) return problem(read, never_made(array, "read"));
  const TensorRef window = b.ref.window(offset.data(), extent);
  BufferState& buffer = *b.buffer;
  for_each_rect(window, buffer.cols, [&](const Rect& r) {
    if (!buffer.read_only && !buffer.defined.covers(r))
      problem(read, undefined_read("read", read.array, b, r));
    accesses_->push_back({buffer.id, r, false, nullptr});
  });
  const auto value =
      known && buffer.read_only ? read_element_(read.array, window.base) : std::nullopt;
  if (!value) return;
  if (is_float(array.dtype))
    env_->set_real(read.var, *value);
  else
    env_->set(read.var, static_cast<int64_t>(*value));
}

// A tile's elements are device data: the value is not known, but that it exists can be checked.
void KernelTrace::read_tile(const Read& read, const std::array<int64_t, kMaxRank>& offset,
                            const Shape& extent) {
  const Var& array = p_[read.array];
  const Tile& t = tile(read.array);
  if (t.whole) {
    for (std::size_t i = 0; i < extent.size(); ++i)
      if (offset[i] >= t.valid[i])
        return problem(read, {.code = "valid",
                              .what = fmt::format("read of element {} of dimension {} of {}, of which {} are "
                                                  "valid",
                                                  offset[i], i, array.name, t.valid[i]),
                              .law = "elements outside the valid region are undefined",
                              .help = "use fillpad to define them"});
    return;
  }
  const TensorRef window = TensorRef::whole(BufferId(), array.shape).window(offset.data(), extent);
  for_each_rect(window, array.shape.back(), [&](const Rect& r) {
    if (!t.partial.covers(r)) problem(read, undefined_tile("read", read.array, t, r));
  });
}

}  // namespace tilewright::compile
