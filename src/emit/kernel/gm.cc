#include "tilewright/emit/kernel/gm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilewright/ir/walk.h"

namespace tilewright::emit {

using namespace ir;

namespace {

constexpr std::size_t kDimensions = 5;  // of a GlobalTensor

std::vector<int64_t> dense_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

struct Dimension {
  int64_t extent = 1, stride = 1;
};

// Dimensions of more than one element, neighbours that lie without a gap as one; the last stays.
std::vector<Dimension> folded(const Shape& tile, const std::vector<int64_t>& strides) {
  std::vector<Dimension> out;
  const std::size_t skipped = strides.size() - tile.size();
  for (std::size_t d = 0; d + 1 < tile.size(); ++d) {
    const Dimension next{tile[d], strides[skipped + d]};
    if (next.extent == 1) continue;
    if (!out.empty() && out.back().stride == next.extent * next.stride)
      out.back() = {out.back().extent * next.extent, next.stride};
    else
      out.push_back(next);
  }
  if (out.empty()) out.push_back({1, tile.back() * strides.back()});
  out.push_back({tile.back(), strides.back()});
  return out;
}

std::string list(std::vector<Dimension> dims, bool strides) {
  int64_t outer = dims[0].extent * dims[0].stride;
  std::string text;
  for (std::size_t d = dims.size(); d < kDimensions; ++d)
    text += fmt::format("{}, ", strides ? outer : 1);
  for (std::size_t d = 0; d < dims.size(); ++d)
    text += fmt::format("{}{}", d ? ", " : "", strides ? dims[d].stride : dims[d].extent);
  return text;
}

}  // namespace

std::optional<std::vector<int64_t>> gm_strides(const Plan& plan, VarId v) {
  std::optional<std::vector<int64_t>> found;
  bool agree = true;
  const auto meet = [&](std::optional<std::vector<int64_t>> s) {
    agree = agree && s && (!found || *found == *s);
    found = std::move(s);
  };
  for_each_op(plan.program.body, [&](const Op& op) {
    if (op.dst != v) return;
    if (op.kind == OpKind::Slice) {
      auto source = gm_strides(plan, op.args[0]);
      if (source)
        source->erase(source->begin(),
                      source->end() - static_cast<std::ptrdiff_t>(plan.program[v].shape.size()));
      meet(std::move(source));
    } else if (op.kind == OpKind::Reshape) {
      meet(dense_strides(plan.program[v].shape));
    }
  });
  if (!agree) return std::nullopt;
  return found ? found : dense_strides(plan.program[v].shape);
}

Expr gm_offset(const std::vector<Expr>& offset, const std::vector<int64_t>& strides) {
  Expr out;
  for (std::size_t d = 0; d < offset.size(); ++d) out = out + offset[d] * Expr(strides[d]);
  return out;
}

std::optional<Window> global_tensor(const Shape& tile, const Form& form, DType dtype,
                                    const std::vector<int64_t>& strides, bool exchanged,
                                    std::string& problem) {
  Shape window = tile;
  if (exchanged) std::swap(window[0], window[1]);
  std::vector<Dimension> dims = folded(window, strides);
  if (exchanged) std::swap(dims[0], dims[1]);
  const bool column = form.layout == TileLayout::Column;
  const bool blocks = form.space != MemorySpace::Vec && form.space != MemorySpace::Acc;
  if (dims.size() > kDimensions || (dims.size() > 2 && (blocks || column))) {
    problem = fmt::format("a window of {} dimensions", dims.size());
    return std::nullopt;
  }
  if (column && dims[0].stride != 1) {
    problem = fmt::format("a column whose elements are {} apart in GM", dims[0].stride);
    return std::nullopt;
  }
  if (!column && !exchanged && dims.back().stride != 1) {
    problem = fmt::format("rows whose elements are {} apart in GM", dims.back().stride);
    return std::nullopt;
  }
  if (form.partial && dims.size() > 2) {
    problem = "a window of several matrices that is valid in part";
    return std::nullopt;
  }
  const bool dn = column || exchanged;
  const std::string extents = form.partial ? "1, 1, 1, -1, -1" : list(dims, false);
  return Window{fmt::format("GlobalTensor<{}, Shape<{}>, Stride<{}>, Layout::{}>",
                            cpp_type(dtype).value_or("void"), extents, list(dims, true),
                            dn ? "DN" : "ND"),
                form.partial ? fmt::format("Shape<{}>", extents) : ""};
}

}  // namespace tilewright::emit
