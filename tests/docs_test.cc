// The documents keep up with the code: every op is described, the rooms are those of the build, and
// no link leads nowhere.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tilewright/ir/op.h"
#include "tilewright/platform/platform.h"

namespace {

using namespace tilewright;
namespace fs = std::filesystem;

fs::path source() { return TILEWRIGHT_SOURCE; }

std::string read(const fs::path& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::smatch> found;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), pattern);
       it != std::sregex_iterator(); ++it)
    found.push_back(*it);
  return found;
}

TEST(Docs, LanguageDescribesEveryOp) {
  const std::string text = read(source() / "docs/language.md");
  for (int i = 0; i < ir::kOpCount; ++i) {
    const auto kind = static_cast<ir::OpKind>(i);
    std::string name(ir::op_name(kind));
    if (kind == ir::OpKind::Copy) name = "assign";
    // Some rows share a prefix: `row_expand_add`, `_sub`, ...
    const std::string tail = name.substr(name.rfind('_') + 1);
    const bool named = std::regex_search(text, std::regex("`(p\\.|pl\\.)?" + name + "\\b"));
    const bool abbreviated = text.find("`_" + tail + "`") != std::string::npos;
    EXPECT_TRUE(named || abbreviated) << name;
  }
}

TEST(Docs, ArchitectureListsTheRoomsOfTheBuild) {
  const std::string build = read(source() / "src/CMakeLists.txt");
  const std::string text = read(source() / "docs/architecture.md");
  const std::string picture = read(source() / "docs/images/house.svg");
  const std::regex room(
      "tilewright_room\\((\\w+) +FLOOR (\\d)( USES ([\\w ]+?))?( LINKS [^)]*)?\\)");
  const auto rooms = matches(build, room);
  EXPECT_GE(rooms.size(), 10u);
  for (const std::smatch& m : rooms) {
    std::string uses = m[4];
    for (std::size_t at = 0; (at = uses.find(' ', at)) != std::string::npos; at += 2)
      uses.replace(at, 1, ", ");
    const std::string row = "| `" + m[1].str() + "` | " + uses;
    EXPECT_NE(text.find(row), std::string::npos) << row;
    EXPECT_NE(picture.find(">" + m[1].str() + "<"), std::string::npos) << m[1] << " in house.svg";
    EXPECT_TRUE(std::regex_search(text, std::regex("floor " + m[2].str() + "[^\\n]*\\b" +
                                                   m[1].str() + "\\b")))
        << m[1] << " is not on floor " << m[2];
  }
}

// On a difference: `tilewright platform a2a3sim` prints the numbers.
TEST(Docs, PlatformsHaveEveryNumberWithItsSource) {
  const std::string text = read(source() / "docs/platforms.md");
  for (const char* name : {"a2a3", "a5"}) {
    const std::size_t section = text.find("\n## " + std::string(name) + "\n");
    ASSERT_NE(section, std::string::npos) << name;
    for (const platform::Fact& f : platform::builtin_platform(name).facts) {
      std::ostringstream row;
      row.precision(12);  // sizes in bytes are whole
      row << "| `" << f.path << "` | ";
      if (f.text.empty())
        row << f.value << (f.unit.empty() ? "" : " ") << f.unit;
      else
        row << f.text;
      row << " | " << platform::standing_name(f.standing) << " | " << f.source << " |";
      EXPECT_NE(text.find(row.str(), section), std::string::npos) << name << " " << row.str();
    }
  }
}

// One place has the number: CMakeLists.txt. The changelog has a section for every released version.
TEST(Docs, VersionIsThatOfTheBuild) {
  const auto found = matches(read(source() / "CMakeLists.txt"),
                             std::regex("project\\(tilewright VERSION ([0-9.]+)"));
  ASSERT_EQ(found.size(), 1u);
  const std::string log = read(source() / "CHANGELOG.md");
  const auto sections = matches(log, std::regex("\n## ([^\n]+)"));
  ASSERT_FALSE(sections.empty());
  EXPECT_TRUE(sections.front()[1] == "Unreleased" || sections.front()[1].str().starts_with(found.front()[1].str()))
      << sections.front()[1];
}

TEST(Docs, LinksLeadSomewhere) {
  std::vector<fs::path> files{source() / "README.md", source() / "CONTRIBUTING.md",
                              source() / "CHANGELOG.md"};
  for (const auto& entry : fs::directory_iterator(source() / "docs"))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  const std::regex link("\\]\\(([^)#: ]+)\\)");
  for (const fs::path& file : files) {
    const std::string text = read(file);
    for (const std::smatch& m : matches(text, link))
      EXPECT_TRUE(fs::exists(file.parent_path() / m[1].str())) << file << " -> " << m[1];
  }
}

}  // namespace
