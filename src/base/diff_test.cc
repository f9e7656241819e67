#include "tilewright/base/diff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <sstream>

namespace tilewright {
namespace {

std::string diff(const std::string& a, const std::string& b) {
  return unified_diff(a, b, "a", "b");
}

std::string numbered(int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i) out += std::to_string(i) + "\n";
  return out;
}

TEST(UnifiedDiff, EqualTextsHaveNone) {
  EXPECT_EQ(diff("", ""), "");
  EXPECT_EQ(diff("x\n", "x\n"), "");
  EXPECT_EQ(diff("x", "x"), "");
}

TEST(UnifiedDiff, ThreeLinesOfContextAndLineNumbers) {
  EXPECT_EQ(diff(numbered(1, 9), numbered(1, 4) + "five\n" + numbered(6, 9)),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, ChangesWhoseContextsTouchShareAHunk) {
  const std::string before = numbered(1, 20);
  const auto without = [](int x, int y) {
    std::string out;
    for (int i = 1; i <= 20; ++i)
      if (i != x && i != y) out += std::to_string(i) + "\n";
    return out;
  };
  EXPECT_EQ(
      diff(before, without(5, 12)),
      "--- a\n+++ b\n@@ -2,14 +2,12 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n 13\n 14\n"
      " 15\n");
  EXPECT_EQ(diff(before, without(5, 13)),
            "--- a\n+++ b\n@@ -2,7 +2,6 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n"
            "@@ -10,7 +9,6 @@\n 10\n 11\n 12\n-13\n 14\n 15\n 16\n");
}

TEST(UnifiedDiff, EmptySides) {
  EXPECT_EQ(diff("", "x\ny\n"), "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n");
  EXPECT_EQ(diff("x\n", ""), "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n");
}

TEST(UnifiedDiff, InsertionBetweenLines) {
  EXPECT_EQ(diff("x\ny\n", "x\nnew\ny\n"), "--- a\n+++ b\n@@ -1,2 +1,3 @@\n x\n+new\n y\n");
}

TEST(UnifiedDiff, AMissingLastNewlineIsAChange) {
  const std::string mark = "\\ No newline at end of file\n";
  EXPECT_EQ(diff("x\ny", "x\ny\n"), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n" + mark + "+y\n");
  EXPECT_EQ(diff("x\ny\n", "x\ny"), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+y\n" + mark);
  EXPECT_EQ(diff("x\ny", "z\ny"), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+z\n y\n" + mark);
  EXPECT_EQ(diff("x", "y"), "--- a\n+++ b\n@@ -1 +1 @@\n-x\n" + mark + "+y\n" + mark);
}

// What `patch` does, strictly: context must be there, at the lines that the header names.
std::string applied(const std::string& before, const std::string& diff) {
  const auto take_line = [](std::istringstream& in) {
    std::string line;
    std::getline(in, line);
    return line + (in.eof() ? "" : "\n");
  };
  std::istringstream source(before), lines(diff);
  std::string out, line;
  int at = 0;  // lines of `before` that were taken
  std::getline(lines, line);
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    int first = 0, count = 1;
    EXPECT_GE(std::sscanf(line.c_str(), "@@ -%d,%d", &first, &count), 1) << line;
    for (; at < (count ? first - 1 : first); ++at) out += take_line(source);
    while (lines.peek() != '@' && std::getline(lines, line)) {
      std::string text = line.substr(1) + "\n";
      if (lines.peek() == '\\') {
        std::string mark;
        std::getline(lines, mark);
        text.pop_back();
      }
      if (line[0] != '+') {
        EXPECT_EQ(take_line(source), text);
        ++at;
      }
      if (line[0] != '-') out += text;
    }
  }
  while (source.peek() != EOF) out += take_line(source);
  return out;
}

TEST(UnifiedDiff, AppliedToTheOneTextItGivesTheOther) {
  std::mt19937 random(7);
  const auto text = [&] {
    std::string out;
    for (auto lines = random() % 30; lines > 0; --lines)
      out += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    if (!out.empty() && random() % 3 == 0) out.pop_back();
    return out;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::string before = text(), after = text();
    const std::string d = diff(before, after);
    if (before == after)
      EXPECT_EQ(d, "");
    else
      ASSERT_EQ(applied(before, d), after) << before << "----\n" << after << "----\n" << d;
  }
}

TEST(UnifiedDiff, TheScriptIsTheShortest) {
  const std::string d = diff("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");
  int edits = 0;
  std::istringstream lines(d);
  for (std::string line; std::getline(lines, line);)
    edits +=
        (line[0] == '+' || line[0] == '-') && !line.starts_with("---") && !line.starts_with("+++");
  EXPECT_EQ(edits, 5);  // the example of Myers' paper
}

TEST(UnifiedDiff, LargeTextsWithNothingInCommonTakeNoTime) {
  const auto start = std::chrono::steady_clock::now();
  const std::string before = "same\n" + numbered(1, 50'000) + "end\n";
  const std::string after = "same\n" + numbered(100'000, 150'000) + "end\n";
  EXPECT_EQ(applied(before, diff(before, after)), after);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace tilewright
