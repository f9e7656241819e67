// `tune`: the search for a better tiling, its progress, its result, and the file it leaves.
#include <fmt/format.h>

#include <thread>

#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/interrupt.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/requests.h"
#include "tilewright/data/tiling_file.h"
#include "tilewright/improve/judge.h"

namespace tilewright::cli {
namespace {

using improve::Tuned;

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

void print_result(const Context& c, const Tuned& t, const improve::Space& space, bool measured) {
  std::ostream& out = c.words();
  Table keys({"key", "was", "is"});
  for (const improve::Axis& a : space.axes)
    if (t.best.at(a.key) != t.start.at(a.key))
      keys.row({a.key, std::to_string(t.start.at(a.key)), std::to_string(t.best.at(a.key))});
  if (!keys.empty()) out << keys.text("  ", kWidth);
  const improve::Verdict &was = t.start_verdict, &is = t.best_verdict;
  if (!was.usable()) out << fmt::format("the keys as they were are refused: {}\n", was.refused);
  if (t.found())
    out << fmt::format("{} {:.2f} us with {}\n", measured ? "measured" : "predicted", is.time_us,
                       counted(is.tasks, "task"));
  if (t.found() && was.usable())
    out << fmt::format("was {:.2f} us with {}: {:.2f} times faster\n", was.time_us,
                       counted(was.tasks, "task"), was.time_us / is.time_us);
  int64_t refused = 0;
  for (const auto& [reason, count] : t.refused) refused += count;
  out << fmt::format("{} judged of {}{}, {} refused{}\n", counted(t.judged, "candidate"),
                     space.size() >= (int64_t{1} << 62) ? "very many"
                                                        : std::to_string(space.size()),
                     t.exhausted ? ", which is all" : "", refused, refused > 0 ? ":" : "");
  Table reasons({"refused because of", "candidates"});
  for (const auto& [reason, count] : t.refused) reasons.row({reason, std::to_string(count)});
  if (!reasons.empty()) out << reasons.text("  ", kWidth);
  if (t.stopped) out << "interrupted: this is the best so far\n";
}

int run_tune(const Context& c) {
  JsonOutput json(c);
  const catalog::ProgramDef& def = c.program();
  const session::Request request = timing_request(c);
  const bool measured = !request.simulated();
  improve::TuneOptions options;
  set_budget(c.args.text("--budget", "60s"), options);
  options.seed = c.args.number("--seed").value_or(1);
  options.threads = static_cast<int>(
      std::clamp<uint64_t>(c.args.number("--threads").value_or(std::thread::hardware_concurrency()),
                           1, 256));
  if (measured) options.threads = 1;  // a run has the machine to itself
  const Interrupt interrupt;          // ends the search: the best so far is reported and saved
  options.stop = &interrupt.flag();

  const catalog::Config config = session::configure(def, request);
  const improve::Space space =
      improve::make_space(config, c.args.value_lists(), c.args.assignments());
  std::optional<AtomicFile> file;
  if (c.args.has("--output")) file.emplace(c.args.text("--output"));
  const auto tiling_of = [&](const Tuned& t) {
    data::TilingFile f{def.name,    config.shape(),         request.platform_name,
                       request.set, t.best_verdict.time_us, t.start_verdict.time_us};
    for (const auto& [key, value] : t.best)
      if (value != t.start.at(key)) f.set[key] = value;
    return f;
  };

  std::ostream& out = c.words();
  out << fmt::format("{}: shape {} on {}, {} keys to choose\n", c.paint(Colour::Bold, def.name),
                     config.shape(), request.platform_name, space.axes.size());
  Progress progress(c.err, c.terminal.progress);
  progress.begin("tune");
  const improve::Judge judge = improve::judge_of(def, request);
  double shown = 0;
  const auto start = std::chrono::steady_clock::now();
  const Tuned t = improve::tune(space, judge, options, [&](const Tuned& now) {
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.update(options.candidates != INT64_MAX
                        ? static_cast<double>(now.judged) / static_cast<double>(options.candidates)
                        : spent / options.time.count());
    if (now.best_verdict.time_us == shown || !now.found()) return;
    shown = now.best_verdict.time_us;
    progress.note(fmt::format("tune, best so far {:.2f} us", shown));
    if (file && now.better()) file->commit(data::tiling_text(tiling_of(now)));
  });
  progress.end();
  print_result(c, t, space, measured);
  if (!t.found()) {
    out << "nothing that can be used was found\n";
    return kFailed;
  }
  const std::string text = data::tiling_text(tiling_of(t));
  if (file) {
    file->commit(text);
    out << fmt::format("saved: {0} run {1} --tiling {2}\n", c.terminal.name, def.name,
                       c.args.text("--output"));
  }
  json.write(text);
  return kFine;
}

constexpr Flag kTuneBudget{"", "--budget", "AMOUNT",
                           "60s of time by default, or a number of candidates"};
constexpr Flag kSpace{"", "--space", "KEY=V,V,...",
                      "searches this key and these values; repeatable", true};
constexpr Flag kSearchSeed{"", "--seed", "N", "seed of the search, 1 by default"};
constexpr Flag kThreads{"-t", "--threads", "N", "candidates judged at once, all cores by default"};
constexpr Flag kTuned{"-o", "--output", "FILE", "where the best tiling is written"};

}  // namespace

const Command& tune_command() {
  static const Command kCommand{
      .name = "tune",
      .operand = "PROGRAM",
      .summary = "searches the keys of a program for the least time",
      .flags = {kMachine, kShape, kSet, kArg, kPath, kReference, kTiling, kTuneBudget, kSpace, kSearchSeed,
                kThreads, kRules, kOverride, kTuned, kExtern, kJson, kHelp},
      .examples = {"tune qwen3/scope1 -o scope1.json",
                   "run qwen3/scope1 -p a2a3sim --tiling scope1.json",
                   "tune qwen3/scope3 --budget 200 --space mlp_n=64,128,256"},
      .run = run_tune,
  };
  return kCommand;
}

}  // namespace tilewright::cli
