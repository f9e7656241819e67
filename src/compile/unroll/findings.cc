#include "tilewright/compile/unroll/findings.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"

namespace tilewright::compile {

Problem never_made(const ir::Var& array, std::string_view used) {
  return {.code = "undefined-tensor",
          .what = fmt::format("{} is {} before it is created", array.written_name(), used),
          .law = "a tensor exists only after the statement that creates it has run",
          .help = "create it before the branch or loop that may not run"};
}

void Findings::add(const void* subject, const Place& place, std::string_view scope,
                   std::string_view detail, Problem problem) {
  if (again(subject, problem.code, problem.severity)) return;
  if (problem.severity == Severity::Error) ++errors_;
  index_.try_emplace({subject, problem.code}, entries_.size());
  entries_.push_back({{problem.severity, problem.code, problem.what,
                       where_text(program_, place, scope, detail), problem.law, problem.help,
                       place.excerpt() + problem.excerpt, place, std::move(problem.related)},
                      1});
}

bool Findings::again(const void* subject, const std::string& code, Severity severity) {
  const auto it = index_.find({subject, code});
  if (it == index_.end()) return false;
  if (severity == Severity::Error) ++errors_;
  ++entries_[it->second].count;
  return true;
}

void Findings::finish(Diagnostics& out) const {
  for (const Entry& e : entries_) {
    Diagnostic d = e.diagnostic;
    if (e.count > 1)
      d.what += fmt::format(" (and {}{})", least_ ? "at least " : "", counted(e.count - 1, "more time"));
    out.add(std::move(d));
  }
}

}  // namespace tilewright::compile
