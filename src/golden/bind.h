// Parameters and the host arrays they are bound to.
#pragma once

#include "tilewright/golden/scalars.h"

namespace tilewright::golden {

// Every array parameter has an array of its type; Out arrays are poisoned, scalars set.
void bind_params(const ir::Program& program, const ir::Bindings& bindings, Scalars& scalars);

}  // namespace tilewright::golden
