#include "tilewright/golden/exact/executor.h"

#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/golden/ops.h"

namespace tilewright::golden::exact {

Tile Executor::empty(ir::VarId v, const Location& at) const {
  return {program_[v].dtype, program_[v].shape, at.valid_shape()};
}

void Executor::read(int instruction, const Location& at, const Window& window, Undefined undefined,
                    Tile& tile) {
  const auto foreign = core_.read(at, window, tile);
  if (!foreign || undefined == Undefined::IsPoison) return;
  findings_.add(Finding::Kind::Clobbered, foreign->last.instruction, instruction, [&] {
    const bool written = foreign->last.instruction >= 0;
    return fmt::format("byte {} of {} {}", foreign->byte, findings_.text(at.storage, at.copy),
                       written ? "holds another value when it is read"
                               : "is read, and nothing has been written there");
  });
}

// What an instruction that changes its destination in place finds there.
Tile Executor::old_dst(const Instance& i) {
  Tile tile = empty(i.op.dst, *i.dst);
  const auto undefined = i.reads_undefined ? Undefined::IsPoison : Undefined::IsFinding;
  if (ir::reads_dst(i.op)) read(i.instruction, *i.dst, i.written, undefined, tile);
  return tile;
}

void Executor::execute(const Instance& i) {
  const ir::Instruction& in = instruction(i.instruction);
  if (in.scratch >= 0) core_.spoil(in.scratch, i.instruction);
  const auto undefined = i.reads_undefined ? Undefined::IsPoison : Undefined::IsFinding;
  for (std::size_t n = 0; n < i.src.size(); ++n) {
    if (!i.src[n]) continue;
    Tile tile = empty(i.op.args[n], *i.src[n]);
    read(i.instruction, *i.src[n], valid_window(*i.src[n]), undefined, tile);
    memory_.bind(i.op.args[n], std::move(tile));
  }
  if (i.dst && ir::updates_in_place(i.op.kind)) memory_.bind(i.op.dst, old_dst(i));
  Call call(program_, i.op, site(in.place(), ir::op_name(i.op.kind)), memory_, no_scalars_);
  if (!ops::writes_window(i.op.kind)) {
    const Tile result = ops::compute(call);
    check(result.valid == i.dst->valid_shape(), "a result is valid where it was not expected");
    core_.write(*i.dst, i.written, result, i.instruction);
    return;
  }
  ops::write_window(call);  // what was the old destination is the new one now
  if (i.dst) core_.write(*i.dst, i.written, call.old_dst(), i.instruction);
}

ScalarValue Executor::element(int id, const std::optional<Location>& at, const Shape& index,
                              bool written) {
  const ir::Read& what = instruction(id).read;
  if (at) {
    Tile tile = empty(what.array, *at);
    read(id, *at, {index, Shape(index.size(), 1)},
         written ? Undefined::IsFinding : Undefined::IsPoison, tile);
    memory_.bind(what.array, std::move(tile));
  }
  return memory_.element(site(what.place, "read"), what.array, index);
}

}  // namespace tilewright::golden::exact
