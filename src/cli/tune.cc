// `tune`: the search for a better tiling, its progress, its result, and the file it leaves.
#include <fmt/format.h>

#include <thread>

#include "tilewright/base/text.h"
#include "tilewright/cli/changed_program.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/interrupt.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/cli/tuned_output.h"
#include "tilewright/improve/judge.h"
#include "tilewright/improve/search.h"
#include "tilewright/session/check.h"

namespace tilewright::cli {
namespace {

using improve::Tuned;

constexpr const char* kDefaultBudget = "10s";

// "60s", "5m" or a number of candidates.
void set_budget(const std::string& text, improve::TuneOptions& options) {
  const std::string number = text.substr(0, text.find_first_not_of("0123456789"));
  const std::string unit = text.substr(number.size());
  const auto amount = whole_number(number);
  if (!amount || *amount < 1 || (unit != "" && unit != "s" && unit != "m"))
    refuse_value(fmt::format("--budget \"{}\" is neither a time nor a number of candidates", text),
                 "write for example --budget 60s, --budget 5m or --budget 500");
  if (unit.empty())
    options.candidates = *amount;  // however long they take
  else
    options.time = std::chrono::seconds(*amount * (unit == "m" ? 60 : 1));
}

// With the range of each, so that the reader sees which values are not searched.
std::string keys_and_ranges(const improve::Space& space) {
  std::vector<std::string> out;
  for (const improve::Axis& a : space.axes)
    out.push_back(fmt::format("{} {} to {}", a.key, a.values.front(), a.values.back()));
  return join(out, ", ");
}

void print_refusals(const Context& c, const improve::Searched& s) {
  const Tuned& t = s.tuned;
  std::ostream& out = c.words();
  int64_t refused = 0;
  for (const auto& [reason, count] : t.refused) refused += count;
  out << fmt::format("{} judged of {}{}, {} refused{}\n", counted(t.judged, "candidate"),
                     s.space.size() >= (int64_t{1} << 62) ? "very many"
                                                          : std::to_string(s.space.size()),
                     t.exhausted ? ", all of the values searched" : "", refused, refused > 0 ? ":" : "");
  Table reasons({"refused because of", "candidates"});
  for (const auto& [reason, count] : t.refused) reasons.row({reason, std::to_string(count)});
  if (!reasons.empty()) out << reasons.text("  ", kWidth);
  if (t.refused.contains(improve::kOtherWork))
    for (const std::string& line :
         wrapped(fmt::format("{}: with these values the program reads less of its inputs, writes less "
                             "of its outputs or multiplies less; mostly a tile does not divide a size",
                             improve::kOtherWork),
                 kWidth))
      out << line << "\n";
  for (const std::string& key : s.change_values)
    out << fmt::format("{} changes what the program computes: left as it is\n", key);
  if (t.stopped) out << "interrupted: this is the best so far\n";
}

// How far from the least possible time the search ended, and how sure its order is.
void print_trust(const Context& c, const improve::Searched& s) {
  std::ostream& out = c.words();
  const double best = s.tuned.best_verdict.time_us;
  if (s.roofline_us > 0)
    out << fmt::format("the roofline is {:.2f} us: {:.1f} % of it reached\n", s.roofline_us,
                       100 * s.roofline_us / best);
  if (s.as_good > 0)
    out << fmt::format("{} as good: predictions cannot tell times so close apart\n",
                       counted(s.as_good, "other candidate"));
}

void print_result(const Context& c, const improve::Searched& s, bool measured) {
  const Tuned& t = s.tuned;
  std::ostream& out = c.words();
  print_diagnostics(c, out, s.start_caveats);
  Table keys({"key", "was", "is"});
  for (const improve::Axis& a : s.space.axes)
    if (t.best.at(a.key) != t.start.at(a.key))
      keys.row({a.key, std::to_string(t.start.at(a.key)), std::to_string(t.best.at(a.key))});
  if (!keys.empty()) out << keys.text("  ", kWidth);
  const improve::Verdict &was = t.start_verdict, &is = t.best_verdict;
  if (t.found() && !was.usable())
    out << fmt::format("the keys as they were are refused: {}\n", was.refused);
  if (t.found())
    out << fmt::format("{}{} {:.2f} us with {}\n", t.better() ? "" : "nothing better found: ",
                       measured ? "measured" : "predicted", is.time_us, counted(is.tasks, "task"));
  if (t.better() && t.found() && was.usable())
    out << fmt::format("was {:.2f} us with {}: {:.2f} times faster{}\n", was.time_us,
                       counted(was.tasks, "task"), was.time_us / is.time_us,
                       s.faster ? ", " + report::ratio_text(*s.faster) : "");
  if (t.found()) print_trust(c, s);
  print_refusals(c, s);
}

improve::SearchRequest search_request(const Context& c, bool measured) {
  improve::SearchRequest search{c.args.value_lists(), c.args.assignments(), {}};
  improve::TuneOptions& options = search.options;
  set_budget(c.args.text("--budget", kDefaultBudget), options);
  options.seed = c.args.number("--seed").value_or(1);
  options.threads = c.args.threads();
  if (options.threads == 0)
    options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (measured) options.threads = 1;  // a run has the machine to itself
  return search;
}

// Why the keys as they were are refused, in full: mostly a key that the user fixed is the reason.
int report_nothing_found(const Context& c, const session::Request& request) {
  c.words() << "nothing that can be used was found; the keys as they were are refused because:\n";
  const session::CheckResult start = session::check(c.program(), request);
  print_diagnostics(c, c.err, start.diagnostics);
  return kFailed;
}

int run_tune(const Context& c) {
  JsonOutput json(c);
  const catalog::ProgramDef& def = c.program();
  const session::Request request = timing_request(c);
  const bool measured = !request.simulated();
  improve::SearchRequest search = search_request(c, measured);
  const Interrupt interrupt;  // ends the search: the best so far is reported and saved
  search.options.stop = &interrupt.flag();
  std::optional<TunedOutput> file;
  if (c.args.has("--output")) file.emplace(def, request, c.args.text("--output"));

  std::ostream& out = c.words();
  Progress progress(c.err, c.terminal.progress);
  double shown = 0;
  const auto start = std::chrono::steady_clock::now();
  improve::SearchObserver observer;
  observer.begin = [&](const improve::Space& space) {
    if (shown == 0)
      out << fmt::format("{}: on {}, {} to choose: {}\n", c.paint(Colour::Bold, def.name),
                         request.platform_name,
                         counted(static_cast<int64_t>(space.axes.size()), "key"), keys_and_ranges(space));
    progress.begin("tune");
  };
  observer.judged = [&](const Tuned& now) {
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.update(search.options.candidates != INT64_MAX
                        ? static_cast<double>(now.judged) /
                              static_cast<double>(search.options.candidates)
                        : spent / search.options.time.count());
    if (now.best_verdict.time_us == shown || !now.found()) return;
    shown = now.best_verdict.time_us;
    progress.note(fmt::format("tune, best so far {:.2f} us", shown));
    if (file && now.better()) file->save_so_far(now);
  };
  observer.compare = [&] { progress.begin("compare values"); };
  const improve::Searched result = improve::search(def, request, search, observer);
  progress.end();
  print_result(c, result, measured);
  if (!result.tuned.found()) return report_nothing_found(c, request);
  print_outputs(c, out, result.outputs);
  if (result.tuned.better())
    print_diff(c, out,
               source_diff(source_changes(def, result.tuned), file ? file->program_path() : ""));
  if (result.tuned.better()) print_caveats_of_result(c, out, result.best_caveats);
  if (file) out << file->save(result.tuned, c.terminal.command());
  json.write(data::tiling_text(tiling_of(def, request, result.tuned)));
  return kFine;
}

constexpr Flag kTuneBudget{"", "--budget", "AMOUNT",
                           "search time (default 10s) or number of candidates"};
constexpr Flag kSpace{"", "--space", "KEY=V,V,...",
                      "searches these values of KEY only; repeatable", true};
constexpr Flag kSearchSeed{"", "--seed", "N", "seed of the search (default 1)"};
constexpr Flag kThreads{"-t", "--threads", "N", "parallel predictions (default one per core)"};
constexpr Flag kTuned{"-o", "--output", "FILE",
                      "writes keys (.json), program (.py) or patch (.diff)"};

}  // namespace

const Command& tune_command() {
  static const Command kCommand{
      .name = "tune",
      .operand = "PROGRAM",
      .summary = "searches for the key or constant values with the least time",
      .flags = {kMachine, kShape, kSet, kArg, kPath, kReference, kTiling, kTuneBudget, kSpace, kSearchSeed,
                kThreads, kRules, kOverride, kTuned, kExtern, kJson, kHelp},
      .examples = {"tune layer.py -o faster.py",
                   "tune qwen3/scope1 -o scope1.json",
                   "run qwen3/scope1 -p a2a3sim --tiling scope1.json",
                   "tune qwen3/scope3 --budget 200 --space mlp_n=64,128,256"},
      .run = run_tune,
  };
  return kCommand;
}

}  // namespace tilewright::cli
