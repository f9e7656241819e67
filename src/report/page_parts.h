// The parts of a page's data; each is one column set or list of docs/reports.md. For report's own
// sources.
#pragma once

#include "tilewright/report/page.h"

namespace tilewright::report {

Object tasks_data(const Executed& e);    // columns by task, and who waits for whom
Object path_data(const Executed& e);     // the critical path
Object stages_data(const Executed& e);   // the table of kernels and their traffic
Object kernels_data(const Executed& e);  // pipes inside one task, tiles in memories
Object gm_values_data(const Executed& e);
Object lines_data(const Executed& e, const PageInfo& info);
Object sources_data(const Object& lines, const PageInfo& info);  // their files, line by line

// "models/qwen3/scope3.cc:93", or empty.
std::string place_text(const Place& place);

}  // namespace tilewright::report
