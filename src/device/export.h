// A RunRecord in the files of a runtime: what `read_profile` reads. Tools for profiles of devices
// open predictions this way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::device {

// The forms that the file of records has had.
enum class RecordsForm : uint8_t {
  ChipSwimlane,  // since August 2026
  L2Swimlane,    // June and July 2026: rows in ticks
  L2SwimlaneUs,  // end of May 2026: objects in microseconds
  L2Perf,        // before: the same, with edges, without levels
};
// What records call the work of the runtime's threads: "dispatch".
std::string_view phase_kind(ir::RuntimeWork work);
std::string_view records_form_name(RecordsForm f);  // "chip-swimlane"
std::optional<RecordsForm> records_form(std::string_view name);
std::vector<std::string> records_form_names();

// What is written of one run.
struct Executed {
  const ir::Plan& plan;
  const ir::TaskGraph& graph;
  const ir::RuntimeGraph& order;
  const ir::RunRecord& record;  // with its phases, from level 3 on
  std::string program;
};

struct TextFile {
  std::string name, text;
};

// Ticks are picoseconds, so that no time is rounded. Submissions and the allocations before them
// are tasks of ring 0.
std::vector<TextFile> export_records(const Executed& run, RecordsForm form, int level);

}  // namespace tilewright::device
