// Scalars of a kernel: what is known of them, and whether they are defined.
#include <fmt/format.h>

#include "tilewright/compile/unroll/kernel_trace.h"
#include "tilewright/ir/print.h"

namespace tilewright::compile {

using namespace ir;

void KernelTrace::read(const Read& read) {
  const Var& array = p_[read.array];
  env_->forget(read.var);
  scalar_causes_.erase(read.var);
  ranges_.forget(read.var);
  Start start;
  Shape extent(array.shape.size(), 1);
  bool known = true;
  for (std::size_t i = 0; i < read.index.size(); ++i) {
    const auto v = evaluate(read.index[i], *env_);
    start.offset[i] = v.value_or(0);
    if (!v) {
      known = false;
      extent[i] = array.shape[i];  // device data chooses: it may be any of them
      if (const CauseId cause = undefined_scalar(read.index[i]); cause && is_news(&read, cause))
        problem(read, undefined_index(fmt::format("index {} of {}", i, array.written_name()), cause));
    } else if (*v < 0 || *v >= array.shape[i]) {
      return problem(read, out_of_bounds("read", *v, *v, i, array, iteration_.text(p_, *env_)));
    }
  }
  if (!is_gm(read.array)) return read_tile(read, start, extent, known);
  const Binding& b = bindings_[read.array.index()];
  if (!b.buffer) return problem(read, never_made(array, "read"));
  const TensorRef window = b.ref.window(start.offset.data(), extent);
  BufferState& buffer = *b.buffer;
  for_each_rect(window, buffer.cols, [&](const Rect& r) {
    accesses_->push_back({buffer.id, r, false, known && forks_.empty(), nullptr});
    if (ranks_) ranks_->read(read, buffer.var, r, known && forks_.empty());
    read_contents(read, buffer.contents, r, known);
  });
  const auto value =
      known && buffer.known ? read_element_(read.array, window.base) : std::nullopt;
  if (!value) return;
  if (is_float(array.dtype))
    env_->set_real(read.var, *value);
  else
    env_->set(read.var, static_cast<int64_t>(*value));
}

void KernelTrace::signal(const Signal& signal) {
  const Binding& b = bindings_[signal.window.index()];
  const Var& window = p_[signal.window];
  for (std::size_t i = 0; i < signal.cell.size(); ++i) {
    const auto v = evaluate(signal.cell[i], *env_);
    if (!v || (*v >= 0 && *v < window.shape[i])) continue;
    const std::string_view word = signal.kind == Signal::Kind::Wait ? "wait" : "notify";
    findings_.add(&signal, signal.place, kernel_->name, written_text(signal, p_),
                  out_of_bounds(word, *v, *v, i, window, iteration_.text(p_, *env_)));
    return;
  }
  if (ranks_ && b.buffer) ranks_->signal(signal, b.buffer->var, *env_, forks_.empty());
}

// A tile's elements are device data: the value is not known, but that it exists can be checked.
void KernelTrace::read_tile(const Read& read, const Start& start, const Shape& extent, bool known) {
  const Var& array = p_[read.array];
  const Tile& t = tile(read.array);
  for (std::size_t i = 0; i < extent.size(); ++i)
    if (start.offset[i] >= t.valid[i])
      return problem(read,
                     {.code = "valid",
                      .what =
                          fmt::format("read of element {} of dimension {} of {}, of which {} are "
                                      "valid",
                                      start.offset[i], i, array.written_name(), t.valid[i]),
                      .law = "elements outside the valid region are undefined",
                      .help = "use fillpad to define them"});
  if (t.whole) return;
  const TensorRef window =
      TensorRef::whole(BufferId(), array.shape).window(start.offset.data(), extent);
  for_each_rect(window, array.shape.back(),
                [&](const Rect& r) { read_contents(read, t.contents, r, known); });
}

void KernelTrace::read_contents(const Read& read, const Contents& contents, const Rect& r,
                                bool known) {
  contents.for_each_undefined(r, [&](const Rect& hole, CauseId cause) {
    scalar_causes_[read.var] = causes_.through(cause, by(read), hole, known);
  });
}

void KernelTrace::let(const Let& let) {
  ranges_.let(let, *env_);
  const CauseId cause = env_->known(let.var) ? kNoCause : undefined_scalar(let.value);
  if (cause != kNoCause)
    scalar_causes_[let.var] = cause;
  else if (!scalar_causes_.empty())
    scalar_causes_.erase(let.var);
}

void KernelTrace::compute_scalar(const Compute& c) {
  execute(c, p_, *env_);
  ranges_.forget(c.var);
  scalar_causes_.erase(c.var);
  if (env_->known(c.var) || scalar_causes_.empty()) return;
  for (const ScalarOperand* o : {&c.a, &c.b})
    if (const CauseId cause = undefined_scalar(*o); cause != kNoCause)
      scalar_causes_[c.var] = cause;
}

CauseId KernelTrace::undefined_scalar(VarId v) const {
  const auto it = scalar_causes_.find(v);
  return it == scalar_causes_.end() ? kNoCause : it->second;
}

CauseId KernelTrace::undefined_scalar(const Expr& e) const {
  CauseId found = kNoCause;
  if (scalar_causes_.empty()) return found;
  e.for_each_var([&](VarId v) {
    if (const CauseId cause = undefined_scalar(v); found == kNoCause) found = cause;
  });
  return found;
}

CauseId KernelTrace::undefined_scalar(const ScalarOperand& o) const {
  if (o.kind == ScalarOperand::Kind::Literal) return kNoCause;
  return o.kind == ScalarOperand::Kind::Variable ? undefined_scalar(o.variable)
                                                 : undefined_scalar(o.index);
}

bool KernelTrace::is_news(const void* subject, CauseId cause) {
  causes_.blame(cause);
  return !findings_.again(subject, "undefined-index",
                          causes_.certain(cause) ? Severity::Error : Severity::Note);
}

Problem KernelTrace::undefined_index(const std::string& what, CauseId cause) const {
  const bool certain = causes_.certain(cause);
  return {.severity = certain ? Severity::Error : Severity::Note,
          .code = "undefined-index",
          .what = fmt::format("{} {} undefined", what, certain ? "is" : "may be"),
          .law = fmt::format("an address, trip count or branch must not depend on unwritten data: "
                             "{}",
                             causes_.way(cause)),
          .help = "write the data before it is read",
          .related = causes_.places(cause)};
}

}  // namespace tilewright::compile
