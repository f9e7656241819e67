// `bench`: tokens per second of a model in the columns of llama-bench and llama-batched-bench, each
// beside the limits of this machine, measured in the same run.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_text.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/json_output.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/runtime/measure.h"

namespace tilewright::cli {
namespace {

using runtime::Limits;
using runtime::Load;
using runtime::Machine;
using runtime::Series;
using runtime::Timing;
using Json = nlohmann::ordered_json;

std::vector<int64_t> batches_of(const Context& c) {
  std::vector<int64_t> batches;
  for (const std::string& word : split(c.args.text("--npl", "1,4,16"), ',')) {
    const auto n = whole_number(word);
    if (!n || *n < 0 || *n > 4096)
      refuse_value(fmt::format("--npl \"{}\" is not a list of whole numbers up to 4096",
                               c.args.text("--npl")),
                   "write for example --npl 1,4,16");
    if (*n > 0) batches.push_back(*n);
  }
  return batches;
}

struct Sizes {
  int64_t depth, prompt, gen, repeats, ntg, npp;
  std::vector<int64_t> batches;

  // Sizes that are not given fit the longest context of the model.
  Sizes(const Context& c, int64_t longest)
      : depth(number(c, "--n-depth", 0)),
        prompt(number(c, "--n-prompt", std::min<int64_t>(512, longest))),
        gen(number(c, "--n-gen", std::clamp<int64_t>(longest - depth, 1, 128))),
        repeats(number(c, "--repetitions", 3)),
        ntg(number(c, "--ntg", std::clamp<int64_t>(longest / 2, 1, 32))),
        npp(number(c, "--npp", std::clamp<int64_t>(longest - ntg, 1, 128))),
        batches(batches_of(c)) {
    if (repeats == 0) refuse_value("-r 0 requests no measurements", "write for example -r 3");
    if (prompt == 0 && gen == 0 && batches.empty())
      refuse_value("nothing to measure", "set -p, -n or --npl to more than 0");
    if (ntg == 0) refuse_value("--ntg of 0 tokens", "write for example --ntg 32");
  }
  int64_t context() const { return std::max({prompt, depth + gen, npp + ntg, int64_t{1}}); }
  int64_t slots() const {
    return batches.empty() ? 1 : *std::max_element(batches.begin(), batches.end());
  }

 private:
  static int64_t number(const Context& c, const char* flag, int64_t otherwise) {
    const uint64_t n = c.args.number(flag).value_or(static_cast<uint64_t>(otherwise));
    if (n > 1'000'000) refuse_value(fmt::format("{} {}", flag, n), "give at most 1000000");
    return static_cast<int64_t>(n);
  }
};

// One row of llama-bench: of a prompt, or of decoding after `depth` tokens.
class Single {
 public:
  Single(std::string name, const Timing& t, const Limits& limits)
      : name_(std::move(name)),
        rate_(t.tokens / t.seconds.mean()),
        deviation_(rate_ * t.seconds.deviation() / t.seconds.mean()),
        limit_(t.tokens / t.work.least_seconds(limits)),
        reach_(t.reach(limits)),
        of_fma_(t.of_fma(limits)),
        gb_(t.work.bytes / t.seconds.best() / 1e9),
        gf_((t.work.flops + t.work.integer_ops) / t.seconds.best() / 1e9) {}

  static constexpr const char* kHeader =
      "| test         |              t/s |  limit t/s |   reach |  of fma |   GB/s |   GF/s |\n"
      "| ------------ | ---------------: | ---------: | ------: | ------: | -----: | -----: |\n";
  std::string row() const {
    return fmt::format(
        "| {:<12} | {:>16} | {:>10.2f} | {:>5.1f} % | {:>5.1f} % | {:>6.1f} | {:>6.1f} |\n", name_,
        fmt::format("{:.2f} \u00b1 {:.2f}", rate_, deviation_), limit_, reach_ * 100, of_fma_ * 100,
        gb_, gf_);
  }
  Json json() const {
    return {{"test", name_},           {"tokens_per_second", rate_},
            {"deviation", deviation_}, {"limit", limit_},
            {"reach", reach_},         {"of_fma", of_fma_}};
  }

