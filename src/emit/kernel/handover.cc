// Pushes and pops: what one side of a mixed kernel hands over to the other.
#include <fmt/format.h>

#include "tilewright/emit/kernel/instruction.h"
#include "tilewright/emit/kernel/queues.h"

namespace tilewright::emit {

using namespace ir;

// A slot holds rows without gaps, which both sides see with the same shape.
bool InstructionWriter::can_be_handed_over(const Instruction& in, VarId tile) {
  if (!tiles_.has(tile)) return false;  // refused already
  const Form& form = tiles_.form(tile);
  std::string problem;
  if (form.layout == TileLayout::Column)
    problem = "a column that is handed over";
  else if (in.action == Action::Push && form.space == MemorySpace::Mat)
    problem = "a tile in Mat that is handed over";
  else if (form.partial)
    problem = "a tile that is valid in part and handed over";
  else if (form.rows != form.valid_rows || form.cols != form.valid_cols)
    problem = fmt::format("a tile of {} x {} elements that is handed over", form.valid_rows,
                          form.valid_cols);
  else if (form.dtype != p_[tile].dtype)
    problem = fmt::format("an accumulator of {} that is handed over", dtype_name(p_[tile].dtype));
  else if (form.space != MemorySpace::Vec && tiles_.window(tile).root != tile)
    problem = "a window of an accumulator that is handed over";
  if (problem.empty()) return true;
  refuse(in, problem,
         "the sides of a mixed kernel hand over whole tiles: rows and columns that fill the blocks "
         "of the cube, all of them valid",
         "store the product in a scope of its own, and compute on in the next");
  return false;
}

void InstructionWriter::push(const Instruction& in) {
  const VarId tile = in.src[0].var;
  if (!can_be_handed_over(in, tile)) return;
  const bool from_cube = in.side == CoreSide::Cube;
  const auto queue = Queues(k_.lowered).to(from_cube ? CoreSide::Vector : CoreSide::Cube);
  call(fmt::format("TPUSH<decltype({}), decltype({}), TileSplitAxis::TILE_NO_SPLIT>", queue->name(),
                   tiles_.name(tile)),
       {std::string(queue->name()), tiles_.name(tile)});
}

void InstructionWriter::pop(const Instruction& in) {
  const VarId tile = in.dst->var;
  if (!can_be_handed_over(in, tile)) return;
  const auto queue = Queues(k_.lowered).to(in.side);
  const std::string queue_name(queue->name()), name = tiles_.name(tile);
  out_.line(fmt::format("{} = static_cast<uint32_t>({});", queue->consumer_address(),
                        tiles_.address(tile)));
  call(fmt::format("TPOP<decltype({}), decltype({}), TileSplitAxis::TILE_NO_SPLIT>", queue_name,
                   name),
       {queue_name, name});
  call(fmt::format("TFREE<decltype({}), TileSplitAxis::TILE_NO_SPLIT>", queue_name), {queue_name});
}

}  // namespace tilewright::emit
