// Source-line attribution for programs whose source is not available, such as built-in programs
// outside their repository: the program is printed, and time is attributed to the lines of that
// text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/report/line_shares.h"
#include "tilewright/session/session.h"

namespace tilewright::results {

struct PrintedLines {
  std::string name;               // in place of a file's
  std::vector<std::string> text;  // as `show` prints it
  std::vector<report::LineShare> shares;
};

// Reads the printed text back, which gives the same program with places in that text, and simulates
// it. Nothing when the text does not give the same kernels.
std::optional<PrintedLines> printed_lines(session::Session& session);

}  // namespace tilewright::results
