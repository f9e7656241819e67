// An output as a document has it, against what a command printed.
#pragma once

#include <string>
#include <vector>

namespace tilewright::documents {

using Lines = std::vector<std::string>;

// Numbers as "#", and one space for several: what differs between machines is left out.
std::string masked(const std::string& line);

// Empty if they agree, else the first expected line that was not printed. `mask`: as masked.
struct Disagreement {
  bool found = false;
  std::string expected;
};
Disagreement disagreement(const Lines& expected, const Lines& printed, bool mask);

// The output for the document: each expected line gives way to the printed one that differs from it
// in numbers only; "..." stays. Where no such line was printed, all of the printed lines.
Lines renewed(const Lines& expected, const Lines& printed);

}  // namespace tilewright::documents
