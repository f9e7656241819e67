// Results as JSON text for other programs. docs/json.md lists the keys; they are stable.
#pragma once

#include <string>

#include "tilewright/harness/check.h"
#include "tilewright/harness/result.h"

namespace tilewright::harness {

std::string to_json(const RunResult& result);
std::string to_json(const CheckResult& result);
// Keys as the request sets them: its shape applies to every program of the catalog.
std::string to_json(const catalog::Catalog& catalog, const Request& request);

}  // namespace tilewright::harness
