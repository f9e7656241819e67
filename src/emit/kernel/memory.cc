// Loads, stores and moves between memories.
#include <fmt/format.h>

#include "tilewright/emit/kernel/gm.h"
#include "tilewright/emit/kernel/instruction.h"

namespace tilewright::emit {

using namespace ir;

// Declares `window`, what a load or a store sees of an argument.
bool InstructionWriter::window(const Instruction& in, const Operand& gm, VarId tile,
                               bool exchanged) {
  const auto strides = gm_strides(plan_, gm.var);
  const bool whole = gm.var == k_.args[static_cast<std::size_t>(gm.arg)].var;
  if (!strides || !whole) {
    refuse(in, "a view of GM whose strides are not known",
           "a window of an argument has the strides of one tensor",
           "slice the tensor outside of the scope, and in one way");
    return false;
  }
  std::string problem;
  const auto type = global_tensor(p_[tile].shape, tiles_.form(tile), p_[gm.var].dtype, *strides,
                                  exchanged, problem);
  if (!type) {
    refuse(in, problem,
           "a transfer has rows whose elements follow each other, or one column of "
           "elements that follow each other",
           "load it as a row, or with another layout of the tensor");
    return false;
  }
  const Tiles::Extents valid = tiles_.extents(tile);
  out_.line(fmt::format("{} window({} + {}{});", type->type, spell_.name(gm.var),
                        spell_.factor(gm_offset(in.op.offset, *strides)),
                        type->extents.empty()
                            ? ""
                            : fmt::format(", {}({}, {})", type->extents, valid.rows, valid.cols)));
  return true;
}

void InstructionWriter::load(const Instruction& in) {
  out_.open("{");
  if (window(in, in.src[0], in.dst->var, in.op.transpose))
    call("TLOAD", {tiles_.name(in.dst->var), "window"});
  out_.close();
}

void InstructionWriter::store(const Instruction& in) {
  const VarId tile = in.src[0].var;
  out_.open("{");
  if (window(in, *in.dst, tile, false)) {
    const std::string name = tiles_.name(tile);
    call(in.op.atomic_add
             ? fmt::format("TSTORE<decltype({}), decltype(window), AtomicType::AtomicAdd>", name)
             : "TSTORE",
         {"window", name});
  }
  out_.close();
}

// Out of Mat: the block that a window of it begins with, exchanged if the product wants it so.
void InstructionWriter::move(const Instruction& in) {
  const VarId source = in.src[0].var, dst = in.dst->var;
  const MatWindow from = tiles_.window(source);
  const std::string to = tiles_.name(dst);
  if (tiles_.form(dst).space == MemorySpace::Bias)
    return call("TMOV", {to, tiles_.name(from.root)});
  std::string row = spell_.text(from.row), col = spell_.text(from.col);
  if (!tiles_.exchanged_by_product(dst))
    return call("TEXTRACT", {to, tiles_.name(from.root), row, col});
  out_.open("{");
  const Form other = exchanged(tiles_.form(from.root));
  const Tiles::Extents valid = tiles_.extents(from.root);
  out_.line(fmt::format("{} exchanged{};  // the same bytes", other.type(),
                        other.partial ? fmt::format("({}, {})", valid.cols, valid.rows) : ""));
  out_.line(fmt::format("TASSIGN(exchanged, {});", tiles_.address(from.root)));
  call("TEXTRACT", {to, "exchanged", col, row});
  out_.close();
}

void InstructionWriter::drain(const Instruction& in) {
  if (in.op.kind != OpKind::Move) return refuse_op(in);
  call("TMOV", {tiles_.name(in.dst->var), tiles_.name(in.src[0].var)});
}

}  // namespace tilewright::emit
