#include "tilewright/golden/exact/operand_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"

namespace tilewright::golden::exact {
namespace {

using Kind = Finding::Kind;

// Part of a value, and the bytes it lies in.
struct Part {
  const Location& at;
  Window window;
  ByteRange bytes;
  ir::TensorRef ref;

  Part(const ir::LoweredKernel& code, const Location& location, Window w)
      : at(location),
        window(std::move(w)),
        bytes(bytes_of_window(code, at, window)),
        ref(at.ref.window(window.offset.data(), window.extent)) {}
};

// First bytes of the rows of a part; rows have no gaps.
std::vector<int64_t> rows_of(const Part& p) {
  std::vector<int64_t> rows;
  for_each_row<1>(p.window.extent, {p.ref.stride}, [&](const auto& row) {
    rows.push_back(p.bytes.begin + row[0] * p.at.element_bytes());
  });
  return rows;
}

bool share_bytes(const Part& a, const Part& b) {
  if (!a.bytes.overlaps(b.bytes)) return false;
  const int64_t a_size = a.window.extent.back() * a.at.element_bytes();
  const int64_t b_size = b.window.extent.back() * b.at.element_bytes();
  const std::vector<int64_t> b_rows = rows_of(b);
  return std::ranges::any_of(rows_of(a), [&](int64_t x) {
    return std::ranges::any_of(b_rows, [&](int64_t y) { return x < y + b_size && y < x + a_size; });
  });
}

// Element i of one is element i of the other.
bool same_elements(const Part& a, const Part& b) {
  if (a.bytes.begin != b.bytes.begin || a.at.element_bytes() != b.at.element_bytes() ||
      a.window.extent != b.window.extent)
    return false;
  for (std::size_t d = 0; d < a.window.extent.size(); ++d)
    if (a.window.extent[d] > 1 && a.ref.stride[d] != b.ref.stride[d]) return false;
  return true;
}

// Whether element i of the result may need another element of an operand.
bool moves_elements(ir::OpKind k) {
  return k == ir::OpKind::Transpose || ir::op_family(k) == ir::OpFamily::Sort;
}

void check_scratch(int instruction, int scratch, const Part& part, Findings& findings) {
  if (!bytes_of_copy(findings.code(), scratch, 0).overlaps(part.bytes)) return;
  findings.add(Kind::Overlap, -1, instruction, [&] {
    return fmt::format("{} lies across {}", findings.text(scratch, 0),
                       findings.text(part.at.storage, part.at.copy));
  });
}

}  // namespace

void check_storage(const ir::Program& program, const std::map<MemorySpace, int64_t>& sizes,
                   Findings& findings) {
  for (std::size_t id = 0; id < findings.code().storage.size(); ++id) {
    const ir::Storage& s = findings.code().storage[id];
    const auto size = sizes.find(s.space);
    const bool fits = s.address >= 0 && (size == sizes.end() || s.end() <= size->second);
    const int64_t element = bits(stored_type(program[s.var].dtype, s.space)) / 8;
    if (fits && s.address % element == 0 && s.bytes % element == 0) continue;
    findings.add(Kind::Range, -1, -1, [&] {
      const std::string limit =
          size == sizes.end() ? "not limited" : fmt::format("{} bytes long", size->second);
      return fmt::format("{} ends at byte {}, elements have {} bytes, and the memory is {}",
                         findings.text(static_cast<int>(id), 0), s.end(), element, limit);
    });
    throw Stop{};
  }
}

void check_range(int instruction, const Location& at, const Window& window, Findings& findings) {
  bool inside = true;  // of the value, which its storage may be longer than
  for (std::size_t d = 0; d < at.rank(); ++d)
    inside =
        inside && window.offset[d] >= 0 && window.offset[d] + window.extent[d] <= at.ref.shape[d];
  const ByteRange bytes = bytes_of_window(findings.code(), at, window);
  if (inside && bytes_of_copy(findings.code(), at.storage, at.copy).contains(bytes)) return;
  findings.add(Kind::Range, -1, instruction, [&] {
    return fmt::format("elements {} from {}, bytes {}:{}, are outside what lies in {}",
                       shape_text(window.extent), list_text(window.offset), bytes.begin, bytes.end,
                       findings.text(at.storage, at.copy));
  });
  throw Stop{};
}

void check_overlap(const Instance& instance, Findings& findings) {
  if (!instance.dst) return;
  const ir::LoweredKernel& code = findings.code();
  const int scratch = code.instructions[static_cast<std::size_t>(instance.instruction)].scratch;
  const Part dst(code, *instance.dst, instance.written);
  if (scratch >= 0) check_scratch(instance.instruction, scratch, dst, findings);
  for (const auto& at : instance.src) {
    if (!at) continue;
    const Part src(code, *at, valid_window(*at));
    if (scratch >= 0) check_scratch(instance.instruction, scratch, src, findings);
    if (!share_bytes(src, dst)) continue;
    if (same_elements(src, dst) && !moves_elements(instance.op.kind)) continue;
    findings.add(Kind::Overlap, -1, instance.instruction, [&] {
      return fmt::format("the result in {} lies across the operand in {}",
                         findings.text(dst.at.storage, dst.at.copy),
                         findings.text(at->storage, at->copy));
    });
  }
}

}  // namespace tilewright::golden::exact
