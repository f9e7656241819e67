#include "tilewright/cli/watch/look.h"

#include <chrono>
#include <nlohmann/json.hpp>

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

}  // namespace

Look look_at_file(const Context& c, const std::string& operand, const session::Request& request) {
  const auto start = std::chrono::steady_clock::now();
  Look look;
  try {
    look.def = std::make_shared<const catalog::ProgramDef>(
        c.read(operand, [&](const std::string& path) { look.files.insert(path); }));
    predict_into(look, request);
  } catch (const UserError& e) {
    look.diagnostics.add(e.diagnostic());
  } catch (const std::exception& e) {  // watching goes on: the next save may be better
    look.diagnostics.add({Severity::Error, "internal", e.what(), "in " + operand,
                          "this is a bug of tilewright, not a mistake of yours",
                          "please report it with this file", ""});
  }
  look.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return look;
}

}  // namespace tilewright::cli
