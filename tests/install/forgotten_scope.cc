// Compiled, never run: the scope is not kept in a variable, and the compiler must warn.
#include "tilewright/dsl/ops.h"

void forget(tilewright::dsl::Builder& p) {
  p.incore("forgotten");
}
