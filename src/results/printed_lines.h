// The heat of a program's lines when its source cannot be read, as with built-in programs outside
// their repository: the program is printed, and the lines are those of its text.
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

// Reads the printed text back, which gives the same program with its places in the text, and
// simulates that. Nothing when the text does not give the same kernels.
std::optional<PrintedLines> printed_lines(session::Session& session);

}  // namespace tilewright::results
