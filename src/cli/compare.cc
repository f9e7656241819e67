// `compare`: two programs, or one under two settings, predicted on one machine and put side by
// side. When their sizes differ it says so, and predicts the first one again at the second one's
// sizes.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/compare_side.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/page_output.h"
#include "tilewright/cli/requests.h"
#include "tilewright/data/program_file.h"
#include "tilewright/results/json.h"
#include "tilewright/results/page_data.h"
#include "tilewright/session/doubt.h"

namespace tilewright::cli {
namespace {

using session::SideBySide;
using session::TimedRun;

// Labels head columns: long ones are told above the table and are A and B in it.
constexpr std::size_t kLongestHead = 24;

struct Heads {
  std::string a, b;
};

Heads heads_of(const SideBySide& r) {
  const bool fit = r.label_a.size() <= kLongestHead && r.label_b.size() <= kLongestHead &&
                   r.label_a != r.label_b;
  return fit ? Heads{r.label_a, r.label_b} : Heads{"A", "B"};
}

std::string totals(const SideBySide& r, const Heads& heads) {
  std::vector<const TimedRun*> sides{&r.a, &r.b};
  std::vector<std::string> header{"", heads.a, heads.b};
  if (r.like) {
    sides.push_back(&*r.like);
    header.push_back("like for like");
  }
  Table table(header);
  const auto row = [&](const char* what, auto&& value) {
    std::vector<std::string> cells{what};
    for (const TimedRun* s : sides) cells.push_back(value(s->profile->all));
    table.row(std::move(cells));
  };
  using F = report::Figures;
  row("total tasks", [](const F& f) { return std::to_string(f.tasks); });
  row("total test time us", [](const F& f) { return fmt::format("{:.2f}", f.total_us); });
  std::vector<std::string> likely{"80 % interval"};
  for (const TimedRun* s : sides)
    likely.push_back(s->profile->likely_us ? report::interval_text(*s->profile->likely_us) : "");
  table.row(std::move(likely));
  row("mean latency us", [](const F& f) { return fmt::format("{:.2f}", f.latency_us); });
  row("mean exec us", [](const F& f) { return fmt::format("{:.2f}", f.exec_us); });
  row("GM read", [](const F& f) { return human_bytes(f.gm_read); });
  row("GM write", [](const F& f) { return human_bytes(f.gm_write); });
  row("roofline us", [](const F& f) { return fmt::format("{:.2f}", f.roofline_us); });
  row("reached", [](const F& f) { return fmt::format("{:.1f}%", 100 * f.roofline_fraction()); });
  row("reached, at peak HBM rate",
      [](const F& f) { return fmt::format("{:.1f}%", 100 * f.peak_fraction()); });
  return table.text("", kWidth);
}

std::string lines_of(const std::string& text, std::size_t indent = 0) {
  std::string out;
  for (const std::string& line : wrapped(text, kWidth - indent)) {
    out += (out.empty() || indent == 0 ? "" : std::string(indent, ' ')) + line + "\n";
  }
  return out;
}

// Per stage the sum over its tasks, so that stages add up whatever runs beside them. A side without
// the stage has no numbers.
std::string stages(const SideBySide& r) {
  Table table({"stage", "tasks A", "B", "core us A", "B", "GM read A", "B", "written A", "B"});
  const auto cells = [](const report::Figures* f) -> std::array<std::string, 4> {
    if (!f) return {};
    return {std::to_string(f->tasks), fmt::format("{:.0f}", f->busy_us), short_bytes(f->gm_read),
            short_bytes(f->gm_write)};
  };
  const auto row = [&](const std::string& name, const report::Figures* fa,
                       const report::Figures* fb) {
    const auto a = cells(fa), b = cells(fb);
    table.row({name, a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]});
  };
  std::vector<std::string> renamed;
  for (const session::StagePair& s : r.stages) {
    row(s.a ? s.a->name : s.name, s.a, s.b);
    if (s.a && s.b && s.a->name != s.b->name)
      renamed.push_back(fmt::format("{} is {}", s.a->name, s.b->name));
  }
  row("TOTAL", &r.a.profile->all, &r.b.profile->all);
  std::string out = table.text("", kWidth);
  if (!renamed.empty())
    out += lines_of(fmt::format("paired by what they compute; in B, {}", join(renamed, ", ")));
  return out;
}

// "B is 1.21 times faster than A, 80 % interval 1.12 to 1.30". When the interval holds 1, the
// prediction does not say which is faster.
std::string faster(const std::string& b, const TimedRun& from, const std::string& a,
                   const TimedRun& to) {
  const double ratio = from.profile->all.total_us / to.profile->all.total_us;
  if (ratio == 1) return fmt::format("{} is as fast as {}", b, a);
  const report::Interval likely =
      ratio > 1 ? session::ratio_interval(from, to) : session::ratio_interval(to, from);
  const std::string times =
      ratio > 1 ? fmt::format("{:.2f} times faster", ratio)
                : fmt::format("{:.2f} times slower", 1 / ratio);
  const std::string interval = report::ratio_text(likely);
  if (likely.contains(1))
    return fmt::format("{} and {} cannot be told apart: predicted {}, 80 % interval {}", b, a, times,
                       interval);
  return fmt::format("{} is {} than {}, 80 % interval {}", b, times, a, interval);
}

std::string verdict(const SideBySide& r, const Heads& heads) {
  std::string out = lines_of(faster(heads.b, r.a, heads.a, r.b));
  if (!r.size_differences.empty())
    out += lines_of(fmt::format("the two sides have different sizes: {} ({} and {})",
                                join(r.size_differences, ", "), r.a.session->shape(),
                                r.b.session->shape()));
  // A fusion that needs more launches than it saves is easily taken for progress.
  const int64_t more = r.b.profile->all.tasks - r.a.profile->all.tasks;
  if (more > 0)
    out += lines_of(fmt::format("{} launches {} more tasks than {}", heads.b, more, heads.a));
  if (r.work_differences.empty())
    out += "both sides do the same work: parameters and multiply-adds agree\n";
  else
    out += "the two sides do not do the same work:\n";
  for (const std::string& d : r.work_differences) out += "  - " + lines_of(d, 4);
  if (r.like)
    out += lines_of(fmt::format("like for like is {} at the sizes of {}: there {}", heads.a,
                                r.b.session->shape(), faster(heads.b, *r.like, "it", r.b)));
  return out;
}

std::string label(const std::string& name, const TimedRun& r) {
  const std::string shape = r.session->shape();
  return shape == data::kFileShape ? name : fmt::format("{}, shape {}", name, shape);
}

int run_compare(const Context& c) {
  if (c.args.operand.empty() || c.args.second.empty())
    user_error("program", "compare needs two programs", "",
               "a program is a .py file or a name that list prints",
               fmt::format("the programs are: {}", join(c.catalog.names(), ", ")));
  JsonOutput json(c);
  const session::Request request = prediction_request(c);
  const session::Contestant side_a = compare_side(c, c.args.operand, request);
  const session::Contestant side_b = compare_side(c, c.args.second, request);
  require_known_keys(side_a, side_b, request);
  std::optional<PageOutput> page;  // only when asked for: the text says the same
  if (c.args.has("--output")) page.emplace(c, "");
  const SideBySide r = session::side_by_side(side_a, side_b);
  for (const TimedRun* s : {&r.a, &r.b})
    if (!s->passed()) {
      print_diagnostics(c, c.err, s->session->diagnostics());
      return kFailed;
    }

  std::ostream& out = c.words();
  const Heads heads = heads_of(r);
  out << fmt::format("predicted on {} ({}), rules {}\nA  {}\nB  {}\n\n", request.platform_name,
                     request.machine().title, r.a.session->rules().name, label(r.label_a, r.a),
                     label(r.label_b, r.b))
      << totals(r, heads) << "\n"
      << stages(r) << "\n"
      << verdict(r, heads);
  for (const TimedRun* s : {&r.a, &r.b}) print_diagnostics(c, out, session::caveats(*s->session));
  if (page) {
    page->write(report::compare_page(results::compare_data(r)));
    out << fmt::format("page: {}\n", page->path());
  }
  json.write(results::to_json(r, page ? page->path() : ""));
  return kFine;
}

constexpr Flag kPage{"-o", "--output", "FILE", "also writes an HTML report"};

}  // namespace

const Command& compare_command() {
  static const Command kCommand{
      .name = "compare",
      .operand = "PROGRAM PROGRAM",
      .summary = "compares two programs, or one program under two settings",
      .flags = {kMachine, kPage, kShape, kSet, kArg, kPath, kReference, kSeed, kRules, kOverride, kIdeal,
                kUnprofiled, kExtern, kJson, kHelp},
      .examples = {"compare qwen3/scope3-before qwen3/scope3",
                   "compare qwen3/scope3 qwen3/scope3@mlp_n=128,mlp_k=256",
                   "compare qwen3/scope3@shape=tiny qwen3/scope3 -o compare.html"},
      .note = "PROGRAM@KEY=VALUE,KEY=VALUE sets keys of one side; PROGRAM@shape=NAME its shape.",
      .run = run_compare,
  };
  return kCommand;
}

}  // namespace tilewright::cli
