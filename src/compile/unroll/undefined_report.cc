#include "tilewright/compile/unroll/undefined_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

// Undefined elements of an output that are told together.
struct Holes {
  int64_t elements = 0;
  Rect first;
  CauseId cause = kNoCause;

  void add(const Rect& r, CauseId why) {
    if (elements == 0) first = r, cause = why;
    elements += r.elements();
  }
};

std::string passage_text(const Passage& by, const Program& p) {
  return by.op ? written_text(*by.op, p) : written_text(*by.read, p);
}

// Whether the tasks of a program depend on scalars or data, so that another run may have others.
bool numbers_decide(const Program& p) {
  bool reads = std::ranges::any_of(p.params, [&](const Param& q) { return p[q.var].scalar; });
  for_each_stmt(p.body, [&](const Stmt& s) { reads = reads || s.as<Read>(); });
  return reads;
}

struct Report {
  const Program& p;
  Causes& causes;
  Findings& findings;

  void output(const Parameter& parameter);
  void never_written(const Parameter& parameter, const Holes& holes);
  void undefined(const Parameter& parameter, const Holes& holes, Severity severity);
  void harmless(const Causes::Step& read);
};

void Report::output(const Parameter& parameter) {
  const Contents& contents = parameter.state->contents;
  if (contents.complete()) return;
  Holes unwritten, certain, perhaps;
  contents.for_each_undefined(parameter.due, [&](const Rect& r, CauseId cause) {
    const bool written = !causes.begins(cause) || causes[cause].array != parameter.var;
    (!causes.certain(cause) ? perhaps : written ? certain : unwritten).add(r, cause);
  });
  if (unwritten.elements > 0) never_written(parameter, unwritten);
  if (certain.elements > 0) undefined(parameter, certain, Severity::Error);
  if (perhaps.elements > 0) undefined(parameter, perhaps, Severity::Note);
}

void Report::never_written(const Parameter& parameter, const Holes& holes) {
  const Var& v = p[parameter.var];
  // Rows beyond the length of a sequence are nobody's: the caller who gave the length knows them.
  const bool padding = numbers_decide(p);
  std::string writers;
  std::vector<RelatedPlace> written;
  for (const Op* w : parameter.state->writers) {
    writers += (writers.empty() ? "" : ", ") + w->place.text();
    written.push_back({w->place, "it is written"});
  }
  findings.add(&v, v.place, "", fmt::format("parameter {} {}", v.written_name(), type_text(v)),
               {.severity = padding || p.param_of(parameter.var)->filled ? Severity::Warning
                                                                         : Severity::Error,
                .code = "out-partial",
                .what =
                    fmt::format("output {}: {} of {} elements are never written, the first at {}",
                                v.written_name(), holes.elements, element_count(v.shape), holes.first.text()),
                .law = fmt::format("{}{}",
                                   padding ? "elements of an Out parameter that this run does not "
                                             "write are undefined for the caller"
                                           : "a program must write every element of an Out "
                                             "parameter",
                                   writers.empty() ? "" : "; it is written at " + writers),
                .help = "write blocks that cover the whole parameter, or declare it InOut",
                .related = std::move(written)});
}

void Report::undefined(const Parameter& parameter, const Holes& holes, Severity severity) {
  const Var& v = p[parameter.var];
  const Passage& by = causes[holes.cause].by;
  const bool certain = severity == Severity::Error;
  causes.blame(holes.cause);
  findings.add(
      parameter.state.get(), by.place(), by.kernel->name, passage_text(by, p),
      {.severity = severity,
       .code = "undefined-output",
       .what = fmt::format("output {}: {} of {} elements {} undefined, the first at {}", v.written_name(),
                           holes.elements, element_count(v.shape), certain ? "are" : "may be",
                           holes.first.text()),
       .law = fmt::format("{}: {}",
                          certain ? "an output must not depend on unwritten elements"
                                  : "data decides whether an output depends on unwritten elements",
                          causes.way(holes.cause, holes.first)),
       .help = certain ? "write these elements first, or exclude them from the output"
                       : "write every element on every path, unless the data guarantees it",
       .related = causes.places(holes.cause)});
}

void Report::harmless(const Causes::Step& read) {
  const Causes::Step& source = causes[read.from];
  const std::string more =
      read.times > 1 ? fmt::format(" (and {})", counted(read.times - 1, "more time")) : "";
  findings.add(
      &read, read.by.place(), read.by.kernel->name, passage_text(read.by, p),
      {.severity = Severity::Note,
       .code = "undefined-read",
       .what = fmt::format("{} reads {} of {}, which {}; no output depends on it{}", read.by.name(),
                           read.hole.text(), p[source.array].written_name(),
                           source.certain ? "is not written" : "data may leave unwritten", more),
       .law = "unwritten elements may be read if no output, address or branch depends on them",
       .help = "if this is not intended, write these elements or read only the written part"});
}

}  // namespace

void report_undefined(const Program& program, std::span<const Parameter> parameters, Causes& causes,
                      Findings& findings) {
  Report report{program, causes, findings};
  for (const Parameter& p : parameters) report.output(p);
  if (findings.has_errors()) return;
  for (const Causes::Step* read : causes.harmless_reads()) report.harmless(*read);
}

}  // namespace tilewright::compile
