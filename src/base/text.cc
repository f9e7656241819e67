#include "tilewright/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace tilewright {
namespace {

// Two neighbours that changed places are one mistake.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

bool looks_numeric(const std::string& cell) {
  return !cell.empty() &&
         (std::isdigit(static_cast<unsigned char>(cell[0])) ||
          (cell.size() > 1 && (cell[0] == '-' || cell[0] == '+' || cell[0] == '.') &&
           std::isdigit(static_cast<unsigned char>(cell[1]))));
}

}  // namespace

std::string human_bytes(int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == static_cast<double>(static_cast<int64_t>(value));
  return whole ? fmt::format("{} {}", static_cast<int64_t>(value), kUnits[unit])
               : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string short_bytes(int64_t bytes) {
  const std::string words = human_bytes(bytes);  // "265.6 MiB"
  const std::size_t space = words.find(' ');
  return words[space + 1] == 'B' ? words.substr(0, space)
                                 : words.substr(0, space) + words[space + 1];
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, " x "));
}

std::string list_text(const std::vector<int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string quote(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "._-/=:,@+";
  const auto plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  const auto same_letters = [&](const std::string& c) {
    return std::ranges::equal(word, c, [](unsigned char x, unsigned char y) {
      return std::tolower(x) == std::tolower(y);
    });
  };
  const std::string* best = nullptr;
  // Of a word of three letters, two others would be another word.
  std::size_t best_distance =
      (word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3)) + 1;
  for (const std::string& candidate : candidates) {
    if (same_letters(candidate)) return candidate;
    const bool prefix = !word.empty() && candidate.starts_with(word);
    const std::size_t distance = prefix ? 1 : edit_distance(word, candidate);
    if (!prefix && distance >= word.size()) continue;  // not one letter of the word is left
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best ? std::optional(*best) : std::nullopt;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto close = nearest(word, candidates);
  return close ? fmt::format("; did you mean '{}'?", *close) : std::string();
}

std::string Table::text(std::string_view indent, std::size_t width) const {
  const std::size_t columns = header_.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> numeric(columns, true);
  for (std::size_t c = 0; c < columns; ++c) widths[c] = header_[c].size();
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < columns && c < row.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
      if (!row[c].empty() && !looks_numeric(row[c])) numeric[c] = false;
    }

  std::size_t total = indent.size() + 2 * (columns - 1);
  for (std::size_t w : widths) total += w;
  while (total > width) {  // shorten the widest word column, one that can still be read
    std::size_t widest = columns;
    for (std::size_t c = 0; c < columns; ++c)
      if (!numeric[c] && widths[c] > 12 && (widest == columns || widths[c] > widths[widest]))
        widest = c;
    if (widest == columns) break;
    --widths[widest];
    --total;
  }

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out(indent);
    for (std::size_t c = 0; c < columns; ++c) {
      std::string cell = c < cells.size() ? cells[c] : std::string();
      if (cell.size() > widths[c]) cell = cell.substr(0, widths[c] - 2) + "..";
      out += numeric[c] ? fmt::format("{:>{}}", cell, widths[c])
                        : fmt::format("{:<{}}", cell, widths[c]);
      if (c + 1 < columns) out += "  ";
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out + "\n";
  };
  std::string out = line(header_);
  for (const auto& row : rows_) out += line(row);
  return out;
}

}  // namespace tilewright
