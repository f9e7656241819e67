// Errors in the user's input, as four lines: what with numbers, where, the rule, and a fix.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "tilewright/base/place.h"

namespace tilewright {

enum class Severity { Error, Warning, Note };

// Another place that a message names: the second side of a race, what is alive at a peak.
struct RelatedPlace {
  Place place;
  std::string words;  // what the message says of it
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;   // stable short id such as "bounds"; listed in docs/errors.md
  std::string what;   // one line, with the numbers
  std::string where;  // "at file:line, program p, scope s, op"
  std::string law;    // the rule that was broken, in one sentence
  std::string help;   // what to change
  std::string excerpt;  // optional source line and caret, printed under `where`
  // The places of the words above, for editors; an unknown place if they name none.
  Place place = {};
  std::vector<RelatedPlace> related = {};

  std::string text() const;
};

class Diagnostics {
 public:
  void add(Diagnostic d) { list_.push_back(std::move(d)); }
  void append(const Diagnostics& other);
  bool has_errors() const;
  std::size_t error_count() const;
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  std::string text() const;

 private:
  std::vector<Diagnostic> list_;
};

// The user's mistake found where work cannot go on: in the request (a bad flag, path or number), or
// in a program.
class UserError : public std::runtime_error {
 public:
  explicit UserError(Diagnostic d);
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

// A mistake in a program, not in the request: what its text says, or what its data makes it do.
class ProgramError : public UserError {
 public:
  using UserError::UserError;
};

[[noreturn]] void user_error(std::string code, std::string what, std::string where, std::string law,
                             std::string help);
[[noreturn]] void program_error(std::string code, std::string what, std::string where,
                                std::string law, std::string help);

}  // namespace tilewright
