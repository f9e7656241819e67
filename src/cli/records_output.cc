#include "tilewright/cli/records_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "tilewright/base/files.h"
#include "tilewright/base/text.h"

namespace tilewright::cli {
namespace {

constexpr uint64_t kMostLevel = 4;

device::RecordsForm form_of(const std::string& word) {
  if (const auto form = device::records_form(word)) return *form;
  const std::vector<std::string> names = device::records_form_names();
  user_error("command-line",
             fmt::format("no form {} of records{}", quote(word), did_you_mean(word, names)),
             "in --records-form",
             "runtimes of different dates write their records in different forms",
             fmt::format("use {}", join(names, ", ")));
}

int level_of(uint64_t number) {
  if (number >= 1 && number <= kMostLevel) return static_cast<int>(number);
  user_error("command-line", fmt::format("level {} of records", number), "in --records-level",
             "1 has the times of cores, 2 adds the scheduler's view of tasks, 3 its phases, 4 the "
             "orchestrator",
             "use 1, 2, 3 or 4");
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (std::filesystem::is_directory(path, error)) return;
  user_error("file", fmt::format("cannot make the directory {}", path), "in --records",
             "the files of a recording have fixed names and need a directory of their own",
             "name a directory that exists or can be made");
}

}  // namespace

RecordsOutput::RecordsOutput(const Context& c) : directory_(c.args.text("--records")) {
  if (c.args.has("--records-form")) form_ = form_of(c.args.text("--records-form"));
  if (const auto level = c.args.number("--records-level")) level_ = level_of(*level);
  for (const char* flag : {"--records-form", "--records-level"})
    if (!wanted() && c.args.has(flag))
      user_error("command-line", fmt::format("{} without --records", flag), "",
                 "this flag says how the files of --records are written",
                 "add --records DIR, or omit it");
  if (wanted()) make_directory(directory_);
}

std::string RecordsOutput::write(const session::TimedRun& run) const {
  std::vector<std::string> names;
  for (const device::TextFile& f : session::records(run, form_, level_)) {
    AtomicFile((std::filesystem::path(directory_) / f.name).string()).commit(f.text);
    names.push_back(f.name);
  }
  return fmt::format("records: {} in {}\n", join(names, ", "), directory_);
}

}  // namespace tilewright::cli
