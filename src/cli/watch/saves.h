// The saves of a watched file, what each was predicted to take, and how that compares with the one
// before and with the first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/cli/watch/look.h"

namespace tilewright::cli {

class Saves {
 public:
  // `at` is the time of day, as in "14:03:22".
  void add(const Look& look, const std::string& at);

  // One line for the terminal: of the last save.
  std::string line() const;
  // What the page says of all this.
  report::Object data(const std::string& file) const;
  std::size_t count() const { return list_.size(); }

 private:
  struct Save {
    std::string at;
    std::optional<double> us;  // absent: it has errors
    double seconds = 0;
    std::string error;  // the first one in a line
  };
  const Save* good_before(std::size_t index) const;  // null when there is none
  const Save* first_good() const;

  std::vector<Save> list_;
  Diagnostics diagnostics_;  // of the last save
};

}  // namespace tilewright::cli
