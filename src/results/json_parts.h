// Pieces of JSON that several results share.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/catalog/catalog.h"
#include "tilewright/ir/plan.h"
#include "tilewright/report/columns.h"
#include "tilewright/report/profile.h"
#include "tilewright/session/session.h"
#include "tilewright/session/timed_run.h"

namespace tilewright::results {

using report::Object;

Object diagnostics_json(const Diagnostics& diagnostics);
Object keys_json(const std::vector<catalog::Key>& keys);
Object memory_json(const ir::Plan& plan);
// Times, bytes and the roofline of a prediction as members of `j`.
void add_figures(Object& j, const report::Figures& figures);
// Null when there is none.
Object interval_json(const std::optional<report::Interval>& interval);
Object stages_json(const report::Profile& profile);
// Its first 1000 steps.
Object path_json(const report::CriticalPath& path, const ir::Plan& plan,
                 const ir::TaskGraph& graph);
// Program, shape, platform and keys: the first members of every result.
Object session_json(const session::Session& session);
Object timed_run_json(const session::TimedRun& run);

}  // namespace tilewright::results
