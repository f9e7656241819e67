// The list of codes is complete: every code in the sources stands in docs/errors.md, every code
// there exists, every code of the checker has a case, and the examples are what the cases say.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "case.h"

namespace error_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TILEWRIGHT_SOURCE;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

// The first group of every match.
std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it)
    found.insert((*it)[1]);
  return found;
}

std::set<std::string> codes_in_file(const fs::path& path) {
  const std::string text = text_of(path);
  // `fail` names a field in platform and a code in golden.
  const bool is_golden = path.string().find("/golden/") != std::string::npos;
  // The front end says where before it says what.
  const bool is_frontend = path.string().find("/src/frontend/") != std::string::npos;
  std::set<std::string> codes =
      matches(text, std::string("\\b(?:user_error|program_error|report|error") +
                        (is_golden ? "|fail" : "") + ")\\(\\s*\"([a-z0-9-]+)\"");
  if (is_frontend)
    codes.merge(matches(text, "\\b(?:refuse|fail|report)\\([^\";]*?,\\s*\"([a-z0-9-]+)\""));
  codes.merge(matches(text, "(?:Severity::\\w+|\\{severity), \"([a-z0-9-]+)\""));
  for (const std::string& line : matches(text, "\\.code = ([^\\n]*)"))
    codes.merge(matches(line, "\"([a-z0-9-]+)\""));
  return codes;
}

std::set<std::string> codes_under(const fs::path& directory) {
  std::set<std::string> codes;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const bool is_source = name.ends_with(".cc") || name.ends_with(".h");
    if (is_source && !name.ends_with("_test.cc")) codes.merge(codes_in_file(entry.path()));
  }
  return codes;
}

std::string errors_page() { return text_of(kRoot / "docs/errors.md"); }

TEST(Codes, EveryCodeOfTheSourcesIsInThePage) {
  const std::string page = errors_page();
  const auto codes = codes_under(kRoot / "src");
  EXPECT_GT(codes.size(), 100U) << "the pattern no longer finds the codes";
  for (const std::string& code : codes)
    EXPECT_NE(page.find("### `" + code + "`"), std::string::npos)
        << "docs/errors.md has no entry for " << code;
}

TEST(Codes, EveryCodeOfThePageIsInTheSources) {
  const auto codes = codes_under(kRoot / "src");
  for (const std::string& code : matches(errors_page(), "### `([a-z0-9-]+)`"))
    EXPECT_TRUE(codes.contains(code)) << code << " is gone; remove it from docs/errors.md";
}

TEST(Codes, EveryCodeOfTheCheckerHasACase) {
  std::set<std::string> told{
      "unclosed", "finished",  // the tests named Finish
      "too-many-tasks",        // takes twenty million tasks
      "too-many-dependences",  // takes thousands of millions of dependences
  };
  for (const Case& c : all_cases())
    for (const std::string& code : codes_in(c.report())) told.insert(code);
  for (const char* room : {"src/ir", "src/dsl", "src/compile"})
    for (const std::string& code : codes_under(kRoot / room))
      EXPECT_TRUE(told.contains(code)) << "no case in tests/error for " << code;
}

TEST(Codes, NamesOfCasesAreUnique) {
  std::set<std::string> names;
  for (const Case& c : all_cases()) EXPECT_TRUE(names.insert(c.name).second) << c.name;
}

// The same message whether its program is a file, C++ or an example: without places, without the
// line that is quoted from a file, and without the numbers that tell values of one name apart.
std::string bare(std::string text) {
  text = std::regex_replace(text, std::regex("\n +[0-9]* +\\| [^\n]*"), "");
  text = std::regex_replace(text,
                            std::regex("\\{[a-z_]+\\}|(bad|layer)\\.py:[0-9]+:[0-9]+|"
                                       "layer\\.cc:[0-9]+"),
                            "@");
  return std::regex_replace(text, std::regex("_[0-9]+ = "), " = ");
}

// The page shows what cases say, as a program in layer.cc or layer.py would be told.
TEST(Codes, ExamplesOfThePageAreTrue) {
  std::string known;
  std::set<std::string> of_cases;
  for (const Case& c : all_cases()) {
    const std::string report = c.report();
    known += bare(report) + "\n";
    for (const std::string& code : codes_in(report)) of_cases.insert(code);
  }
  const std::string page = errors_page();
  const std::regex entry("### `([a-z0-9-]+)`[^`]*```\\n([^`]*)```");
  for (std::sregex_iterator it(page.begin(), page.end(), entry), end; it != end; ++it) {
    if (!of_cases.contains((*it)[1])) continue;
    EXPECT_NE(known.find(bare((*it)[2])), std::string::npos)
        << "the example of " << (*it)[1] << " is not what a case says:\n"
        << (*it)[2];
  }
}

}  // namespace
}  // namespace error_test
