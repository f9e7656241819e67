#include "tilewright/base/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilewright {
namespace {

constexpr int kContext = 3;
// Time and memory of the search grow with the square of the changed lines: 3000 take 36 MB.
constexpr int kMostEdits = 3000;

struct Side {
  std::vector<std::string_view> lines;  // each with its newline, if it has one
  std::vector<int> ids;                 // equal lines have equal numbers
};

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

// One step of a walk through both texts: a line of the one, of the other, or of both.
struct Edit {
  char sign;  // ' ', '-' or '+'
  int a, b;   // the line of each side that is next
};

// Myers' greedy search for the shortest script between a[from, a_end) and b[from, b_end). Furthest
// reaching points of every round are kept, to walk back. Empty when the script would be too long.
class Search {
 public:
  Search(const std::vector<int>& a, const std::vector<int>& b, int from, int a_end, int b_end)
      : a_(a.data() + from), b_(b.data() + from), n_(a_end - from), m_(b_end - from) {}

  std::vector<char> script() {
    for (int d = 0; d <= std::min(n_ + m_, kMostEdits); ++d) {
      rounds_.emplace_back(2 * d + 1);
      for (int k = -d; k <= d; k += 2) {
        int x = d == 0 ? 0 : start(d, k);
        while (x < n_ && x - k < m_ && a_[x] == b_[x - k]) ++x;
        rounds_[d][k + d] = x;
        if (x >= n_ && x - k >= m_) return walked_back(d);
      }
    }
    return {};
  }

 private:
  int reached(int d, int k) const { return rounds_[d][k + d]; }
  // Whether the last edit before diagonal k of round d inserted a line, else it removed one.
  bool inserts(int d, int k) const {
    return k == -d || (k != d && reached(d - 1, k - 1) < reached(d - 1, k + 1));
  }
  int start(int d, int k) const {
    return inserts(d, k) ? reached(d - 1, k + 1) : reached(d - 1, k - 1) + 1;
  }
  std::vector<char> walked_back(int d) const {
    std::vector<char> signs;
    int x = n_, k = n_ - m_;
    for (; d > 0; --d) {
      signs.insert(signs.end(), x - start(d, k), ' ');
      x = start(d, k);
      const bool inserted = inserts(d, k);
      signs.push_back(inserted ? '+' : '-');
      x -= inserted ? 0 : 1;
      k += inserted ? 1 : -1;
    }
    signs.insert(signs.end(), x, ' ');
    return {signs.rbegin(), signs.rend()};
  }

  const int* a_;
  const int* b_;
  int n_, m_;
  std::vector<std::vector<int>> rounds_;
};

std::vector<Edit> edits_between(const std::vector<int>& a, const std::vector<int>& b) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  int same = 0, tail = 0;
  while (same < std::min(n, m) && a[same] == b[same]) ++same;
  while (tail < std::min(n, m) - same && a[n - 1 - tail] == b[m - 1 - tail]) ++tail;
  std::vector<char> signs = Search(a, b, same, n - tail, m - tail).script();
  if (signs.empty()) {
    signs.assign(n - tail - same, '-');
    signs.insert(signs.end(), m - tail - same, '+');
  }
  signs.insert(signs.begin(), same, ' ');
  signs.insert(signs.end(), tail, ' ');
  std::vector<Edit> out;
  int x = 0, y = 0;
  for (char sign : signs) {
    out.push_back({sign, x, y});
    x += sign != '+';
    y += sign != '-';
  }
  return out;
}

// "12,3", "12" for one line, and the line before for none.
std::string range_text(int first, int count) {
  if (count == 1) return std::to_string(first + 1);
  return fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

std::string hunk_text(const std::vector<Edit>& edits, std::size_t begin, std::size_t end,
                      const Side& a, const Side& b) {
  int of_a = 0, of_b = 0;
  std::string body;
  for (std::size_t i = begin; i < end; ++i) {
    const Edit& e = edits[i];
    of_a += e.sign != '+';
    of_b += e.sign != '-';
    const std::string_view line = e.sign == '+' ? b.lines[e.b] : a.lines[e.a];
    body += e.sign;
    body += line;
    if (!line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return fmt::format("@@ -{} +{} @@\n{}", range_text(edits[begin].a, of_a),
                     range_text(edits[begin].b, of_b), body);
}

}  // namespace

std::string unified_diff(const std::string& before, const std::string& after,
                         const std::string& before_name, const std::string& after_name) {
  if (before == after) return "";
  Side a, b;
  std::unordered_map<std::string_view, int> numbers;
  for (auto [side, text] : {std::pair{&a, &before}, {&b, &after}}) {
    side->lines = lines_of_text(*text);
    for (std::string_view line : side->lines)
      side->ids.push_back(
          numbers.try_emplace(line, static_cast<int>(numbers.size())).first->second);
  }
  const std::vector<Edit> edits = edits_between(a.ids, b.ids);
  std::string out = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
  const auto changed = [](const Edit& e) { return e.sign != ' '; };
  for (auto next = std::ranges::find_if(edits, changed); next != edits.end();) {
    // A hunk goes on while the next change is within the context of both.
    auto last = next;
    for (auto it = next; it != edits.end() && it - last <= 2 * kContext + 1; ++it)
      if (changed(*it)) last = it;
    const auto begin = next - edits.begin(), end = last - edits.begin() + 1;
    const auto size = static_cast<std::ptrdiff_t>(edits.size());
    out += hunk_text(edits, std::max<std::ptrdiff_t>(0, begin - kContext),
                     std::min<std::ptrdiff_t>(size, end + kContext), a, b);
    next = std::find_if(last + 1, edits.end(), changed);
  }
  return out;
}

}  // namespace tilewright
