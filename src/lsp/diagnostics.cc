#include "tilewright/lsp/diagnostics.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/lsp/places.h"
#include "tilewright/lsp/uri.h"

namespace tilewright::lsp {
namespace {

constexpr std::size_t kMostDiagnostics = 100;  // of one document
constexpr std::size_t kMostRelated = 20;

int severity_number(Severity s) {
  switch (s) {
    case Severity::Error: return 1;
    case Severity::Warning: return 2;
    case Severity::Note: return 3;
  }
  return 1;
}

std::string uri_of_file(const Analysis& a, const std::string& file) {
  const auto it = a.open.find(file);
  return it != a.open.end() ? it->second->uri : uri_of_path(file);
}

class Converter {
 public:
  Converter(const Analysis& a, const Settings& settings, Encoding e)
      : a_(a), settings_(settings), encoding_(e), files_(files_of(a)) {}

  // The URI that the diagnostic belongs to, and itself.
  std::pair<std::string, Value> convert(const Diagnostic& d) {
    const auto places = places_of(d, files_);
    Value out{{"severity", severity_number(d.severity)},
              {"code", d.code},
              {"source", "tilewright"},
              {"message", message_of(d)}};
    if (!settings_.documentation.empty())
      out["codeDescription"] = {
          {"href", fmt::format("{}/errors.md#{}", settings_.documentation, d.code)}};
    if (places.empty()) {
      out["range"] = a_.document->lines.to_json(a_.document->lines.whole_line(0), encoding_);
      return {a_.document->uri, std::move(out)};
    }
    out["range"] = range_of(places[0]);
    for (std::size_t i = 1; i < places.size() && i <= kMostRelated; ++i)
      out["relatedInformation"].push_back(
          {{"location", {{"uri", uri_of_file(a_, places[i].file)}, {"range", range_of(places[i])}}},
           {"message", places[i].words}});
    return {uri_of_file(a_, places[0].file), std::move(out)};
  }

 private:
  std::string message_of(const Diagnostic& d) const {
    std::string out = d.what;
    if (!d.law.empty()) out += "\n" + d.law;
    if (!d.help.empty()) out += "\nhelp: " + d.help;
    return with_short_names(std::move(out), files_);
  }

  Value range_of(const NamedPlace& p) {
    auto& lines = lines_[p.file];
    if (!lines) lines = lines_of(a_, p.file);
    if (p.column == 0) return lines->to_json(lines->whole_line(int64_t{p.line} - 1), encoding_);
    return lines->to_json(lines->word_at(lines->of_place(p.line, p.column)), encoding_);
  }

  const Analysis& a_;
  const Settings& settings_;
  const Encoding encoding_;
  const std::set<std::string> files_;
  std::map<std::string, std::shared_ptr<const Lines>> lines_;
};

}  // namespace

std::set<std::string> files_of(const Analysis& a) {
  std::set<std::string> out{a.document->path};
  for (const auto& parsed : a.files) out.insert(parsed->source().name());
  return out;
}

std::shared_ptr<const Lines> lines_of(const Analysis& a, const std::string& file) {
  const auto it = a.open.find(file);
  if (it != a.open.end()) return {it->second, &it->second->lines};
  for (const auto& parsed : a.files)
    if (parsed->source().name() == file)
      return std::make_shared<const Lines>(std::string(parsed->source().text()));
  return std::make_shared<const Lines>("");
}

std::map<std::string, std::vector<Value>> diagnostics_of(const Analysis& a,
                                                         const Settings& settings, Encoding e) {
  std::map<std::string, std::vector<Value>> out;
  out[a.document->uri];
  Converter converter(a, settings, e);
  std::size_t told = 0;
  for (const Diagnostic& d : a.diagnostics.list()) {
    if (++told > kMostDiagnostics) break;
    auto [uri, json] = converter.convert(d);
    out[uri].push_back(std::move(json));
  }
  return out;
}

}  // namespace tilewright::lsp
