// Settings of a program file, as comments at its margin:
//
//   # platform: a5
//   # rules: april-2026
//   # budget: vector=2048, cube=16384
//   # scalars: n=3
//   # data: lens=30, 90
//   # unbound: lens
//
// A tensor's data takes a line of its own; every other setting stands once, and what is not stated
// is as in Settings. A sentence that explains the program does not begin with a word and a colon.
//
// `# tilewright: program demo` is for the front end and makes the file a listing (docs/pypto.md): a
// name is one buffer, and a parameter has the direction it is declared with.
#pragma once

#include <string>

#include "steps.h"

namespace error_test {

// What cannot be understood is a failure of the running test, told with `file`.
Settings read_settings(const std::string& text, const std::string& file);

}  // namespace error_test
