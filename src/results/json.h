// Results as JSON text for other programs. docs/json.md lists the keys; they are stable.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tilewright/session/check.h"
#include "tilewright/session/chip_fit.h"
#include "tilewright/session/device_run.h"
#include "tilewright/session/predict.h"
#include "tilewright/session/result.h"
#include "tilewright/session/side_by_side.h"
#include "tilewright/session/why.h"

namespace tilewright::results {

std::string to_json(const session::RunResult& result);
// The profile of a device, beside its prediction if there is one, and what was fitted to it.
std::string to_json(const session::DeviceRun& run, const std::string& page = "",
                    const session::ChipFit* fit = nullptr, const std::string& fit_file = "");
std::string to_json(const session::CheckResult& result);
// With the explanation of `sim --why`, if it was asked for.
std::string to_json(const session::TimedRun& run, const std::optional<session::Why>& why = {});
// With what binds the program (as in the data of the page) and the path of the page.
std::string to_json(const session::TimedRun& run, const nlohmann::ordered_json& binding,
                    const std::string& page);
// Two predictions side by side; `page` is empty when none was asked for.
std::string to_json(const session::SideBySide& comparison, const std::string& page);
// Machines with every number, its standing and its source.
std::string to_json(const std::vector<platform::Platform>& platforms);
// Keys have the values that the request sets; its shape applies to every program of the catalog.
std::string to_json(const catalog::Catalog& catalog, const session::Request& request);

}  // namespace tilewright::results
