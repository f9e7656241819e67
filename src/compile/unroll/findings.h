// Problems found while unrolling. The same op fails the same way in many tasks; it is told once, with
// the number of tasks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilewright/compile/pass_context.h"

namespace tilewright::compile {

// A tensor that the path taken has not created or computed.
Problem never_made(const ir::Var& array, std::string_view used);

class Findings {
 public:
  explicit Findings(const ir::Program& program) : program_(program) {}

  // `subject` tells apart places within one statement; usually the statement's address.
  void add(const void* subject, const Place& place, std::string_view scope, std::string_view detail,
           Problem problem);
  // Whether it has been told, and is counted now: nobody needs to put it into words.
  bool again(const void* subject, const std::string& code, Severity severity);
  bool has_errors() const { return errors_ > 0; }
  // Not every task was looked at: the number of times is a lower bound.
  void counts_are_least() { least_ = true; }
  void finish(Diagnostics& out) const;

 private:
  struct Entry {
    Diagnostic diagnostic;
    int64_t count = 1;
  };
  const ir::Program& program_;
  std::map<std::pair<const void*, std::string>, std::size_t> index_;
  std::vector<Entry> entries_;
  int64_t errors_ = 0;
  bool least_ = false;
};

}  // namespace tilewright::compile
