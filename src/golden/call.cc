#include "tilewright/golden/call.h"

#include "tilewright/ir/op.h"

#include <fmt/format.h>

#include <cmath>

namespace tilewright::golden {

const Tile& Call::arg(std::size_t n) {
  if (!args_.at(n)) args_[n] = &memory.whole(op.args[n], loaded_);
  return *args_[n];
}

int64_t Call::whole_scalar(DType t) const {
  const ScalarValue s = scalar();
  const double v = s.is_float ? s.real : static_cast<double>(s.integer);
  const bool in_range = v >= lowest_value(t) && v <= highest_value(t);
  if (in_range && !s.is_float) return s.integer;
  if (in_range && v == std::trunc(v) && std::fabs(v) < 0x1p63) return static_cast<int64_t>(v);
  site.fail("range", fmt::format("{} with the scalar {} in {}", site.what, v, dtype_name(t)),
            fmt::format("an integer tile takes whole numbers from {} to {}", lowest_value(t),
                        highest_value(t)),
            "cast the tile to FP32 first");
}

}  // namespace tilewright::golden
