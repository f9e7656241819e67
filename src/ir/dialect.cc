#include "tilewright/ir/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace tilewright::ir {
namespace {

constexpr std::string_view kChunksLeft = "2026-06-30";

// Operations on tensors that came after pl.at, with their first days.
constexpr std::array kFirstDays{
    std::pair{OpKind::SetValid, "2026-04-13"},     std::pair{OpKind::ColSum, "2026-04-20"},
    std::pair{OpKind::ColMax, "2026-04-20"},       std::pair{OpKind::ColMin, "2026-04-20"},
    std::pair{OpKind::Sort32, "2026-04-21"},       std::pair{OpKind::MergeSort, "2026-04-21"},
    std::pair{OpKind::GatherMask, "2026-04-21"},   std::pair{OpKind::Gather, "2026-04-21"},
    std::pair{OpKind::Abs, "2026-04-24"},          std::pair{OpKind::Cmp, "2026-05-06"},
    std::pair{OpKind::Minimum, "2026-05-08"},      std::pair{OpKind::Log, "2026-05-24"},
    std::pair{OpKind::ColExpandAdd, "2026-06-02"}, std::pair{OpKind::Fmod, "2026-06-27"},
    std::pair{OpKind::RowArgMax, "2026-06-29"},    std::pair{OpKind::RowArgMin, "2026-06-29"},
};

class Words {
 public:
  void add(std::string name, std::string_view from, std::string_view until, const Place& place) {
    words_.push_back({std::move(name), from, until, place});
  }

  void add(const Op& op) {
    const auto dated =
        std::ranges::find(kFirstDays, op.kind, [](const auto& d) { return d.first; });
    if (dated != kFirstDays.end())
      add(fmt::format("pl.{}", op_name(op.kind)), dated->second, "", op.place);
    if (op.atomic_add) add("atomic=", "2026-05-23", "", op.place);
    if (op.kind == OpKind::Load && op.transpose)
      add("transpose= of pl.load", "", kChunksLeft, op.place);
  }

  void add(const TaskOrder& order, const Place& place) {
    if (order.manual) add("pl.manual_scope", "2026-05-08", "", place);
    if (order.task.valid()) add("a name of a task, as in \"as tid\"", "2026-05-15", "", place);
    if (!order.deps.empty()) add("deps=", "2026-05-15", "", place);
    if (order.early) add("allow_early_resolve=", "2026-06-19", "", place);
  }

  void add(const For& loop) {
    if (loop.chunk != 0) add("chunk=", "", kChunksLeft, loop.place);
    if (loop.kind != LoopKind::Spmd) return;
    add("pl.spmd as a loop", "2026-04-22", "", loop.place);
    if (loop.order.task.valid()) add("\"as tid\" of pl.spmd", "2026-06-04", "", loop.place);
    add(loop.order, loop.place);
  }

  void add(const Scope& scope) {
    if (scope.kind == ScopeKind::Auto) add("pl.auto_chunk", "", kChunksLeft, scope.place);
    add(scope.order, scope.place);
  }

  std::optional<DatedWord> foreign(const std::string& day) const {
    for (const DatedWord& w : words_)
      if (w.from > day || (!w.until.empty() && w.until <= day)) return w;
    return std::nullopt;
  }

 private:
  std::vector<DatedWord> words_;
};

}  // namespace

std::optional<DatedWord> foreign_word(const Program& program, const Dialect& dialect) {
  Words words;
  for (const External& e : program.externals) words.add("pl.jit.extern", "2026-07-07", "", e.place);
  for_each_stmt(program.body, [&](const Stmt& s) {
    if (const auto* op = s.as<Op>()) words.add(*op);
    if (const auto* loop = s.as<For>()) words.add(*loop);
    if (const auto* scope = s.as<Scope>()) words.add(*scope);
  });
  return dialect.is_newest() ? std::nullopt : words.foreign(dialect.day());
}

}  // namespace tilewright::ir
