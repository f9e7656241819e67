#include "tilewright/cpu/lower/strips.h"

#include <algorithm>
#include <array>

#include "tilewright/base/check.h"

namespace tilewright::cpu {
namespace {

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

StripStep::StripStep(std::vector<Part> parts, std::vector<Operand> inputs, int64_t rows_at_once)
    : parts_(std::move(parts)), inputs_(std::move(inputs)), at_once_(rows_at_once) {
  check(!inputs_.empty() && inputs_.size() <= ir::StripGroup::kMostInputs, "the inputs of a strip");
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
  std::array<View, ir::StripGroup::kMostInputs> whole;
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
