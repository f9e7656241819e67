// README.md and docs/tutorial.md do what they say: every command is run, what it prints is compared,
// quoted code is that of a file, and every number in the text was printed by a command of the page.
// After a change that is meant, TILEWRIGHT_RENEW_DOCUMENTS=1 writes the new outputs (./dev documents).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>

#include "document.h"
#include "output.h"
#include "shell.h"

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
    "sudo apt-get install ./build/package/tilewright_*.deb",
};

// Names with digits: no measurement, so no command prints them.
const std::regex kNames(
    "C\\+\\+20|Debian 12|Qwen3-32B|Qwen3|Qwen2\\.5|910B|910C|\\b950\\b|Apache-2\\.0|#[0-9]+|"
    "GCC 12|Clang 14|\\ba2a3\\b|\\ba5\\b|BF16|FP32|L0|L1|top-p|Ctrl-C|UTF-8|CMake 3\\.25|\\bINT8\\b");

fs::path source() { return TILEWRIGHT_SOURCE; }

bool renewing() { return std::getenv("TILEWRIGHT_RENEW_DOCUMENTS") != nullptr; }

// "examples/tutorial/first.py, saved as project.py"
struct Quote {
  std::string path, saved_as;
};

Quote quote_of(const std::string& mark) {
  static const std::string kSaved = ", saved as ";
  const std::size_t at = mark.find(kSaved);
  if (at == std::string::npos) return {mark, ""};
  return {mark.substr(0, at), mark.substr(at + kSaved.size())};
}

class Documents : public testing::TestWithParam<std::string> {
 protected:
  Documents() : document_(read_document(source() / GetParam())) {}

  std::string place(std::size_t line) const { return GetParam() + ":" + std::to_string(line); }
  Document document_;
};

class Follower {
 public:
  Follower(const Document& d, std::string name)
      : name_(std::move(name)), directory_(fresh_checkout(fs::path(name_).stem())), lines_(d.lines) {}

  void follow(const Block& block) {
    for (const char* mark : {"file", "part of"})
      if (block.has(mark)) save(quote_of(block.marks.at(mark)));
    if (block.language != "console" || block.has("not run")) return;
    const auto commands = commands_of(block);
    for (std::size_t i = 0; i < commands.size(); ++i)
      run(block, commands[i], i + 1 == commands.size());
  }

  void write_back(const fs::path& path) const {
    std::ofstream out(path);
    for (const std::string& line : lines_) out << line << "\n";
  }

 private:
  void save(const Quote& quote) {
    if (quote.saved_as.empty()) return;
    fs::copy_file(source() / quote.path, directory_ / quote.saved_as,
                  fs::copy_options::overwrite_existing);
  }

  void run(const Block& block, const Command& command, bool last) {
    if (needs_absent_model(command)) {
      std::printf("skipped, its model is not there: %s\n", command.line.c_str());
      return;
    }
    const bool interrupted = last && block.has("ended by Ctrl-C");
    const int expected = last && block.has("exit code") ? std::stoi(block.marks.at("exit code")) : 0;
    const Ran ran = run_in_shell(command.line, directory_, interrupted ? 5 : 0);
    const std::string where = name_ + ":" + std::to_string(command.first_line);
    if (!interrupted) {
      EXPECT_EQ(ran.code, expected) << where << ": " << command.line << "\n" << ran.output;
    }
    const Lines printed = lines_of(ran.output);
    if (renewing()) return renew(command, renewed(command.output, printed));
    const Disagreement d = disagreement(command.output, printed, block.has("one machine"));
    EXPECT_FALSE(d.found) << where << ": " << command.line << "\nis not followed by: " << d.expected
                          << "\nbut by:\n" << ran.output
                          << "\nIf the change is meant: ./dev documents";
  }

  // Models are fetched by a test of their own, which is skipped without a network.
  bool needs_absent_model(const Command& command) const {
    static const std::regex kModel("out/models/[-.\\w]+");
    std::smatch m;
    return std::regex_search(command.line, m, kModel) && !fs::exists(source() / m[0].str());
  }

  // Later lines move; shift_ says how far.
  void renew(const Command& command, const Lines& output) {
    const auto continued = std::count(command.line.begin(), command.line.end(), '\n');
    const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(command.first_line) + continued + shift_;
    const auto old = static_cast<std::ptrdiff_t>(command.output.size());
    const auto rest = lines_.erase(first, first + old);
    lines_.insert(rest, output.begin(), output.end());
    shift_ += static_cast<std::ptrdiff_t>(output.size()) - old;
  }

  std::string name_;
  fs::path directory_;
  std::vector<std::string> lines_;
  std::ptrdiff_t shift_ = 0;
};

TEST_P(Documents, CommandsPrintWhatTheDocumentSays) {
  Follower follower(document_, GetParam());
  for (const Block& block : document_.blocks) follower.follow(block);
  if (renewing()) follower.write_back(document_.path);
}

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
          << place(block.first_line) << "\n" << block.text();
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
      const std::regex whole("(^|[^0-9.])" + std::regex_replace(it->str(), std::regex("\\."), "\\.") +
                             "([^0-9]|$)");
      EXPECT_TRUE(std::regex_search(printed, whole))
          << place(line) << ": no command here prints " << it->str() << "\n" << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Documents, testing::Values("README.md", "docs/tutorial.md"),
                         [](const auto& info) { return fs::path(info.param).stem().string(); });

}  // namespace
}  // namespace tilewright::documents
