// The cases that are files: cases/<family>/<name> holds bad.py, good.py and message.txt. A new
// directory is a new case; nothing else needs to know of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "case.h"
#include "settings.h"
#include "tilewright/frontend/frontend.h"

namespace error_test {
namespace {

namespace fs = std::filesystem;

const fs::path& root() {
  static const fs::path kRoot = fs::path(TILEWRIGHT_SOURCE) / "tests/error/cases";
  return kRoot;
}

std::vector<fs::path> entries(const fs::path& directory) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(directory)) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

std::string read_case(const fs::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path.string() << " is missing: a case is bad.py, good.py and message.txt";
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the front end refuses has not been built.
Outcome check_file(const fs::path& path) {
  const std::string text = read_case(path);
  const Settings settings = read_settings(text, path.string());
  Outcome refused;
  try {
    // Under its bare name, as messages are to show it.
    const auto file = frontend::File::parse(path.filename().string(), text);
    ir::Program program = file.lower("", {}).program;
    for (ir::Param& p : program.params) p.unsaid = false;  // the settings say it, or it is zeros
    if (!program.diagnostics.has_errors()) return take_steps(program, settings);
    refused.diagnostics = program.diagnostics;
  } catch (const UserError& e) {
    refused.diagnostics.add(e.diagnostic());
  }
  return refused;
}

}  // namespace

std::vector<Case> file_cases() {
  std::vector<Case> cases;
  for (const fs::path& family : entries(root())) {
    if (!fs::is_directory(family)) continue;
    for (const fs::path& at : entries(family))
      cases.push_back({.family = family.filename().string(),
                       .name = at.filename().string(),
                       .report = [at] { return read_case(at / "message.txt"); },
                       .bad = [at] { return check_file(at / "bad.py"); },
                       .good = [at] { return check_file(at / "good.py"); }});
  }
  return cases;
}

TEST(Files, LieWhereTheyAreRead) {
  const std::set<std::string> known{"bad.py", "good.py", "message.txt"};
  for (const fs::path& family : entries(root())) {
    ASSERT_TRUE(fs::is_directory(family)) << family << " belongs to no family of rules";
    EXPECT_FALSE(entries(family).empty()) << family << " has no cases";
    for (const fs::path& at : entries(family)) {
      ASSERT_TRUE(fs::is_directory(at)) << at << " belongs to no case";
      for (const fs::path& file : entries(at))
        EXPECT_TRUE(known.contains(file.filename().string())) << file << " is never read";
    }
  }
}

}  // namespace error_test
