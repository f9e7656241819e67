#include "tilewright/ir/names.h"

#include <fmt/format.h>

#include <cctype>

#include "tilewright/ir/print.h"

namespace tilewright::ir {

std::string NameTable::take(std::string_view wanted) {
  std::string clean;
  for (char c : wanted) clean += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (clean.empty() || std::isdigit(static_cast<unsigned char>(clean[0]))) clean.insert(0, "v");
  if (is_reserved_word(clean)) clean += '_';
  for (;;) {
    const int n = counts_[clean]++;
    const std::string name = n == 0 ? clean : fmt::format("{}_{}", clean, n);
    if (n == 0 || counts_.emplace(name, 1).second) return name;
  }
}

}  // namespace tilewright::ir