 private:
  std::string name_;
  double rate_, deviation_, limit_, reach_, of_fma_, gb_, gf_;
};

constexpr const char* kBatchedHeader =
    "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s | "
    "   S t/s | reach PP | reach TG | fma PP  | fma TG  |\n"
    "|-------|--------|------|--------|----------|----------|----------|----------|----------|-"
    "---------|----------|----------|---------|---------|\n";

// Shares of the limits; of a prompt of no tokens, 0.
struct Shares {
  double prompt_reach = 0, decode_reach = 0, prompt_of_fma = 0, decode_of_fma = 0;

  explicit Shares(const Series& s)
      : decode_reach(s.decode.reach(s.limits)), decode_of_fma(s.decode.of_fma(s.limits)) {
    if (s.load.prompt == 0) return;
    prompt_reach = s.prompt.reach(s.limits);
    prompt_of_fma = s.prompt.of_fma(s.limits);
  }
};

std::string batched_row(const Series& s) {
  const double pp = s.prompt.seconds.best(), tg = s.decode.seconds.best();
  const Shares shares(s);
  return fmt::format(
      "| {:>5} | {:>6} | {:>4} | {:>6} | {:>8.3f} | {:>8.2f} | {:>8.3f} | {:>8.2f} | {:>8.3f} | "
      "{:>8.2f} | {:>6.1f} % | {:>6.1f} % | {:>5.1f} % | {:>5.1f} % |\n",
      s.load.prompt, s.load.count, s.load.batch, s.load.batch * (s.load.prompt + s.load.count), pp,
      s.prompt.tokens / pp, tg, s.decode.tokens / tg, pp + tg,
      (s.prompt.tokens + s.decode.tokens) / (pp + tg), shares.prompt_reach * 100,
      shares.decode_reach * 100, shares.prompt_of_fma * 100, shares.decode_of_fma * 100);
}

Json batched_json(const Series& s) {
  const Shares shares(s);
  return {{"pp", s.load.prompt},
          {"tg", s.load.count},
          {"batch", s.load.batch},
          {"prompt_seconds", s.prompt.seconds.best()},
          {"decode_seconds", s.decode.seconds.best()},
          {"prompt_reach", shares.prompt_reach},
          {"decode_reach", shares.decode_reach},
          {"prompt_of_fma", shares.prompt_of_fma},
          {"decode_of_fma", shares.decode_of_fma}};
}

// The best of several limits.
void take_best(Limits& best, const Limits& found) {
  best.bytes_per_second = std::max(best.bytes_per_second, found.bytes_per_second);
  best.flops_per_second = std::max(best.flops_per_second, found.flops_per_second);
  best.fma_flops_per_second = std::max(best.fma_flops_per_second, found.fma_flops_per_second);
  best.integer_ops_per_second = std::max(best.integer_ops_per_second, found.integer_ops_per_second);
}

void print_stages(const Context& c, runtime::Engine& engine) {
  if (!c.args.has("--stages")) return;
  auto stages = engine.take_kernel_seconds();
  std::ranges::sort(stages, [](const auto& a, const auto& b) { return a.second > b.second; });
  double all = 0;
  for (const auto& s : stages) all += s.second;
  std::vector<std::string> words;
  for (const auto& [name, seconds] : stages)
    words.push_back(fmt::format("{} {:.1f} %", name, seconds / all * 100));
  c.words() << "  " << join(words, ", ")
            << fmt::format("; {:.3f} thread seconds in total; tasks created in {:.1f} ms\n", all,
                           engine.tasks_seconds() * 1e3);
}

int run_bench(const Context& c) {
  const std::string path = c.model_path();
  JsonOutput json(c);
  const auto model = checkpoint::open_checkpoint(path);
  const Sizes sizes(c, model.config.max_positions);
  runtime::EngineOptions options = engine_options(c);
  options.context = sizes.context();
  options.slots = sizes.slots();
  const double start = runtime::now_seconds();
  const auto engine = load_engine(c, model, options);
  const double load_seconds = runtime::now_seconds() - start;
  Machine machine(engine->pool(), engine->instructions());
  machine.read_from(engine->weight_regions());
  Limits best;  // of the whole run, told at its end

  std::ostream& out = c.words();
  out << fmt::format("{}: {} parameters, {} threads, {}, {}, {} of weights loaded in {:.2f} s\n\n",
                     path, model.parameter_count(), engine->pool().threads(),
                     engine->instructions().name(), engine->instructions().sums_text(),
                     human_bytes(engine->memory_bytes()), load_seconds)
      << std::flush;  // what follows takes seconds
  runtime::measure(*engine, {1, std::min<int64_t>(sizes.context(), 32), 0});  // warms up
  engine->take_kernel_seconds();
  Json j{{"path", path},
         {"threads", engine->pool().threads()},
         {"kernels", engine->instructions().name()},
         {"sums", engine->instructions().sums()},
         {"load_seconds", load_seconds}};
  std::vector<Single> singles;
  const auto single = [&](const std::string& name, const Load& load, bool of_prompt) {
    const Series s = runtime::measure_series(*engine, machine, load, sizes.repeats);
    take_best(best, s.limits);
    singles.emplace_back(name, of_prompt ? s.prompt : s.decode, s.limits);
    if (singles.size() == 1) out << Single::kHeader;
    out << singles.back().row() << std::flush;
    print_stages(c, *engine);
    j["single"].push_back(singles.back().json());
  };
  const std::string at = sizes.depth > 0 ? fmt::format(" @ d{}", sizes.depth) : "";
  if (sizes.prompt > 0) single(fmt::format("pp{}", sizes.prompt), {1, sizes.prompt, 0}, true);
  if (sizes.gen > 0)
    single(fmt::format("tg{}{}", sizes.gen, at), {1, sizes.depth, sizes.gen}, false);
  bool first = true;
  for (const int64_t batch : sizes.batches) {
    const Series s =
        runtime::measure_series(*engine, machine, {batch, sizes.npp, sizes.ntg}, sizes.repeats);
    take_best(best, s.limits);
    if (first) out << (singles.empty() ? "" : "\n") << kBatchedHeader;
    first = false;
    out << batched_row(s) << std::flush;
    print_stages(c, *engine);
    j["batched"].push_back(batched_json(s));
  }
  out << fmt::format(
      "\nlimits in this run: {:.1f} GB/s, {:.1f} GF/s of products, {:.1f} GF/s of fma, "
      "{:.1f} Gop/s of bytes\n",
      best.bytes_per_second / 1e9, best.flops_per_second / 1e9, best.fma_flops_per_second / 1e9,
      best.integer_ops_per_second / 1e9);
  j["bytes_per_second"] = best.bytes_per_second;
  j["flops_per_second"] = best.flops_per_second;
  j["fma_flops_per_second"] = best.fma_flops_per_second;
  j["integer_ops_per_second"] = best.integer_ops_per_second;
  json.write(json_text(j));
  return kFine;
}

constexpr Flag kBenchPrompt{"-p", "--n-prompt", "N", "prompt length in tokens (default 512)"};
constexpr Flag kBenchGen{"-n", "--n-gen", "N", "tokens to generate one by one (default 128)"};
constexpr Flag kBenchDepth{"-d", "--n-depth", "N", "context length before each test (default 0)"};
constexpr Flag kNpl{"", "--npl", "N,N,...", "batch sizes to test (default 1,4,16); 0 for none"};
constexpr Flag kNpp{"", "--npp", "N", "prompt tokens per sequence of a batch (default 128)"};
constexpr Flag kNtg{"", "--ntg", "N", "generated tokens per sequence (default 32)"};
constexpr Flag kRepeats{"-r", "--repetitions", "N", "measurements per test (default 3)"};
constexpr Flag kStages{"", "--stages", "", "also prints thread time by stage"};

}  // namespace

const Command& bench_command() {
  static const Command kCommand{
      .name = "bench",
      .operand = "",
      .summary = "measures a model against the limits of this machine",
      .flags = {kModel, kBenchPrompt, kBenchGen, kBenchDepth, kNpl, kNpp, kNtg, kRepeats,
                kEngineThreads, kSums, kCacheType, kStages, kJson, kHelp},
      .examples = {"bench -m qwen3-0.6b",
                   "bench -m qwen3-0.6b -p 0 -n 0 --npl 1,2,4,8,16 --npp 512"},
      .note =
          "reach = limit / best measured time. The limit is the time to read the bytes and\n"
          "to do the multiply-adds of a test at the best rates measured around that test.\n"
          "fma compares the multiply-add rate with the best rate of FMA instructions. It\n"
          "exceeds 100 % where AMX or dot products of BF16 compute the products. Sizes that\n"
          "are not given fit the context of the model.",
      .run = run_bench,
  };
  return kCommand;
}

}  // namespace tilewright::cli
