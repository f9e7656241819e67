// Pieces of JSON results that several commands share. For the harness's own sources.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/catalog/catalog.h"
#include "tilewright/harness/predict.h"
#include "tilewright/ir/plan.h"
#include "tilewright/report/profile.h"

namespace tilewright::harness {

using Object = nlohmann::ordered_json;  // members in the order they are written

Object diagnostics_json(const Diagnostics& diagnostics);
Object keys_json(const std::vector<catalog::Key>& keys);
Object memory_json(const ir::Plan& plan);
// Times, bytes and the roofline of a prediction as members of `j`.
void add_figures(Object& j, const report::Figures& figures);
Object sim_json(const SimResult& result);
Object stages_json(const report::Profile& profile);
// A user's text may hold any bytes; a report is written all the same.
std::string text_of(const Object& j);

}  // namespace tilewright::harness
