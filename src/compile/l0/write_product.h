// Writes a product of parts of two tiles in Mat: the parts' way into Left and Right, and the blocks
// of k, in a pipelined loop.
#pragma once

#include "tilewright/ir/program.h"
#include "tilewright/ir/unique_names.h"

namespace tilewright::compile {

// Elements of one dimension.
struct Cut {
  ir::Expr begin;
  int64_t size = 0;
};

class ProductWriter {
 public:
  ProductWriter(ir::Program& program, ir::UniqueNames& names) : p_(program), names_(names) {}

  // `op` is the product with its operands in Mat; rows and columns of the output are those of its
  // result; k is cut into blocks of `block`, the last of them smaller if need be.
  ir::Block write(const ir::Op& op, const Cut& rows, const Cut& columns, int64_t block);
  // The same for the first `depth` of k, a number that the program knows when it runs; blocks
  // divide the whole of k.
  ir::Block write_valid(const ir::Op& op, const ir::Expr& depth, int64_t block);
  // Those columns of the product's bias, which lies in Mat, on their way into Bias.
  ir::VarId bias(const ir::Op& product, const Cut& columns, ir::Block& out);

 private:
  // The loop's statements for k in [at, at + size); the first block starts the sum.
  ir::Block blocks(const ir::Op& op, const Cut& rows, const Cut& columns, const Cut& k);
  ir::Stmt loop(const ir::Op& op, const Cut& rows, const Cut& columns, const ir::Expr& stop,
                int64_t block);
  ir::VarId part(ir::VarId tile, const Cut& first, const Cut& second, MemorySpace to,
                 const Place& place, ir::Block& out);
  ir::VarId tile(const ir::Var& like, Shape shape, MemorySpace space, const std::string& suffix);

  ir::Program& p_;
  ir::UniqueNames& names_;
};

// The same product, added to its result.
ir::Op accumulating(ir::Op product);

}  // namespace tilewright::compile
