// The files that a runtime leaves in the directory of one run.
#pragma once

#include <string>

#include "tilewright/device/profile.h"

namespace tilewright::device {

// `path` is the directory or the file of records in it; `names` is a map of names, or empty for the
// one beside the records. UserError when there are no records, or a file is not what its name says.
Profile read_profile(const std::string& path, const std::string& names = "");

}  // namespace tilewright::device
