#include "tilewright/golden/site.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/program.h"

namespace tilewright::golden {

std::string Site::where() const {
  std::string out = place && place->known() ? fmt::format("at {}, ", place->text()) : "in ";
  out += fmt::format("program {}", program->name);
  if (!scope.empty()) out += fmt::format(", scope {}", quote(scope));
  return out + fmt::format(", {}", what);
}

void Site::fail(std::string code, std::string message, std::string law, std::string help) const {
  throw ProgramError({Severity::Error, std::move(code), std::move(message), where(), std::move(law),
                      std::move(help), place ? place->excerpt() : "", place ? *place : Place()});
}

void require_valid_shape(const Site& site, std::string_view name, const Shape& shape,
                         const Shape& valid) {
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (valid[d] < 0 || valid[d] > shape[d])
      site.fail("valid",
                fmt::format("valid shape {} of {} {}: dimension {} has {}, outside [0, {}]",
                            list_text(valid), name, shape_text(shape), d, valid[d], shape[d]),
                "a valid extent is at least 0 and at most the tile's extent",
                "clamp the number with min and max");
}

std::string operand_text(const ir::Var& var, const Shape& valid) {
  std::string out = fmt::format("{} {}", var.name, ir::type_text(var));
  if (valid != var.shape) out += fmt::format(" valid {}", list_text(valid));
  return out;
}

}  // namespace tilewright::golden
