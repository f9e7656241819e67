// What tests of pages share: a browser, a page in it, questions to it, and pictures of it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>

#include "../temporary_directory.h"
#include "chromium.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/cli/cli.h"

namespace tilewright::page {

namespace fs = std::filesystem;

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto executable = find_chromium();
    if (!executable)
      GTEST_SKIP() << "chromium is not installed: ./dev page installs it and runs these tests";
    fs::create_directories(TILEWRIGHT_PICTURES);
    browser_.emplace(*executable);
  }
  void TearDown() override {
    if (!browser_) return;
    EXPECT_TRUE(browser_->complaints().empty()) << browser_->complaints().front();
    EXPECT_TRUE(browser_->requests().empty()) << browser_->requests().front();
  }

  // Runs a command with "-o" and opens what it wrote.
  void show(const std::string& line) {
    file_ = directory_ / "page.html";
    std::istringstream words(line + " -o " + file_);
    std::vector<std::string> args;
    for (std::string word; words >> word;) args.push_back(word);
    std::ostringstream out, err;
    ASSERT_EQ(cli::run_cli(args, cli::builtin_catalog(), out, err, {}), cli::kFine) << err.str();
    browser_->open(file_);
  }
  double number(const std::string& expression) {
    return browser_->evaluate(expression).get<double>();
  }
  std::string text(const std::string& expression) { return browser_->evaluate(expression); }
  void picture(const std::string& name) {
    browser_->screenshot((fs::path(TILEWRIGHT_PICTURES) / (name + ".png")).string());
  }

  // Colours in a canvas; a blank one has a single colour.
  double colours(const std::string& canvas) {
    return number(
        "(() => { const c = " + canvas +
        "; const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height)"
        ".data.buffer); return new Set(d).size; })()");
  }
  // A place on screen that shows a task: [x, y].
  Json place_of(int task) {
    return browser_->evaluate(
        "(() => { const t = tilewright.timeline, c = t.surface.canvas;"
        "c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect();"
        "const b = taskBox(t, " +
        std::to_string(task) +
        ", t.surface.width);"
        "return [r.x + (b.left + b.right) / 2, r.y + b.top + b.height / 2]; })()");
  }

  TemporaryDirectory directory_;
  std::string file_;
  std::optional<Chromium> browser_;
};

inline const char* const kTimelineCanvas = "tilewright.timeline.surface.canvas";

}  // namespace tilewright::page
