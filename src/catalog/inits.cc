// Initialisers of inputs. Weights have hundreds of millions of elements, so each draw of the
// generator makes two floats and the loops are typed; HostArray::set would take several times as
// long.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/encoding.h"
#include "tilewright/base/text.h"
#include "tilewright/catalog/catalog.h"

namespace tilewright::catalog {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& help) {
  user_error("init", what, "",
             "the element type of an input must be able to hold its initial values", help);
}

void require_fits(const HostArray& array, double low, double high) {
  const DType t = array.dtype();
  if (is_encoded(t))
    refuse(fmt::format("chosen values in {}, whose elements share scales", dtype_name(t)),
           "use uniform or normal");
  // The largest 64-bit integer rounds up to 2^63 as a double, which does not fit any more.
  const double highest = bits(t) == 64 ? std::nextafter(0x1p63, 0.0) : highest_value(t);
  if (low >= lowest_value(t) && high <= highest) return;  // false for NaN as well
  refuse(fmt::format("values from {} to {} do not fit {}, which holds {} to {}", low, high,
                     dtype_name(t), lowest_value(t), highest),
         "choose a smaller range or a wider element type");
}

struct Pair {
  float first, second;
};

// bf16_from_f32 for values that are no NaN; inlined, it takes a fifth off a fill.
uint16_t finite_bf16(float v) {
  const auto u = std::bit_cast<uint32_t>(v);
  return static_cast<uint16_t>((u + 0x7FFF + ((u >> 16) & 1)) >> 16);
}

template <class Store, class Draw, class Convert>
void fill_pairs(std::span<Store> values, Draw draw, Convert convert) {
  const std::size_t even = values.size() & ~std::size_t{1};
  for (std::size_t i = 0; i < even; i += 2) {
    const Pair p = draw();
    values[i] = convert(p.first);
    values[i + 1] = convert(p.second);
  }
  if (even < values.size()) values[even] = convert(draw().first);
}

// Two floats per draw into a float array of any width; false when the type is not a float.
template <class Draw>
bool fill_floats(HostArray& array, Draw draw) {
  switch (array.dtype()) {
    case DType::F32:
      fill_pairs<float>(array.as<float>(), draw, [](float v) { return v; });
      return true;
    case DType::BF16:
      fill_pairs<uint16_t>(array.as<uint16_t>(), draw, [](float v) { return finite_bf16(v); });
      return true;
    case DType::F16:
      fill_pairs<uint16_t>(array.as<uint16_t>(), draw, [](float v) { return f16_from_f32(v); });
      return true;
    default: return false;
  }
}

template <class T>
void fill_integers(std::span<T> values, int64_t low, int64_t high, Rng& rng) {
  for (T& v : values) v = static_cast<T>(rng.integer(low, high));
}

void fill_integers(HostArray& array, int64_t low, int64_t high, Rng& rng) {
  switch (array.dtype()) {
    case DType::I32: return fill_integers(array.as<int32_t>(), low, high, rng);
    case DType::I64:
    case DType::Index: return fill_integers(array.as<int64_t>(), low, high, rng);
    default:
      for (int64_t i = 0; i < array.size(); ++i)
        array.set(i, static_cast<double>(rng.integer(low, high)));
  }
}

// Random codes under scales that let them reach `largest`.
void fill_blocks(HostArray& array, double largest, Rng& rng) {
  for (int64_t i = 0; i < array.byte_size(); i += 8) {
    const uint64_t bits = rng.next();
    std::memcpy(array.data() + i, &bits,
                static_cast<std::size_t>(std::min<int64_t>(8, array.byte_size() - i)));
  }
  const int64_t bytes = block_bytes(array.dtype());
  for (int64_t at = 0; at < array.byte_size(); at += bytes)
    set_block_scale(array.dtype(), array.data() + at, static_cast<float>(largest));
}

}  // namespace

Init uniform(double low, double high) {
  if (!(low <= high))
    refuse(fmt::format("uniform({}, {}) is an empty range", low, high), "give the lower end first");
  return [low, high](HostArray& array, Rng& rng) {
    if (is_encoded(array.dtype()))
      return fill_blocks(array, std::max(std::abs(low), std::abs(high)), rng);
    require_fits(array, low, high);
    const double step = (high - low) * 0x1p-32;
    const auto draw = [&]() -> Pair {
      const uint64_t bits = rng.next();
      return {static_cast<float>(low + step * static_cast<uint32_t>(bits >> 32)),
              static_cast<float>(low + step * static_cast<uint32_t>(bits))};
    };
    if (fill_floats(array, draw)) return;
    for (int64_t i = 0; i < array.size(); ++i) array.set(i, low + (high - low) * rng.uniform());
  };
}

Init normal(double scale) {
  return [scale](HostArray& array, Rng& rng) {
    if (is_encoded(array.dtype())) return fill_blocks(array, 3 * std::abs(scale), rng);
    // Box-Muller from 32-bit uniforms ends at 6.7 standard deviations.
    require_fits(array, -6.7 * std::abs(scale), 6.7 * std::abs(scale));
    const auto draw = [&]() -> Pair {
      const uint64_t bits = rng.next();
      const double u = (static_cast<uint32_t>(bits >> 32) + 1.0) * 0x1p-32;  // (0, 1]
      const float angle = static_cast<float>(static_cast<uint32_t>(bits)) * (6.2831853f * 0x1p-32f);
      const float radius =
          static_cast<float>(scale) * std::sqrt(-2.0f * std::log(static_cast<float>(u)));
      return {radius * std::cos(angle), radius * std::sin(angle)};
    };
    if (fill_floats(array, draw)) return;
    refuse(fmt::format("normal values in {}", dtype_name(array.dtype())),
           "use integers(low, high) for an integer input");
  };
}

Init constant(double value) {
  return [value](HostArray& array, Rng&) {
    const bool infinite = std::isinf(value) && is_float(array.dtype());  // a mask
    if (!infinite) require_fits(array, value, value);
    if (array.size() == 0) return;
    array.set(0, value);
    const auto width = static_cast<std::size_t>(bits(array.dtype()) / 8);
    const auto total = static_cast<std::size_t>(array.byte_size());
    // Doubles what is already filled: a few large copies instead of one per element.
    for (std::size_t done = width; done < total; done *= 2)
      std::memcpy(array.data() + done, array.data(), std::min(done, total - done));
  };
}

Init integers(int64_t low, int64_t high) {
  int64_t count = 0;
  if (__builtin_sub_overflow(high, low, &count) || count <= 0)
    refuse(fmt::format("integers({}, {}) is not a range of integers", low, high),
           "give the lower end first; the upper end is not included");
  return [low, high](HostArray& array, Rng& rng) {
    require_fits(array, static_cast<double>(low), static_cast<double>(high - 1));
    fill_integers(array, low, high, rng);
  };
}

}  // namespace tilewright::catalog
