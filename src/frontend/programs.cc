#include "tilewright/frontend/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/frontend/language_import.h"
#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {
namespace {

bool is_program(const Stmt& s) {
  const std::string path = decorator_path(s);
  return s.kind == StmtKind::Class ? path == "program"
                                   : s.kind == StmtKind::Function &&
                                         (path == "jit" || starts_ranks(s));
}

void find_programs(const Body& body, const std::vector<const Stmt*>& builders,
                   std::vector<Found>& out) {
  for (const Stmt* s : body) {
    if (is_program(*s)) {
      out.push_back({s, builders});
    } else if (s->kind == StmtKind::Function && !is_decorated_by_pl(*s)) {
      std::vector<const Stmt*> inner = builders;
      inner.push_back(s);
      find_programs(s->body, inner, out);
    } else if (s->kind == StmtKind::If || s->kind == StmtKind::Try) {
      find_programs(s->body, builders, out);
      find_programs(s->other, builders, out);
    }
  }
}

struct NearlyProgram {
  At at;
  std::string help;
};

const std::string kClassWord = "program";
const std::string kFunctionWord = "jit";

// A class or function whose decorator is misspelt, or a class that lacks one.
std::optional<NearlyProgram> nearly_program(const Body& body) {
  for (const Stmt* s : body) {
    const bool is_class = s->kind == StmtKind::Class;
    const std::string& wanted = is_class ? kClassWord : kFunctionWord;
    if (const std::string path = decorator_path(*s); !path.empty()) {
      if (path != wanted && nearest(path, {wanted}))
        return NearlyProgram{decorator_of_pl(*s)->at,
                             fmt::format("write @pl.{} in place of @pl.{}", wanted, path)};
    } else if (is_class) {
      for (const Stmt* f : s->body)
        if (f->kind == StmtKind::Function && is_decorated_by_pl(*f))
          return NearlyProgram{s->at, fmt::format("write @pl.{} above class {}", wanted, s->name)};
    } else if (auto inner = nearly_program(s->body)) {
      return inner;
    }
  }
  return std::nullopt;
}

// UserError that points to what comes nearest to a program.
[[noreturn]] void refuse_without_program(const Parsed& parsed) {
  if (!parsed.errors().empty()) throw ProgramError(parsed.errors().front());
  const char* what = "the file holds no program";
  const char* law =
      "a program is a class decorated with @pl.program, or a function decorated with @pl.jit";
  if (const auto nearly = nearly_program(parsed.body()))
    refuse(parsed.source().place(nearly->at), "program", what, law, nearly->help);
  const std::string other = other_name_of_language(parsed);
  user_error("program", what, fmt::format("in {}", parsed.source().name()), law,
             other.empty() ? "check that this is the right file"
                           : fmt::format("import pypto.language as pl, not as {}", other));
}

std::vector<Found> programs_in(const Parsed& parsed) {
  std::vector<Found> out;
  find_programs(parsed.body(), {}, out);
  return out;
}

}  // namespace

// What a host starts on ranks, or needs its windows, is part of it.
std::vector<Found> whole_programs(const Parsed& parsed) {
  std::vector<Found> programs = programs_in(parsed);
  std::set<std::string_view> started;
  bool host = false;
  for (const Found& f : programs) {
    if (!starts_ranks(*f.program)) continue;
    host = true;
    started.merge(started_by(*f.program));
  }
  std::erase_if(programs, [&](const Found& f) {
    return host && (started.contains(f.program->name) || has_windows(*f.program));
  });
  return programs;
}

std::vector<std::string> names_of(const std::vector<Found>& programs) {
  std::vector<std::string> names;
  for (const Found& f : programs) names.emplace_back(f.program->name);
  return names;
}

Found choose_program(const Parsed& parsed, const std::string& wanted) {
  const auto programs = programs_in(parsed);
  const std::string where = fmt::format("in {}", parsed.source().name());
  const auto names = names_of(programs);
  if (programs.empty()) refuse_without_program(parsed);
  if (wanted.empty()) {
    const auto whole = whole_programs(parsed);
    if (whole.size() == 1) return whole[0];
    user_error("program", fmt::format("the file holds {} programs", whole.size()), where,
               "a program is selected by name",
               fmt::format("write {}::NAME; the names are: {}", parsed.source().name(),
                           join(names_of(whole), ", ")));
  }
  const auto it = std::ranges::find(names, wanted);
  if (it != names.end()) return programs[static_cast<std::size_t>(it - names.begin())];
  user_error("program",
             fmt::format("the file has no program {}{}", quote(wanted),
                         did_you_mean(wanted, names)),
             where, "a program is selected by name",
             fmt::format("the names are: {}", join(names, ", ")));
}

}  // namespace tilewright::frontend
