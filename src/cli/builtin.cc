#include "tilewright/cli/builtin.h"

#include "tilewright/programs/tour.h"

namespace tilewright::cli {

catalog::Catalog builtin_catalog() { return {programs::tour()}; }

}  // namespace tilewright::cli
