// `emit`: a program as sources for a device's toolchain.
#include <fmt/format.h>

#include <optional>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/emit/directory.h"
#include "tilewright/session/emitted.h"

namespace tilewright::cli {
namespace {

constexpr const char* kDevice = "a2a3";

void require_device(const std::string& platform) {
  if (platform == kDevice || platform == std::string(kDevice) + "sim") return;
  user_error("emit", fmt::format("emit writes no kernels for {}", platform),
             fmt::format("in --platform {}", platform),
             "emitted kernels call PTO-ISA as it is on a2a3", "use -p a2a3");
}

std::string directory(const Context& c) {
  if (c.args.has("--output")) return c.args.text("--output");
  user_error("command-line", "emit needs -o DIR", "", "emit writes a directory of sources",
             "add -o and the name of a new directory");
}

// The program as it was asked for.
std::string request_text(const session::Session& s) {
  std::string out = s.name();
  if (!s.shape().empty()) out += " --shape " + s.shape();
  for (const auto& [key, value] : s.request().set) out += fmt::format(" --set {}={}", key, value);
  return out;
}

void print(std::ostream& out, const std::vector<emit::File>& files) {
  for (const emit::File& f : files) out << "==> " << f.path << " <==\n" << f.text << "\n";
}

int run_emit(const Context& c) {
  const std::string platform = c.args.text("--platform", kDevice);
  require_device(platform);
  const std::string name = directory(c);
  std::optional<emit::Directory> output;
  if (name != "-") output.emplace(name);
  const catalog::ProgramDef& def = c.program();
  const session::Request request = c.request_on(std::string(kDevice) + "sim");
  const session::Emitted r =
      session::emit_program(def, request, request_text(session::Session(def, request)));
  print_diagnostics(c, c.err, r.diagnostics);
  if (r.files.empty()) return kFailed;
  if (!output) {
    print(c.out, r.files);
    return kFine;
  }
  output->write(r.files);
  c.out << fmt::format("{} in {}: {} and an orchestration for PTO-ISA {:.7} and simpler {:.7}\n",
                       counted(static_cast<int64_t>(r.files.size()), "file"), name,
                       counted(static_cast<int64_t>(r.files.size()) - 4, "kernel"),
                       emit::kPtoIsaRevision, emit::kSimplerRevision);
  return kFine;
}

constexpr Flag kOutput{"-o", "--output", "DIR",
                       "new directory, or one of emit; - prints the files"};
constexpr Flag kTarget{"-p", "--platform", "NAME", "a2a3 (default)"};

}  // namespace

const Command& emit_command() {
  static const Command kCommand{
      .name = "emit",
      .operand = "PROGRAM",
      .summary = "writes a program as sources for the device's toolchain",
      .flags = {kOutput, kTarget, kShape, kSet, kArg, kPath, kReference, kTiling, kSeed, kBudget,
                kHelp},
      .examples = {"emit qwen3/scope3 -o scope3 -p a2a3", "emit layer.py -o layer"},
      .run = run_emit,
  };
  return kCommand;
}

}  // namespace tilewright::cli
