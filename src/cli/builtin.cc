#include "tilewright/cli/builtin.h"

#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/programs/tour.h"

namespace tilewright::cli {

catalog::Catalog builtin_catalog() {
  catalog::Catalog catalog{programs::tour()};
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs()) catalog.add(std::move(def));
  return catalog;
}

}  // namespace tilewright::cli
