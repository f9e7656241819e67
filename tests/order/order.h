// The submissions of a program as the original's runtime would see them, and the edges we give
// them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/session/session.h"

namespace order_test {

struct Case {
  std::string name;     // of the dependence file in original/
  std::string program;  // of the catalog, or a file in programs/
  std::string rules;
  std::string shape = {};
};
const std::vector<Case>& cases();

class Ordered {
 public:
  explicit Ordered(const Case& c);

  // One line per submission and one for each of its arguments and stated predecessors: the input of
  // a tool that lets the original's runtime derive its edges (README.md).
  std::string submissions() const;
  // "successor: predecessors", one line per submission that has any.
  std::string edges();

 private:
  tilewright::catalog::ProgramDef def_;
  std::unique_ptr<tilewright::session::Session> session_;
};

}  // namespace order_test
