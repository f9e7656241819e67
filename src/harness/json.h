// Results as JSON text for other programs. docs/json.md lists the keys; they are stable.
#pragma once

#include <string>

#include "tilewright/harness/check.h"
#include "tilewright/harness/predict.h"
#include "tilewright/harness/result.h"
#include "tilewright/harness/side_by_side.h"
#include "tilewright/report/columns.h"

namespace tilewright::harness {

std::string to_json(const RunResult& result);
std::string to_json(const CheckResult& result);
std::string to_json(const SimResult& result);
// With what binds it (report's own data) and the page that shows it.
std::string to_json(const SimResult& result, const report::Object& binding, const std::string& page);
// Two predictions side by side; `page` is empty when none was asked for.
std::string to_json(const SideBySide& comparison, const std::string& page);
// Machines with every number, its standing and its source.
std::string to_json(const std::vector<platform::Platform>& platforms);
// One line of `calibrate`.
struct CalibrationRow {
  int row = 0;
  std::string what, quantity;
  double predicted = 0, measured = 0, limit = 0;
  bool near = false;
};
std::string to_json(const std::vector<CalibrationRow>& rows);
// Keys as the request sets them: its shape applies to every program of the catalog.
std::string to_json(const catalog::Catalog& catalog, const Request& request);

}  // namespace tilewright::harness
