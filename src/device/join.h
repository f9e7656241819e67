// The streams of a records file joined: when each core was told to execute what, when it did, and
// when the scheduler saw the end.
#pragma once

#include "tilewright/device/profile.h"
#include "tilewright/device/records_file.h"

namespace tilewright::device {

// UserError when the times span more than 63 bits of picoseconds.
Profile joined(RecordsFile file, const std::string& origin);

}  // namespace tilewright::device
