#include "tilewright/base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

const char* severity_name(Severity s) {
  switch (s) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

}  // namespace

std::string Diagnostic::text() const {
  std::string out = fmt::format("{}: {}\n", severity_name(severity), what);
  if (!where.empty()) out += fmt::format("  {}\n", where);
  if (!excerpt.empty()) out += excerpt;
  if (!law.empty()) out += fmt::format("  {}\n", law);
  if (!help.empty()) out += fmt::format("  help: {}\n", help);
  return out;
}

void Diagnostics::append(const Diagnostics& other) {
  list_.insert(list_.end(), other.list_.begin(), other.list_.end());
}

bool Diagnostics::has_errors() const { return error_count() > 0; }

std::size_t Diagnostics::error_count() const {
  return static_cast<std::size_t>(std::count_if(list_.begin(), list_.end(), [](const auto& d) {
    return d.severity == Severity::Error;
  }));
}

std::string Diagnostics::text() const {
  std::string out;
  for (const Diagnostic& d : list_) out += d.text();
  return out;
}

UserError::UserError(Diagnostic d) : std::runtime_error(d.text()), diagnostic_(std::move(d)) {}

void user_error(std::string code, std::string what, std::string where, std::string law,
                std::string help) {
  throw UserError({Severity::Error, std::move(code), std::move(what), std::move(where),
                   std::move(law), std::move(help), {}});
}

void program_error(std::string code, std::string what, std::string where, std::string law,
                   std::string help) {
  throw ProgramError({Severity::Error, std::move(code), std::move(what), std::move(where),
                      std::move(law), std::move(help), {}});
}

}  // namespace tilewright
