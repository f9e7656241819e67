// The programs that the `tilewright` executable comes with.
#pragma once

#include "tilewright/catalog/catalog.h"

namespace tilewright::cli {

catalog::Catalog builtin_catalog();

}  // namespace tilewright::cli
