// Family memory: windows of tiles and of GM, and what create, slice, load, assemble, store, move
// and copy do with them.
#include "tilewright/golden/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/golden/numbers.h"
#include "tilewright/golden/ops.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/program.h"

namespace tilewright::golden {
namespace {

void require_inside(const Site& site, const ir::Var& var, const Shape& offset,
                    const Shape& extent) {
  for (std::size_t d = 0; d < offset.size(); ++d) {
    if (offset[d] >= 0 && offset[d] <= var.shape[d] - extent[d]) continue;
    site.fail("bounds",
              fmt::format("{} reaches outside {} {}: dimension {} from {} for {} elements, but it "
                          "has {}",
                          site.what, var.name, ir::type_text(var), d, offset[d], extent[d],
                          var.shape[d]),
              "every access stays inside its tensor",
              extent[d] > var.shape[d] ? "use a smaller tile"
                                       : "check the offset, or give the last block a valid shape");
  }
}

// Strides of a tile seen with `rank` dimensions; the leading ones it does not have are 1 long.
Strides strides_at_rank(const Shape& shape, std::size_t rank) {
  const Strides own = dense_strides(shape);
  Strides out{};
  std::copy_n(own.begin(), shape.size(), out.begin() + static_cast<long>(rank - shape.size()));
  return out;
}

void copy_block(const Tile& from, int64_t from_at, const Strides& from_strides, Tile& to,
                int64_t to_at, const Strides& to_strides, const Shape& extent) {
  const int64_t n = extent.back();
  for_each_row<2>(extent, {from_strides, to_strides}, [&](const auto& at) {
    copy_elements(from, from_at + at[0], to, to_at + at[1], n);
  });
}

void add_block(const Tile& from, Tile& to, int64_t to_at, const Strides& from_strides,
               const Strides& to_strides, const Shape& extent) {
  const int64_t n = extent.back();
  const Wrap wrap(to.dtype);
  const bool poisonable = has_integer_poison(to.dtype);
  for_each_row<2>(extent, {from_strides, to_strides}, [&](const auto& at) {
    if (to.floating()) {
      float* row = to.f.data() + to_at + at[1];
      for (int64_t k = 0; k < n; ++k) row[k] += from.f[at[0] + k];
      round_row(to.dtype, row, n);
      return;
    }
    int64_t* row = to.i.data() + to_at + at[1];
    for (int64_t k = 0; k < n; ++k) {
      const int64_t v = from.i[at[0] + k];
      row[k] = poisonable && (v == kPoisonInt || row[k] == kPoisonInt)
                   ? kPoisonInt
                   : wrap(static_cast<int64_t>(static_cast<uint64_t>(row[k]) +
                                               static_cast<uint64_t>(v)));
    }
  });
}

}  // namespace

void Memory::bind(ir::VarId v, GmView view) {
  if (std::holds_alternative<std::monostate>(values_[v.index()])) bound_.push_back(v);
  values_[v.index()] = std::move(view);
}

void Memory::bind(ir::VarId v, Tile tile) {
  if (!tile.fully_valid()) partial_.push_back(v);
  if (std::holds_alternative<std::monostate>(values_[v.index()])) bound_.push_back(v);
  values_[v.index()] = std::move(tile);
}

void Memory::clear() {
  for (ir::VarId v : bound_) values_[v.index()] = std::monostate{};
  bound_.clear();
  partial_.clear();
}

Memory::Value& Memory::value(ir::VarId v) {
  Value& slot = values_[v.index()];
  if (std::holds_alternative<std::monostate>(slot))
    bind(v, Tile(program_[v].dtype, program_[v].shape));
  return slot;
}

Memory::Extents Memory::extents(ir::VarId v) {
  return std::visit(
      [](const auto& held) -> Extents {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          bug("extents of nothing");
        else
          return {held.shape, held.valid};
      },
      value(v));
}

const Tile& Memory::whole(ir::VarId v, std::deque<Tile>& loaded) {
  if (const Tile* t = std::get_if<Tile>(&value(v))) return *t;
  const GmView& view = std::get<GmView>(value(v));
  Tile& t = loaded.emplace_back(program_[v].dtype, view.shape, view.valid);
  load_block(*view.array,
             {view.ref.base, 0, view.valid, view.ref.stride, dense_strides(view.shape)}, t);
  return t;
}

// The valid shape of the window, after every check that can be made of it. Only the valid part is
// accessed, so only that must lie inside the parent.
Shape Memory::place_window(const Site& site, ir::VarId v, const Shape& offset, const Shape& shape,
                           const Shape& valid) {
  const Extents parent = extents(v);
  const std::size_t rank = parent.shape.size();
  check(offset.size() == rank, "one offset per dimension");
  if (!valid.empty()) {
    require_valid_shape(site, "the result", shape, valid);
    require_inside(site, program_[v], offset, with_leading_ones(valid, rank));
    return valid;
  }
  const Shape extent = with_leading_ones(shape, rank);
  require_inside(site, program_[v], offset, extent);
  Shape inherited(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    inherited[d] = std::clamp<int64_t>(parent.valid[d] - offset[d], 0, extent[d]);
    if (inherited[d] == 0 && parent.valid[d] > 0)
      site.fail("valid",
                fmt::format("{} from {} of {} lies outside its valid region", site.what,
                            list_text(offset), operand_text(program_[v], parent.valid)),
                "a window of a partly valid tile must contain at least one valid element",
                "fill the tile with fillpad first, or move the window");
  }
  return {inherited.end() - static_cast<long>(shape.size()), inherited.end()};
}

Tile Memory::window(const Site& site, ir::VarId v, const Shape& offset, const Shape& shape,
                    const Shape& valid) {
  const Shape real = place_window(site, v, offset, shape, valid);
  Tile out(program_[v].dtype, shape, real);
  const Extents parent = extents(v);
  const std::size_t rank = parent.shape.size();
  // What the author calls valid but the parent does not have stays poison.
  Shape extent = with_leading_ones(real, rank);
  for (std::size_t d = 0; d < rank; ++d) {
    extent[d] = std::min(extent[d], parent.valid[d] - offset[d]);
    if (extent[d] < 1) return out;
  }
  const Strides to = strides_at_rank(shape, rank);
  if (const GmView* view = std::get_if<GmView>(&value(v))) {
    const int64_t at = view->ref.base + flat_offset(offset, view->ref.stride);
    load_block(*view->array, {at, 0, extent, view->ref.stride, to}, out);
  } else {
    const Tile& t = std::get<Tile>(value(v));
    const Strides from = dense_strides(t.shape);
    copy_block(t, flat_offset(offset, from), from, out, 0, to, extent);
  }
  return out;
}

ScalarValue Memory::element(const Site& site, ir::VarId v, const Shape& index) {
  const Tile t = window(site, v, index, {1}, {1});
  if (t.floating()) return {true, t.f[0], 0};
  if (!has_integer_poison(t.dtype) || t.i[0] != kPoisonInt) return {false, 0, t.i[0]};
  HostArray undefined(t.dtype, {1});
  undefined.fill_poison();
  return {false, 0, static_cast<int64_t>(undefined.at(0))};
}

void Memory::write(const Site& site, ir::VarId v, const Shape& offset, const Tile& src, bool add) {
  const DType dtype = program_[v].dtype;
  if (src.dtype != dtype) return write(site, v, offset, convert(src, dtype), add);
  const Extents dst = extents(v);
  const std::size_t rank = dst.shape.size();
  check(offset.size() == rank, "one offset per dimension");
  const Shape extent = with_leading_ones(src.valid, rank);
  require_inside(site, program_[v], offset, extent);
  if (element_count(extent) == 0) return;
  for (std::size_t d = 0; d < rank; ++d)
    if (offset[d] + extent[d] > dst.valid[d])
      site.fail("valid",
                fmt::format("{} of {} elements at {} into {}", site.what, shape_text(extent),
                            list_text(offset), operand_text(program_[v], dst.valid)),
                "writes outside the valid region of a tile are lost",
                "fill the destination with fillpad first, or write less");
  const Strides from = strides_at_rank(src.shape, rank);
  if (const GmView* view = std::get_if<GmView>(&value(v))) {
    const int64_t at = view->ref.base + flat_offset(offset, view->ref.stride);
    store_block(src, {at, 0, extent, view->ref.stride, from}, *view->array, add);
    return;
  }
  Tile& t = std::get<Tile>(value(v));
  const Strides to = dense_strides(t.shape);
  if (add)
    add_block(src, t, flat_offset(offset, to), from, to, extent);
  else
    copy_block(src, 0, from, t, flat_offset(offset, to), to, extent);
}

GmView& Memory::in_gm(ir::VarId v) {
  if (const Tile* t = std::get_if<Tile>(&value(v))) {
    GmView view = make_poisoned(t->dtype, t->shape);
    store_block(*t, {0, 0, t->valid, view.ref.stride, dense_strides(t->shape)}, *view.array, false);
    values_[v.index()] = std::move(view);
  }
  return std::get<GmView>(values_[v.index()]);
}

GmView Memory::slice_view(const Site& site, ir::VarId v, const Shape& offset, const Shape& shape,
                          const Shape& valid) {
  Shape real = place_window(site, v, offset, shape, valid);
  const GmView& parent = in_gm(v);
  return {parent.array, parent.ref.window(offset.data(), shape), shape, std::move(real)};
}

GmView Memory::reshape_view(const Site& site, ir::VarId v, const Shape& shape) {
  const GmView& parent = in_gm(v);
  if (parent.valid != parent.shape || !parent.ref.is_dense())
    site.fail("reshape-view",
              fmt::format("reshape of {}, which is {}", operand_text(program_[v], parent.valid),
                          parent.ref.is_dense() ? "partly valid" : "a strided view"),
              "outside a scope a reshape is a view, which needs contiguous memory",
              "reshape inside a scope, or slice after reshaping");
  return {parent.array, parent.ref.reshaped(shape), shape, shape};
}

void Memory::settle() {
  for (ir::VarId v : partial_)
    if (Tile* t = std::get_if<Tile>(&values_[v.index()])) t->valid = t->shape;
  partial_.clear();
}

namespace ops {

Tile create(Call& c) { return c.result(c.dst().shape); }

Tile full(Call& c) {
  Tile r = c.result(c.dst().shape);
  if (r.floating())
    r.f.assign(r.f.size(), round_to(r.dtype, c.scalar().as_float()));
  else
    r.i.assign(r.i.size(), c.whole_scalar(r.dtype));
  return r;
}

Tile window(Call& c) {
  Shape shape = c.dst().shape;
  Shape valid = c.valid();
  if (c.op.transpose) {  // shape and valid are those of the tile, not of the window in GM
    std::ranges::reverse(shape);
    std::ranges::reverse(valid);
  }
  Tile t = c.memory.window(c.site, c.op.args.at(0), c.offset(), shape, valid);
  if (c.op.transpose) t = transposed(t);
  if (t.dtype != c.dst().dtype) return convert(t, c.dst().dtype);
  return t;
}

void write_window(Call& c) {
  c.memory.write(c.site, c.op.dst, c.offset(), c.arg(0), c.op.atomic_add);
}

Tile copy(Call& c) { return convert(c.arg(0), c.dst().dtype); }

}  // namespace ops
}  // namespace tilewright::golden
