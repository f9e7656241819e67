#include "follow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "output.h"
#include "shell.h"

namespace tilewright::documents {
namespace fs = std::filesystem;
namespace {

fs::path checkout() { return TILEWRIGHT_SOURCE; }

bool renewing() { return std::getenv("TILEWRIGHT_RENEW_DOCUMENTS") != nullptr; }

class Follower {
 public:
  Follower(const Document& d, std::string name)
      : name_(std::move(name)),
        directory_(fresh_checkout(fs::path(name_).stem())),
        lines_(d.lines) {}

  void follow(const Block& block) {
    for (const char* mark : {"file", "part of"})
      if (block.has(mark)) save(quote_of(block.marks.at(mark)));
    if (block.language != "console" || block.has("not run")) return;
    const auto commands = commands_of(block);
    for (std::size_t i = 0; i < commands.size(); ++i)
      run(block, commands[i], i + 1 == commands.size());
  }

  // A reader's clone has nothing new that git lists.
  void expect_ignored() const {
    const Lines ignored = lines_of(read_file(checkout() / ".gitignore"));
    const auto is_ignored = [&](const std::string& name) {
      return std::ranges::any_of(ignored, [&](const std::string& line) {
        return line == "/" + name || line == "/" + name + "/" ||
               (line.starts_with("*") && name.ends_with(line.substr(1)));
      });
    };
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_symlink() || name == "dev") continue;  // of the checkout
      EXPECT_TRUE(is_ignored(name)) << name_ << " leaves " << name << ", which .gitignore lacks";
    }
  }

  void write_back(const fs::path& path) const {
    std::ofstream out(path);
    for (const std::string& line : lines_) out << line << "\n";
  }

 private:
  void save(const Quote& quote) {
    if (quote.saved_as.empty()) return;
    fs::copy_file(checkout() / quote.path, directory_ / quote.saved_as,
                  fs::copy_options::overwrite_existing);
  }

  void run(const Block& block, const Command& command, bool last) {
    if (needs_absent_model(command)) {
      std::printf("skipped, its model is not there: %s\n", command.line.c_str());
      return;
    }
    const bool interrupted = last && block.has("ended by Ctrl-C");
    const int expected =
        last && block.has("exit code") ? std::stoi(block.marks.at("exit code")) : 0;
    const Ran ran = run_in_shell(command.line, directory_, interrupted ? 5 : 0);
    const std::string where = name_ + ":" + std::to_string(command.first_line);
    if (!interrupted) {
      EXPECT_EQ(ran.code, expected) << where << ": " << command.line << "\n" << ran.output;
    }
    const Lines printed = lines_of(ran.output);
    const Disagreement d = disagreement(command.output, printed, block.has("one machine"));
    if (renewing()) {
      if (d.found) renew(command, renewed(command.output, printed));
      return;
    }
    EXPECT_FALSE(d.found) << where << ": " << command.line << "\nis not followed by: " << d.expected
                          << "\nbut by:\n"
                          << ran.output << "\nIf the change is meant: ./dev documents";
  }

  // Models are fetched by a test of their own, which is skipped without a network.
  bool needs_absent_model(const Command& command) const {
    static const std::regex kModel("out/models/[-.\\w]+");
    std::smatch m;
    return std::regex_search(command.line, m, kModel) && !fs::exists(checkout() / m[0].str());
  }

  // Later lines move; shift_ says how far.
  void renew(const Command& command, const Lines& output) {
    const auto continued = std::count(command.line.begin(), command.line.end(), '\n');
    const auto first =
        lines_.begin() + static_cast<std::ptrdiff_t>(command.first_line) + continued + shift_;
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

}  // namespace

Quote quote_of(const std::string& mark) {
  static const std::string kSaved = ", saved as ";
  const std::size_t at = mark.find(kSaved);
  if (at == std::string::npos) return {mark, ""};
  return {mark.substr(0, at), mark.substr(at + kSaved.size())};
}

void follow(const Document& document, const std::string& name) {
  Follower follower(document, name);
  for (const Block& block : document.blocks) follower.follow(block);
  follower.expect_ignored();
  if (renewing()) follower.write_back(document.path);
}

}  // namespace tilewright::documents
