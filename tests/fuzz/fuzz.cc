// The builder fuzzer: random programs through check, passes and golden in random task orders.
//   fuzz --programs N | --seconds S  [--seed FIRST] [--verbose]
// What must hold for each program:
//   - nothing crashes, and the listing after every pass prints;
//   - when the checker finds no error, golden runs the program, and the tasks after the passes give
//     the same bits in submission order and in random legal orders;
//   - the kernels, executed at their addresses with their units interleaved at random, have no race
//     and give the same bits;
//   - the listing of the program, read back, is the same program: listing, plan and bits;
//   - when golden refuses to run a program, the checker had refused it too.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "generator.h"
#include "tilewright/base/rng.h"
#include "tilewright/compile/compile.h"
#include "tilewright/frontend/frontend.h"
#include "tilewright/golden/exact.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/print.h"

namespace tilewright::fuzz {
namespace {

using Arrays = std::vector<HostArray>;

Arrays make_inputs(const ir::Program& program, uint64_t seed) {
  Arrays arrays;
  for (const ir::Param& param : program.params) {
    const ir::Var& v = program[param.var];
    HostArray a(v.dtype, v.shape);
    Rng rng(seed_for(seed, v.name.c_str()));
    for (int64_t i = 0; i < a.size(); ++i)
      a.set(i, v.dtype == DType::I32 ? static_cast<double>(rng.integer(0, 4)) : rng.uniform() * 2 - 1);
    arrays.push_back(std::move(a));
  }
  return arrays;
}

ir::Bindings bind(Arrays& arrays) {
  ir::Bindings b;
  for (HostArray& a : arrays) b.arrays.push_back(&a);
  b.scalars.resize(arrays.size());
  return b;
}

Arrays copy(const Arrays& arrays) {
  Arrays out;
  for (const HostArray& a : arrays) out.push_back(a.clone());
  return out;
}

struct Outcome {
  bool legal = false;
  bool writes_overlap_unordered = false;
  std::string trouble;  // empty = all properties hold
};

std::string first_difference(const ir::Program& program, const Arrays& a, const Arrays& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].same_bits(b[i])) continue;
    for (int64_t e = 0; e < a[i].size(); ++e)
      if (std::memcmp(a[i].data() + bytes_of(a[i].dtype(), e), b[i].data() + bytes_of(a[i].dtype(), e),
                      static_cast<std::size_t>(bytes_of(a[i].dtype(), 1))) != 0)
        return fmt::format("{} element {}: {} and {}", program[program.params[i].var].name, e,
                           a[i].at(e), b[i].at(e));
  }
  return "";
}

// The listing, read back, is the same program: the same listing, plan and bits.
struct ReadBack {
  ir::Program program;
  std::string trouble;
};

ReadBack read_back(const ir::Program& program) {
  const std::string text = ir::print(program);
  ReadBack out{frontend::File::parse("listing.py", text).lower("", {}).program, ""};
  if (out.program.diagnostics.has_errors()) {
    out.trouble = "the listing is refused:\n" + out.program.diagnostics.text();
  } else if (const std::string again = ir::print(out.program); again != text) {
    out.trouble = "the listing is read back as another one:\n" + again;
  }
  return out;
}

std::string same_meaning(const ir::Program& read, const ir::Plan& plan, const Arrays& inputs,
                         const Arrays& expected, const platform::Platform& platform) {
  Diagnostics diagnostics;
  const auto again = compile::compile(read, platform, {}, diagnostics);
  if (!again || ir::print(*again) != ir::print(plan)) return "the listing is compiled to another plan";
  Arrays arrays = copy(inputs);
  golden::run_program(read, bind(arrays));
  const std::string difference = first_difference(read, expected, arrays);
  return difference.empty() ? "" : "the listing computes something else: " + difference;
}

