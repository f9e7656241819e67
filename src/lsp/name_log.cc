#include "tilewright/lsp/name_log.h"

#include <fmt/format.h>

#include <utility>

#include "tilewright/base/text.h"

namespace tilewright::lsp {
namespace {

Meaning meaning_of_value(const frontend::Value& v) {
  if (const auto* t = v.as<frontend::Tensor>()) return t->var;
  if (const auto* s = v.as<frontend::FloatScalar>()) return s->var;
  if (const auto* e = v.as<ir::Expr>()) return *e;
  if (const auto* b = v.as<bool>()) return std::string(*b ? "True" : "False");
  if (const auto* d = v.as<double>()) return fmt::format("{}", *d);
  if (const auto* s = v.as<std::string>()) return quote(s->substr(0, 80));
  if (const auto* d = v.as<DType>()) return fmt::format("pl.{}", dtype_name(*d));
  if (const auto* w = v.as<frontend::Word>()) return "pl." + w->path;
  return frontend::kind_text(v);
}

}  // namespace

std::shared_ptr<NameLog> NameLog::attach(frontend::Reading& how) {
  const auto log = std::make_shared<NameLog>();
  how.lowering = [log] {
    if (log->open_) log->files_.clear();
  };
  how.named = [log](const frontend::Source& source, frontend::At at, std::string_view name,
                    const frontend::Value& value,
                    bool bound) { log->hear(source, at, name, value, bound); };
  return log;
}

void NameLog::hear(const frontend::Source& source, frontend::At at, std::string_view name,
                   const frontend::Value& value, bool bound) {
  if (!open_) return;
  Sighting fresh{std::string(name), bound, false, meaning_of_value(value)};
  Sightings& file = files_[source.name()];
  const auto [it, added] = file.try_emplace({at.line, at.column}, fresh);
  if (!added) it->second.varies = it->second.varies || it->second.meaning != fresh.meaning;
}

std::map<std::string, Sightings> NameLog::take() { return std::exchange(files_, {}); }

}  // namespace tilewright::lsp
