// `run`: the phases as they happen, then one verdict per output.
#include <fmt/format.h>

#include <optional>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/progress.h"
#include "tilewright/cli/tidy_end.h"
#include "tilewright/data/data_dir.h"
#include "tilewright/results/json.h"
#include "tilewright/session/run.h"

namespace tilewright::cli {
namespace {

using session::Comparison;
using session::OutputResult;
using session::Status;

std::string painted(const Context& c, Status s) {
  const Colour colour = s == Status::Pass   ? Colour::Green
                        : s == Status::Fail ? Colour::Red
                                            : Colour::Yellow;
  return c.paint(colour, std::string(session::status_name(s)));
}

void print_mismatches(std::ostream& out, const OutputResult& o) {
  const auto& list = o.comparison.mismatches;
  out << fmt::format("    first {} of {} mismatches:\n", list.size(),
                     o.comparison.total - o.comparison.matched);
  Table table({"index", "actual", "expected", "error"});
  for (const session::Mismatch& m : list)
    table.row({session::index_text(m.index, o.shape), fmt::format("{:.6g}", m.actual),
               fmt::format("{:.6g}", m.expected),
               fmt::format("{:.3g}", std::abs(m.actual - m.expected))});
  out << table.text("      ");
}

void print_failure(std::ostream& out, const OutputResult& o) {
  const Comparison& k = o.comparison;
  if (k.finite < k.total)
    out << fmt::format("    NaN: {} actual, {} expected; Inf: {} actual, {} expected\n",
                       k.actual_nan, k.expected_nan, k.actual_inf, k.expected_inf);
  if (k.max_abs_error_index >= 0)
    out << fmt::format("    largest error {:.3g} at {}\n", k.max_abs_error,
                       session::index_text(k.max_abs_error_index, o.shape));
  out << fmt::format(
      "    relative L2 {:.3g}, cosine {:.6f}\n"
      "    absolute error p50 {:.3g}, p90 {:.3g}, p99 {:.3g}, max {:.3g}\n",
      k.relative_l2, k.cosine, k.p50, k.p90, k.p99, k.max_abs_error);
  print_mismatches(out, o);
}

void print_output(const Context& c, const OutputResult& o) {
  std::ostream& out = c.words();
  const Comparison& k = o.comparison;
  out << fmt::format("{}: {} ", o.name, painted(c, o.status));
  if (o.status == Status::Skipped) {
    out << fmt::format("({} elements, nothing to compare with)\n", k.total);
  } else {
    out << fmt::format("({}/{} elements matched)\n", k.matched, k.total);
  }
  out << fmt::format("    {} {}", shape_text(o.shape), dtype_name(o.dtype));
  if (o.status != Status::Skipped)
    out << fmt::format(", rtol {:g}, atol {:g}", o.tolerance.rtol, o.tolerance.atol);
  if (o.status == Status::Pass) out << fmt::format(", largest error {:.3g}", k.max_abs_error);
  out << "\n";
  if (o.status != Status::Skipped && !o.added_to.empty())
    out << fmt::format("    relative L2 {:.3g} of what was added to {}\n", o.added_relative_l2,
                       o.added_to);
  if (o.status == Status::Fail) print_failure(out, o);
}

void print_exploration(const Context& c, const session::Exploration& e) {
  std::ostream& out = c.words();
  if (e.different == 0) {
    out << fmt::format("orders: {} ({} legal under {}, the same bits in all)\n",
                       painted(c, Status::Pass), counted(static_cast<int64_t>(e.orders), "order"),
                       e.rules);
    return;
  }
  const session::Difference& d = *e.first;
  out << fmt::format("orders: {} ({} of {} legal under {} give other bits)\n",
                     painted(c, Status::Fail), e.different, e.orders, e.rules);
  if (!d.stopped.empty()) {
    out << fmt::format("    order {} stopped: {}\n", d.order_seed, d.stopped);
    return;
  }
  out << fmt::format("    order {}: {} differs in {} of {} elements\n", d.order_seed, d.output,
                     d.elements, d.total);
  out << fmt::format("    first at {}: {:.6g} in program order, {:.6g} in this one\n",
                     session::index_text(d.first_index, d.shape), d.in_order, d.in_this_order);
  out << fmt::format("    {} check --rules {} names the tasks that race\n", c.terminal.command(),
                     e.rules);
}

void require_no_device(const Context& c) {
  const auto device = c.args.number("--device");
  if (!device) return;
  user_error("device", fmt::format("no device {} is attached", *device),
             fmt::format("in --device {}", *device),
             "--device selects an attached device; programs run on this CPU or are simulated",
             "omit --device");
}

// `--arg x=BF16[16,128]` says what x is, and its values may come from a file.
void require_one_source_of_values(const Context& c) {
  const data::DataReader files(c.args.text("--replay"));
  for (const auto& [name, value] : c.args.choices())
    if (const auto file = files.find("in", name); file && value.find('[') == std::string::npos)
      user_error("command-line",
                 fmt::format("--arg {}={} together with {}", name, value, file->string()), "",
                 "--replay reads this value from a file; --arg would have no effect",
                 "omit the flag, or change the file");
}

session::RunOptions run_options(const Context& c) {
  const session::RunOptions options{.save_data = c.args.text("--save-data"),
                                    .replay = c.args.text("--replay"),
                                    .expect = c.args.text("--expect"),
                                    .explore = c.args.number("--explore").value_or(0)};
  if (c.args.has("--rules") && options.explore == 0)
    user_error(
        "command-line", "--rules without --explore", "",
        "run executes tasks in program order; --rules decides which other orders --explore may try",
        "add --explore 20, or use check or sim with --rules");
  if (c.args.has("--replay") && c.args.has("--seed"))
    user_error("command-line", "--seed together with --replay", "",
               "--replay reads the inputs from files; a seed would have no effect",
               "omit one of them");
  if (c.args.has("--replay")) require_one_source_of_values(c);
  return options;
}

session::Observer observer(const Context& c, Progress& progress) {
  session::Observer o;
  o.start = [&](const session::RunResult& r) {
    c.words() << fmt::format("{} on {}, seed {}\n{}\n", c.heading(r.program, r.shape), r.platform,
                             r.seed, keys_text(r.keys));
  };
  o.begin = [&](const std::string& phase) { progress.begin(phase); };
  o.progress = [&](double fraction) { progress.update(fraction); };
  o.end = [&](const session::Phase& p) {
    progress.end();
    c.words() << fmt::format("  {:<18}{:>9.3f} s{}{}", p.name, p.seconds,
                             p.detail.empty() ? "" : "  ", p.detail)
              << std::endl;
  };
  return o;
}

session::ExecutorOptions executor_options(const Context& c) {
  return {.threads = c.args.threads(),
          .order_seed = c.args.number("--order-seed")};
}

int run_run(const Context& c) {
  std::optional<TidyEnd> tidy;
  if (c.args.has("--save-data")) tidy.emplace();
  const catalog::ProgramDef& def = c.program();
  require_no_device(c);
  const session::Request request = c.request();
  const session::RunOptions options = run_options(c);
  JsonOutput json(c);
  const session::Executor executor = session::executor_for(request, executor_options(c));
  Progress progress(c.err, c.terminal.progress);

  const session::RunResult result =
      session::run(def, request, executor, options, observer(c, progress));

  c.words() << "\n";
  if (result.diagnostics.has_errors()) {
    print_diagnostics(c, c.err, result.diagnostics);
  } else if (!result.diagnostics.empty()) {
    c.words() << fmt::format("{}; {} check lists them\n", counts_text(result.diagnostics),
                             c.terminal.command());
  }
  for (const OutputResult& o : result.outputs) print_output(c, o);
  if (result.exploration) print_exploration(c, *result.exploration);
  c.words() << fmt::format("{} ({:.3f} s)\n", painted(c, result.status), result.seconds);
  json.write(results::to_json(result));
  return result.status == Status::Fail ? kFailed : kFine;
}

constexpr Flag kDevice{"-d", "--device", "N", "number of the attached device; none is supported yet"};
constexpr Flag kRunThreads{"-t", "--threads", "N", "threads for -p cpu (default one per core)"};
constexpr Flag kOrderSeed{"", "--order-seed", "N", "runs the tasks in a random legal order"};
constexpr Flag kExplore{"", "--explore", "N", "also runs N orders that --rules allow"};
constexpr Flag kSaveData{"", "--save-data", "DIR", "saves inputs and outputs as .npy files"};
constexpr Flag kReplay{"", "--replay", "DIR", "reads inputs from .npy files or saved data"};
constexpr Flag kExpect{"", "--expect", "DIR", "compares outputs with .npy files"};

}  // namespace

const Command& run_command() {
  static const Command kCommand{
      .name = "run",
      .operand = "PROGRAM",
      .summary = "runs a program and compares its outputs with its formula",
      .flags = {kPlatform, kDevice,   kShape,  kSet,        kArg,  kPath,      kReference,
                kTiling,   kSeed,     kBudget, kRunThreads, kSums, kOrderSeed, kRules,
                kExplore,  kSaveData, kReplay, kExpect,     kJson, kHelp},
      .examples = {"run tour", "run tour --set n_tile=128 --json result.json",
                   "run tour --save-data data", "run tour --replay data",
                   "run layer.py --replay golden --expect golden",
                   "run tour --explore 20 --rules april-2026",
                   "run layer.py --reference qwen3/decode", "run qwen3/decode --sums fastest"},
      .run = run_run,
  };
  return kCommand;
}

}  // namespace tilewright::cli
