// The original's language changed from day to day: words came, were renamed, and left. A listing
// for a compiler of some day is written in the words of that day, and has none for what came later.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/base/place.h"

namespace tilewright::ir {

struct For;
struct Op;
struct Program;

// Days are text, "2026-07-03", and compare as text.
class Dialect {
 public:
  // The first day of `pl.at`; earlier programs are written in another way altogether.
  static constexpr std::string_view kFirstDay = "2026-04-08";

  Dialect() = default;  // the newest words, and all that this reader knows
  explicit Dialect(std::string day) : day_(std::move(day)) {}

  bool is_newest() const { return day_.empty(); }
  const std::string& day() const { return day_; }
  // Words that have another form, or are left out since they change no value, on an earlier day.
  bool names_scopes() const { return !before("2026-04-10"); }
  bool lists_optimizations() const { return !before("2026-04-15"); }
  bool has_pipelines() const { return !before("2026-04-20"); }
  bool has_one_word_for_valid() const { return !before("2026-08-03"); }

 private:
  bool before(std::string_view day) const { return !day_.empty() && day_ < day; }

  std::string day_;
};

// As ir/print.h prints them, in the words of that day.
std::string print(const Program& program, const Dialect& dialect);
std::string statement_text(const Op& op, const Program& program, const Dialect& dialect);
std::string statement_text(const For& loop, const Program& program, const Dialect& dialect);

// A word of a program, and the days on which it was one: from `from` on, and before `until`.
struct DatedWord {
  std::string name;
  std::string_view from, until;
  Place place;
};

// The first word of the program that the language did not have on that day and that no other stands
// for.
std::optional<DatedWord> foreign_word(const Program& program, const Dialect& dialect);

}  // namespace tilewright::ir
