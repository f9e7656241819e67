// README.md and docs/tutorial.md do what they say: every command is run, what it prints is
// compared, quoted code is that of a file, and every number in the text was printed by a command of
// the page. After a change that is meant, TILEWRIGHT_RENEW_DOCUMENTS=1 writes the new outputs
// (./dev documents).
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "document.h"
#include "follow.h"

namespace tilewright::documents {
namespace {

namespace fs = std::filesystem;

// Too long, or in need of a network, a browser or root. Nothing else may be marked "not run".
const std::set<std::string> kNotRun{
    "./dev run",
    "./dev build",
    "./dev test",
    "./dev package",
    "tools/fetch_models",
    "./dev run chat -m out/models/minimind2-small",
    "./dev run serve -m out/models/minimind2-small",
    "curl http://127.0.0.1:8080/v1/chat/completions -d '{\"messages\": [{\"role\": \"user\", "
    "\"content\": \"What is the capital of France?\"}]}'",
    "sudo apt-get install ./build/package/tilewright_*.deb",
};

// Names with digits: no measurement, so no command prints them.
const std::regex kNames(
    "C\\+\\+20|Debian 12|Qwen3-32B|Qwen3|Qwen2\\.5|910B|910C|\\b950\\b|Apache-2\\.0|#[0-9]+|"
    "GCC 12|Clang 14|\\ba2a3\\b|\\ba5\\b|BF16|FP32|L0|L1|top-p|Ctrl-C|UTF-8|CMake "
    "3\\.25|\\bINT8\\b");

fs::path source() { return TILEWRIGHT_SOURCE; }

class Documents : public testing::TestWithParam<std::string> {
 protected:
  Documents() : document_(read_document(source() / GetParam())) {}

  std::string place(std::size_t line) const { return GetParam() + ":" + std::to_string(line); }
  Document document_;
};

TEST_P(Documents, CommandsPrintWhatTheDocumentSays) { follow(document_, GetParam()); }

// Other pages: their consoles hold tables of predictions. What they say besides is not followed.
class Tables : public Documents {};

TEST_P(Tables, CommandsPrintWhatTheDocumentSays) { follow(document_, GetParam()); }

TEST_P(Documents, EveryBlockHasALanguageAndCommandsStandInConsoles) {
  const std::set<std::string> languages{"console", "cpp", "python", "cmake", "text", "lua"};
  for (const Block& block : document_.blocks) {
    EXPECT_TRUE(languages.contains(block.language)) << place(block.first_line);
    if (block.language == "console") {
      EXPECT_FALSE(commands_of(block).empty()) << place(block.first_line);
      continue;
    }
    for (const std::string& line : block.lines)
      EXPECT_FALSE(line.starts_with("$ ") || line.starts_with("./dev ")) << place(block.first_line);
  }
}

TEST_P(Documents, MarksAreForAFewCommands) {
  for (const Block& block : document_.blocks) {
    if (block.has("not run")) {
      for (const Command& c : commands_of(block)) {
        const std::string line = std::regex_replace(c.line, std::regex(" +#.*$"), "");
        EXPECT_TRUE(kNotRun.contains(line)) << place(c.first_line) << ": " << line;
      }
    }
    if (block.has("one machine")) {
      EXPECT_NE(block.text_above.find(block.marks.at("one machine")), std::string::npos)
          << place(block.first_line) << ": the text above names the CPU";
    }
  }
}

TEST_P(Documents, QuotedCodeIsThatOfTheFile) {
  for (const Block& block : document_.blocks) {
    if (block.has("file")) {
      EXPECT_EQ(block.text(), read_file(source() / quote_of(block.marks.at("file")).path))
          << place(block.first_line);
    } else if (block.has("part of")) {
      const std::string file = read_file(source() / quote_of(block.marks.at("part of")).path);
      EXPECT_NE(("\n" + file).find("\n" + block.text()), std::string::npos)
          << place(block.first_line) << "\n"
          << block.text();
    } else {
      EXPECT_TRUE(block.language != "cpp" && block.language != "python")
          << place(block.first_line) << ": code is quoted from a file";
    }
  }
}

// Of the output that the tests compare, and of quoted code.
std::string evidence(const Document& document) {
  std::string text;
  for (const Block& block : document.blocks)
    if (!block.has("not run")) text += block.text();
  return text;
}

TEST_P(Documents, NumbersInTheTextArePrintedByACommand) {
  const std::string printed = evidence(document_);
  const std::regex number("[0-9]+([.,][0-9]+)*"), code("`[^`]*`|\\]\\([^)]*\\)|<[^>]*>"),
      item("^(#+)? *[0-9]+\\. ");
  for (const auto& [line, text] : document_.prose()) {
    std::string rest = text;
    for (const std::regex& r : {code, kNames, item}) rest = std::regex_replace(rest, r, " ");
    for (auto it = std::sregex_iterator(rest.begin(), rest.end(), number);
         it != std::sregex_iterator(); ++it) {
      const std::regex whole(
          "(^|[^0-9.])" + std::regex_replace(it->str(), std::regex("\\."), "\\.") + "([^0-9]|$)");
      EXPECT_TRUE(std::regex_search(printed, whole))
          << place(line) << ": no command here prints " << it->str() << "\n"
          << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Documents, testing::Values("README.md", "docs/tutorial.md"),
                         [](const auto& info) { return fs::path(info.param).stem().string(); });
INSTANTIATE_TEST_SUITE_P(, Tables,
                         testing::Values("docs/qwen3.md", "docs/platforms.md", "docs/models.md"),
                         [](const auto& info) { return fs::path(info.param).stem().string(); });

}  // namespace
}  // namespace tilewright::documents
