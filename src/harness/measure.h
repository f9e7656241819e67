// A program executed on this CPU and when each of its tasks ran: a record like that of a
// prediction, for the same tables and pages.
#pragma once

#include "tilewright/harness/predict.h"

namespace tilewright::harness {

// On generated inputs, once to warm up and once for the record. `request` is for the platform cpu.
SimResult measure(const catalog::ProgramDef& def, SimRequest request);

}  // namespace tilewright::harness
