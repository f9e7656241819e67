// What to do with a request for a device: none is attached here, and programs get there another
// way.
#pragma once

#include "tilewright/cli/context.h"

namespace tilewright::cli {

// Throws UserError when the line asks for a device, with -p a2a3 or -d 7, and names the commands
// that bring the program to one and its profile back.
void require_no_device(const Context& c);

}  // namespace tilewright::cli
