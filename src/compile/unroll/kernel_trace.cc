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

KernelTrace::KernelTrace(const Plan& plan, std::vector<Binding>& bindings, Iteration& iteration,
                         Findings& findings, Causes& causes, ReadElement read_element)
    : p_(plan.program),
      bindings_(bindings),
      iteration_(iteration),
      findings_(findings),
      causes_(causes),
      read_element_(std::move(read_element)),
      tiles_(plan.program.vars.size()),
      kernel_args_(plan.program.vars.size(), 0) {
  for (const Var& v : p_.vars) full_.push_back(v.scalar ? Extent{} : full_extent(v));
}

void KernelTrace::run(const Kernel& kernel, ScalarEnv& env, uint32_t submitted,
                      LargeVector<Access>& accesses) {
  ++generation_;
  kernel_ = &kernel;
  env_ = &env;
  submitted_ = submitted;
  accesses_ = &accesses;
  accesses_begin_ = accesses.size();
  scalar_causes_.clear();
  ranges_.clear();
  for (const KernelArg& a : kernel.args) kernel_args_[a.var.index()] = generation_;
  execute(kernel.body, env, *this);
}

void KernelTrace::fail(const Place& place, Problem p) {
  findings_.add(&place, place, kernel_->name, "", std::move(p));
}

void KernelTrace::problem(const Op& op, Problem p) {
  findings_.add(&op, op.place, kernel_->name, written_text(op, p_), std::move(p));
}

void KernelTrace::problem(const Read& read, Problem p) {
  findings_.add(&read, read.place, kernel_->name, written_text(read, p_), std::move(p));
}

void KernelTrace::op(const Op& op) {
  trace(op);
  if (ranks_) ranks_->operation(op);
}

void KernelTrace::trace(const Op& op) {
  if (op.kind == OpKind::Load) return load(op);
  if (op.kind == OpKind::Store) return store(op);
  if (op.kind == OpKind::Slice) return slice(op);
  if (op.kind == OpKind::Assemble) return assemble(op);
  if (op.kind == OpKind::SetValid) return set_valid(op);
  if (op.kind != OpKind::Create) return compute(op);
  change(op.dst).generation = 0;  // forget what an earlier trip left
  (void)tile(op.dst);
}

// ---- valid shapes, offsets, bounds -------------------------------------------------------------

bool KernelTrace::valid_of(const Op& op, Extent& out) {
  const Var& dst = p_[op.dst];
  out = full_[op.dst.index()];
  for (std::size_t i = 0; i < op.valid.size(); ++i) {
    const auto v = evaluate(op.valid[i], *env_);
    if (!v) {  // device data: checked when it runs
      if (const CauseId cause = undefined_scalar(op.valid[i]); cause && is_news(&op, cause))
        problem(op,
                undefined_index(fmt::format("the valid extent of {} in dimension {}", dst.written_name(), i),
                                cause));
      continue;
    }
    if (*v < 0 || *v > dst.shape[i]) {
      problem(op,
              {.code = "valid",
               .what = fmt::format("valid extent of {} in dimension {} of {} {}", *v, i, dst.written_name(),
                                   type_text(dst)),
               .law = "a valid extent is at least 0 and at most the tile's extent",
               .help = "clamp it with max(0, min(tile, remaining))"});
      return false;
    }
    out[i] = *v;
  }
  return true;
}

bool KernelTrace::offsets_of(const Op& op, const Var& array, const Extent& extent, std::size_t rank,
                             Start& start) {
  const std::size_t dropped = array.shape.size() - rank;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const auto value = evaluate(op.offset[i], *env_);
    const int64_t size = i < dropped ? 1 : extent[i - dropped];
    const int64_t last = array.shape[i] - size;
    if (const CauseId cause = value ? kNoCause : undefined_scalar(op.offset[i]);
        cause && is_news(&op, cause))
      problem(op, undefined_index(fmt::format("the offset of {} in dimension {} of {}",
                                              op_name(op.kind), i, array.written_name()),
                                  cause));
    if (!value && last >= 0) {  // inside, or it stops when it runs
      const Range r = ranges_.of(op.offset[i], *env_);
      start.offset[i] = std::clamp<int64_t>(r.low.value_or(0), 0, last);
      start.slack[i] = std::clamp(r.high.value_or(last), start.offset[i], last) - start.offset[i];
      continue;
    }
    const int64_t at = start.offset[i] = value.value_or(0);
    if (at >= 0 && at <= last) continue;
    problem(op, out_of_bounds(op_name(op.kind), at, at + size - 1, i, array,
                              iteration_.text(p_, *env_)));
    return false;
  }
  return true;
}

