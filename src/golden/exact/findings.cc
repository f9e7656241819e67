#include "tilewright/golden/exact/findings.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/ir/print.h"

namespace tilewright::golden {

std::string_view finding_name(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::Race: return "race";
    case Finding::Kind::Clobbered: return "clobbered read";
    case Finding::Kind::Overlap: return "overlap";
    case Finding::Kind::Range: return "address out of range";
    case Finding::Kind::Refused: return "refused";
  }
  return "";
}

namespace exact {
namespace {

constexpr std::size_t kMostFindings = 20;

}  // namespace

void Findings::add(Finding::Kind kind, int first, int second,
                   const std::function<std::string()>& what) {
  if (out_.size() == kMostFindings || !seen_.emplace(kind, kernel_, first, second).second) return;
  std::string text = fmt::format("{} in kernel {}: {}\n", finding_name(kind),
                                 quote(plan_.kernel(kernel_).name), what());
  for (const int instruction : {first, second})
    if (instruction >= 0) text += fmt::format("  {}\n", this->text(instruction));
  out_.push_back({kind, kernel_, first, second, std::move(text)});
}

std::string Findings::text(int storage, int copy) const {
  const ir::Storage& s = code().storage[static_cast<std::size_t>(storage)];
  const ByteRange range = bytes_of_copy(code(), storage, copy);
  return fmt::format("{}{} (s{} copy {}, {}[{}:{}])", plan_.program[s.var].name,
                     s.scratch ? " scratch" : "", storage, copy,
                     s.is_ring() ? "ring" : memory_space_name(s.space), range.begin, range.end);
}

std::string Findings::text(int instruction) const {
  const ir::Instruction& in = code().instructions[static_cast<std::size_t>(instruction)];
  const std::string statement = in.action == ir::Action::Read
                                    ? ir::statement_text(in.read, plan_.program)
                                    : ir::statement_text(in.op, plan_.program);
  return fmt::format("%{} {} on {} {}: {}, at {}", instruction, ir::action_name(in.action),
                     ir::core_side_name(in.side), ir::pipe_name(in.pipe), statement,
                     in.place().text());
}

}  // namespace exact
}  // namespace tilewright::golden
