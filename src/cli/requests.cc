#include "tilewright/cli/requests.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/sums.h"
#include "tilewright/data/program_file.h"
#include "tilewright/data/tiling_file.h"
#include "tilewright/session/predict.h"

namespace tilewright::cli {
namespace {

constexpr const char* kDefaultMachine = "a2a3sim";

// What the line itself sets comes before what the file says.
void apply_tiling(session::Request& request, const std::string& path, const std::string& program) {
  const data::TilingFile t = data::read_tiling(path);
  const auto refuse = [&](const std::string& what, const std::string& help) {
    user_error("tiling", what, fmt::format("in --tiling {}", path),
               "a tiling file applies only to its own program and shape", help);
  };
  if (t.program != program)
    refuse(fmt::format("the tiling is for program {}, not {}", t.program, program),
           fmt::format("use it with {}, or tune {}", t.program, program));
  if (!request.shape.empty() && request.shape != t.shape)
    refuse(fmt::format("the tiling is for shape {}, not {}", t.shape, request.shape),
           fmt::format("omit --shape, or tune {} for {}", program, request.shape));
  request.shape = t.shape;
  for (const auto& [key, value] : t.set) request.set.emplace(key, value);
}

// The machine of -p with the --override and --ideal of the command line.
void vary_machine(const Arguments& args, platform::Platform& machine) {
  for (const std::string& word : args.words("--override"))
    machine = platform::overridden(machine, word);
  for (const std::string& word : args.words("--ideal"))
    machine = platform::idealised(machine, word);
}

void refuse_variations(const Arguments& args) {
  for (const char* flag : {"--override", "--ideal", "--rules", "--unprofiled", "--extern"})
    if (args.has(flag))
      user_error("command-line", fmt::format("{} does not apply to cpu", flag), "",
                 "a run on cpu is measured; this flag changes only predictions for described "
                 "devices",
                 fmt::format("omit {}, or use -p a2a3sim", flag));
}

void refuse_sums(const Arguments& args) {
  if (args.has("--sums"))
    user_error("command-line", "--sums on a simulated platform", "",
               "--sums applies to runs on cpu; results of a simulated platform come from the "
               "reference interpreter, which adds in one order",
               "omit --sums, or run on -p cpu");
}

}  // namespace

// Flags that the command does not have are not given; two have another meaning in `tune`.
session::Request Context::request(const std::string& default_platform) const {
  return request_on(args.text("--platform", default_platform));
}

session::Request Context::request_on(const std::string& platform) const {
  session::Request request = session::request_for(platform);
  request.shape = args.text("--shape");
  const bool one_program = args.second.empty();  // --shape may be meant for the other one
  if (!request.shape.empty() && one_program && data::names_program_file(args.operand))
    user_error("shape-name", fmt::format("{} has no named shapes", args.operand),
               fmt::format("in --shape {}", request.shape),
               "the sizes of a .py file are its constants",
               fmt::format("{} list {} lists them; --arg sets them", terminal.command(),
                           shell_word(args.operand)));
  request.set = args.assignments();
  if (args.has("--tiling")) apply_tiling(request, args.text("--tiling"), program().name);
  if (args.command->takes(kSeed))
    request.seed = args.number("--seed").value_or(session::kDefaultSeed);
  if (args.command->takes(kBudget)) request.budget = args.budget();
  request.rules = args.text("--rules");
  request.external_us = args.microseconds();
  request.profiling = !args.has("--unprofiled");
  if (!request.simulated())
    request.instructions = chosen_instructions(*this, cpu::InstructionSet::exact());
  if (request.simulated()) vary_machine(args, request.platform.platform);
  if (request.simulated()) refuse_sums(args);
  return request;
}

session::Request prediction_request(const Context& c) {
  const session::Request request = c.request(kDefaultMachine);
  session::require_machine(request);
  return request;
}

session::Request timing_request(const Context& c) {
  const session::Request request = c.request(kDefaultMachine);
  if (!request.simulated()) refuse_variations(c.args);
  return request;
}

}  // namespace tilewright::cli