// In program order, and in random interleavings of the units.
std::string at_addresses(const ir::Plan& plan, const ir::TaskGraph& graph, const Arrays& inputs,
                         const Arrays& expected, uint64_t seed) {
  for (uint64_t order = 0; order < 4; ++order) {
    Arrays actual = copy(inputs);
    golden::ExactOptions options;
    if (order > 0) options.seed = seed * 7 + order;
    const golden::ExactResult result = golden::run_exact(plan, graph, bind(actual), options);
    if (!result.findings.empty())
      return fmt::format("interleaving {}: {}", order, result.findings.front().text);
    if (const std::string d = first_difference(plan.program, expected, actual); !d.empty())
      return fmt::format("interleaving {}: {}", order, d);
  }
  return "";
}

Outcome try_program(uint64_t seed, const platform::Platform& platform) {
  Outcome outcome;
  const ir::Program program = random_program(seed);
  std::optional<ReadBack> copy_of_listing;
  if (!program.diagnostics.has_errors()) {
    copy_of_listing = read_back(program);
    outcome.trouble = copy_of_listing->trouble;
    if (!outcome.trouble.empty()) return outcome;
  }
  const Arrays inputs = make_inputs(program, seed);
  Diagnostics diagnostics;
  compile::Options options;
  std::size_t listed = 0;
  options.observe = [&](std::string_view, const ir::Plan& plan) { listed += ir::print(plan).size(); };
  const auto plan = compile::compile(program, platform, options, diagnostics);
  Arrays work = copy(inputs);
  std::optional<ir::TaskGraph> graph;
  if (plan) graph = compile::unroll(*plan, bind(work), diagnostics);
  outcome.legal = graph.has_value();

  Arrays expected = copy(inputs);
  std::string refusal;
  try {
    if (!program.diagnostics.has_errors()) golden::run_program(program, bind(expected));
  } catch (const UserError& e) {
    refusal = e.what();
  }
  if (!outcome.legal) return outcome;
  if (!refusal.empty()) {
    outcome.trouble = "golden refuses what the checker accepts:\n" + refusal;
    return outcome;
  }
  (void)ir::print(*plan, *graph);
  if (const std::string trouble = same_meaning(copy_of_listing->program, *plan, inputs, expected, platform);
      !trouble.empty()) {
    outcome.trouble = trouble;
    return outcome;
  }
  for (uint64_t order = 0; order < 4; ++order) {
    Arrays actual = copy(inputs);
    golden::run_tasks(*plan, *graph, bind(actual),
                      order == 0 ? std::nullopt : std::optional<uint64_t>(seed * 7 + order));
    const std::string difference = first_difference(program, expected, actual);
    if (difference.empty()) continue;
    outcome.trouble = fmt::format("order {}: {}", order, difference);
    return outcome;
  }
  if (platform.device) outcome.trouble = at_addresses(*plan, *graph, inputs, expected, seed);
  return outcome;
}

int run(int argc, char** argv) {
  int64_t programs = 200;
  double seconds = 0;
  uint64_t seed = 1;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string("0"); };
    if (flag == "--programs") programs = std::stoll(value());
    if (flag == "--seconds") seconds = std::stod(value());
    if (flag == "--seed") seed = std::stoull(value());
    if (flag == "--verbose") verbose = true;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  int64_t tried = 0;
  int64_t legal = 0;
  int64_t bad = 0;
  for (; seconds > 0 ? elapsed() < seconds : tried < programs; ++tried, ++seed) {
    const char* names[] = {"cpu", "a2a3", "a5"};
    const auto& platform = platform::builtin_platform(names[seed % 3]);
    if (verbose) fmt::print(stderr, "seed {}\n", seed);
    Outcome outcome;
    try {
      outcome = try_program(seed, platform);
    } catch (const std::exception& e) {
      outcome.trouble = e.what();
    }
    legal += outcome.legal;
    if (outcome.trouble.empty()) continue;
    ++bad;
    fmt::print("seed {} on {}: {}\n", seed, platform.name, outcome.trouble);
    if (verbose) fmt::print("{}\n", ir::print(random_program(seed)));
    if (bad >= 10) break;
  }
  fmt::print("{} programs, {} legal, {} in trouble, {:.1f} s\n", tried, legal, bad, elapsed());
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tilewright::fuzz

int main(int argc, char** argv) { return tilewright::fuzz::run(argc, argv); }
