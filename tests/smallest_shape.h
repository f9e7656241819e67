// The shape of a program that tests run: of a model program the tiny one, else its default.
#pragma once

#include <algorithm>
#include <string>

#include "tilewright/catalog/catalog.h"

namespace tilewright {

inline std::string smallest_shape(const catalog::ProgramDef& def) {
  const auto tiny = std::ranges::find_if(
      def.shapes, [](const std::string& shape) { return shape.starts_with("tiny"); });
  return tiny == def.shapes.end() ? def.shapes.front() : *tiny;
}

}  // namespace tilewright
