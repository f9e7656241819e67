// Text helpers for messages and tables: byte sizes, shapes, nearest names, aligned columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

std::string human_bytes(int64_t bytes);                     // 524288 -> "512 KiB"
std::string short_bytes(int64_t bytes);                     // 524288 -> "512K", for narrow columns
std::string shape_text(const std::vector<int64_t>& shape);  // {16, 128} -> "[16 x 128]"
std::string list_text(const std::vector<int64_t>& values);  // {16, 128} -> "[16, 128]"
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string quote(std::string_view text);  // with double quotes
std::string shell_word(const std::string& word);  // as a shell takes it: quoted where it must be
// "3 tasks", "1 task": the noun takes an s unless the count is one.
std::string counted(int64_t count, std::string_view noun);

// The candidate with the smallest edit distance, if it is close enough to be a likely typo.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);
// "; did you mean 'x'?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// Rows of cells, printed with aligned columns; numbers to the right, words to the left.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  // Each line starts with `indent`; cells of word columns are cut to fit `width` columns.
  std::string text(std::string_view indent = "", std::size_t width = 80) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tilewright