KernelTrace::Reach KernelTrace::reach_of(const Var& array, const Extent& extent, std::size_t rank,
                                         const Start& start) {
  const std::size_t dropped = array.shape.size() - rank;
  Reach reach{Shape(array.shape.size(), 1), true};
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    if (i >= dropped) reach.shape[i] = extent[i - dropped];
    reach.shape[i] += start.slack[i];
    reach.certain = reach.certain && start.slack[i] == 0;
  }
  return reach;
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
  Start start;
  Tile& made = define_whole(op, valid);
  if (valid_ok && source.buffer && offsets_of(op, array, extent, rank, start)) {
    if (is_empty(valid, rank)) return;
    const Reach reach = reach_of(array, extent, rank, start);
    const TensorRef window = source.ref.window(start.offset.data(), reach.shape);
    touch(op, op.args[0], window, false, reach.certain);
    move(op, source.buffer->contents, window, reach, made);
  } else if (!source.buffer) {
    problem(op, never_made(array, "read"));
  }
}

void KernelTrace::store(const Op& op) {
  const Binding& target = bindings_[op.dst.index()];
  const Var& array = p_[op.dst];
  const Tile& t = tile(op.args[0]);
  const std::size_t rank = p_[op.args[0]].shape.size();
  Start start;
  if (!target.buffer) {
    problem(op, never_made(array, "written"));
    return;
  }
  if (!offsets_of(op, array, t.valid, rank, start) || is_empty(t.valid, rank)) return;
  Reach reach = reach_of(array, t.valid, rank, start);
  const bool replaces = reach.certain && !op.atomic_add;
  const TensorRef window = target.ref.window(start.offset.data(), reach.shape);
  reach.certain = reach.certain && forks_.empty();
  if (op.atomic_add) touch(op, op.dst, window, false, reach.certain);
  touch(op, op.dst, window, true, reach.certain);
  put(op, t, window, reach, target.buffer->contents);
  if (!forks_.empty() && replaces) written_on_this_side(target.buffer->contents, window, t.whole);
}

void KernelTrace::touch(const Op& op, VarId name, const TensorRef& window, bool write,
                        bool certain) {
  BufferState& buffer = *bindings_[name.index()].buffer;
  if (write) remember_writer(buffer, op);
  for_each_rect(window, buffer.cols, [&](const Rect& r) {
    if (!write && !buffer.read_only) check_view(op, name, r);
    note_access({buffer.id, r, write, certain && forks_.empty(), &op});
    if (ranks_) ranks_->access(op, buffer.var, r, write, certain && forks_.empty());
  });
}

// Nobody knows what it does inside: it reads and writes all of what it is given, and what it writes
// is defined afterwards.
void KernelTrace::external(const ExternalCall& call) {
  for (const ExternalCall::Array& a : call.arrays) {
    const Binding& b = bindings_[a.var.index()];
    if (!b.buffer) {
      findings_.add(&call, call.place, kernel_->name, written_text(call, p_),
                    never_made(p_[a.var], a.writes() ? "written" : "read"));
      continue;
    }
    for_each_rect(b.ref, b.buffer->cols, [&](const Rect& r) {
      if (a.reads()) note_access({b.buffer->id, r, false, true, nullptr});
      if (!a.writes()) return;
      note_access({b.buffer->id, r, true, true, nullptr});
      b.buffer->contents.define(r);
    });
  }
}

// Tiles of a loop over adjacent windows grow into one access.
void KernelTrace::note_access(const Access& access) {
  auto& list = *accesses_;
  const std::size_t look_back = std::min<std::size_t>(list.size() - accesses_begin_, 8);
  for (std::size_t i = 0; i < look_back; ++i) {
    Access& a = list[list.size() - 1 - i];
    if (a.buffer == access.buffer && a.write == access.write && a.certain == access.certain &&
        (merge_into(a.rect, access.rect) || (!a.certain && a.rect.contains(access.rect))))
      return;
  }
  list.push_back(access);
}

void KernelTrace::check_view(const Op& op, VarId name, const Rect& r) {
  const Binding& b = bindings_[name.index()];
  // The parts of a window are used side by side: its own by name, others by their rank.
  if (!b.is_view || p_[b.buffer->var].window) return;
  b.buffer->regions.for_each_writer(r, [&](const RegionMap::Writer& w) {
    if (w.task.value < b.taken_at || w.via == name || !w.via.valid()) return;
    const Op* writer = writer_through(*b.buffer, w.via);
    problem(op, {.code = "stale-view",
                 .what = fmt::format("{} was sliced before its tensor was written as {}{}",
                                     p_[name].written_name(), p_[w.via].written_name(),
                                     writer ? fmt::format(" (at {})", writer->place.text()) : ""),
                 .law = "after a tensor is updated, a view taken before the update must not be "
                        "read",
                 .help = "take the slice after the write",
                 .related = writer ? std::vector<RelatedPlace>{{writer->place, "the write"}}
                                   : std::vector<RelatedPlace>{}});
  });
}

}  // namespace tilewright::compile
