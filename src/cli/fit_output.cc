#include "tilewright/cli/fit_output.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "tilewright/base/text.h"
#include "tilewright/cli/progress.h"

namespace tilewright::cli {
namespace {

std::string value_text(const platform::Fact& f, double value) {
  return fmt::format("{:.4g}{}{}", value, f.unit.empty() ? "" : " ", f.unit);
}

std::string table(const session::ChipFit& fit) {
  Table numbers({"number", "was", "is", "within"});
  for (const platform::Fact& f : fit.counted)
    numbers.row({f.path, "", value_text(f, f.value), "counted"});
  for (const session::FittedNumber& n : fit.fitted)
    numbers.row({n.was.path, value_text(n.was, n.was.value), value_text(n.was, n.is),
                 fmt::format("{:.0f}%", std::ceil(100 * n.within))});
  return numbers.empty() ? "" : numbers.text("  ", kWidth);
}

// A machine of the user's own is extended by its own text.
std::string base_text(const Context& c, const session::Session& session) {
  const std::string word = c.args.text("--platform");
  return std::filesystem::is_regular_file(word)
             ? read_text(word)
             : fmt::format("{{\"extends\": \"{}\"}}", session.machine().name);
}

}  // namespace

FitOutput::FitOutput(const Context& c) : context_(c), path_(c.args.text("--fit")) {
  if (path_.empty()) return;
  if (c.args.second.empty())
    user_error("command-line", "--fit without a program", "",
               "numbers of a machine are fitted by predicting the program that ran",
               "name the program after the directory");
  if (c.args.has("--override"))
    user_error("command-line", "--fit together with --override", "",
               "the file says what differs from the machine of -p, not from a variation of it",
               "omit --override");
  file_.emplace(path_);
}

session::ChipFit FitOutput::write(session::DeviceRun& run) {
  Progress progress(context_.err, context_.terminal.progress);
  progress.begin("fit");
  session::ChipFit fit =
      session::fit_chip(run, [&](double fraction) { progress.update(fraction); });
  progress.end();
  const std::string stem = std::filesystem::path(path_).stem().string();
  file_->commit(session::fitted_platform(fit, base_text(context_, *run.predicted->session), stem,
                                         run.profile.file));
  return fit;
}

std::string FitOutput::text(const session::ChipFit& fit) const {
  std::string out = "\nnumbers that this profile decides\n" + table(fit);
  if (fit.fitted.empty() && fit.counted.empty()) out += "  none\n";
  out += fmt::format("times of the run predicted {:.1f} % off before, {:.1f} % after\n",
                     100 * fit.error_before, 100 * fit.error_after);
  if (!fit.together.empty()) {
    const std::string list =
        "left as they are, since the run shows them only together with others: " +
        join(fit.together, ", ");
    for (const std::string& line : wrapped(list, kWidth)) out += line + "\n";
  }
  return out + fmt::format("platform: {}\n", path_);
}

}  // namespace tilewright::cli
