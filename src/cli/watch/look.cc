#include "tilewright/cli/watch/look.h"

#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "tilewright/results/page_data.h"
#include "tilewright/session/doubt.h"
#include "tilewright/session/predict.h"

namespace tilewright::cli {
namespace {

void predict_into(Look& look, const session::Request& request) {
  session::TimedRun run = session::predict(*look.def, request, {.keep_slices = true});
  if (!run.passed()) {
    look.diagnostics = run.session->diagnostics();
    return;
  }
  session::add_doubt(run);
  look.us = run.profile->all.total_us;
  look.diagnostics = session::caveats(*run.session);
  look.data = std::make_shared<report::Object>(results::profile_data(run));
  look.run = std::make_shared<session::TimedRun>(std::move(run));
}

// Filled from any thread.
class FilesRead {
 public:
  void add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.insert(path);
  }
  std::set<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return paths_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> paths_;
};

}  // namespace

Look look_at_file(const Context& c, const std::string& operand, const session::Request& request) {
  const auto start = std::chrono::steady_clock::now();
  Look look;
  // The program reads its modules again whenever it is built with other constants, so what listens
  // lives as long as the program.
  const auto read = std::make_shared<FilesRead>();
  try {
    look.def = std::make_shared<const catalog::ProgramDef>(
        c.read(operand, [read](const std::string& path) { read->add(path); }));
    predict_into(look, request);
  } catch (const UserError& e) {
    look.diagnostics.add(e.diagnostic());
  } catch (const std::exception& e) {  // watching goes on: the next save may be better
    look.diagnostics.add({Severity::Error, "internal", e.what(), "in " + operand,
                          "this is a bug in tilewright, not an error in your input",
                          "report it with this file", ""});
  }
  look.files = read->all();
  look.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return look;
}

}  // namespace tilewright::cli
