#include "tilewright/compile/lower/pattern.h"

#include <algorithm>

namespace tilewright::compile {

bool is_between(const Searched& in, ir::VarId v, std::initializer_list<Matched> readers) {
  return in.uses.writers(v).size() == 1 && !in.uses.read_as_scalar(v) && !in.uses.is_argument(v) &&
         std::ranges::equal(in.uses.readers(v), readers, {}, {}, &Matched::number);
}

}  // namespace tilewright::compile
