// `watch` on the terminal: a line per save, whatever way the file was saved, and an end at Ctrl-C.
#include <gtest/gtest.h>

#include <regex>
#include <thread>

#include "../loopback_client.h"
#include "../temporary_directory.h"
#include "watching.h"

namespace tilewright {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Watch : public ::testing::Test {
 protected:
  void start(const std::string& text) {
    write_file(file_, text);
    watching_.emplace(std::vector<std::string>{file_});
    address_ = watching_->address();
    ASSERT_NE(address_, "");
  }
  std::string get(const std::string& path) {
    const std::string host = address_.substr(7, address_.size() - 8);
    http::TestClient client(static_cast<uint16_t>(std::stoi(host.substr(host.find(':') + 1))));
    client.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.read_answer();
  }

  TemporaryDirectory directory_;
  const std::string file_ = directory_ / "scaled.py";
  std::optional<Watching> watching_;
  std::string address_;
};

TEST_F(Watch, TellsEverySaveInOneLine) {
  start(scaled_program("64"));
  const std::string first = watching_->line();
  EXPECT_TRUE(
      std::regex_match(first, std::regex(R"(\d\d:\d\d:\d\d  predicted [\d.]+ us; in [\d.]+ s)")))
      << first;
  save_by_rename(file_, scaled_program("128"));
  const std::string second = watching_->line();
  EXPECT_TRUE(std::regex_match(
      second,
      std::regex(
          R"(.*predicted [\d.]+ us, -[\d.]+ us \(-[\d.]+ %\) against the last; in [\d.]+ s)")))
      << second;
  write_file(file_, scaled_program("64"));  // in place
  const std::string third = watching_->line();
  EXPECT_TRUE(has(third, "against the last, +0.00 us (+0.0 %) against the start")) << third;
}

TEST_F(Watch, AnErrorIsALineAndTheNextSaveIsHeldAgainstTheLastGoodOne) {
  start(scaled_program("64"));
  watching_->line();
  save_by_rename(file_, scaled_program("(64"));
  EXPECT_TRUE(has(watching_->line(), "error: "));
  EXPECT_TRUE(has(get("/data"), "is never closed"));
  save_by_rename(file_, scaled_program("100"));  // does not divide
  EXPECT_TRUE(has(watching_->line(), "error: "));
  save_by_rename(file_, scaled_program("64"));
  const std::string fixed = watching_->line();
  EXPECT_TRUE(has(fixed, "+0.00 us (+0.0 %) against the last")) << fixed;
}

TEST_F(Watch, ModulesAreWatchedAlsoThoseThatAreNotThereYet) {
  std::string text = scaled_program("64");
  text.replace(text.find("COLUMNS = 64"), 12, "from sizes import COLUMNS");
  start(text);
  EXPECT_TRUE(has(watching_->line(), "error: "));
  save_by_rename(directory_ / "sizes.py", "COLUMNS = 64\n");
  EXPECT_TRUE(has(watching_->line(), "predicted "));
  save_by_rename(directory_ / "sizes.py", "COLUMNS = 128\n");
  const std::string changed = watching_->line();
  EXPECT_TRUE(has(changed, "against the last")) << changed;
}

TEST_F(Watch, AFileThatIsGoneIsToldAndWelcomeAgain) {
  start(scaled_program("64"));
  watching_->line();
  std::filesystem::remove(file_);
  const std::string gone = watching_->line();
  EXPECT_TRUE(has(gone, "error: the program file cannot be read")) << gone;
  write_file(file_, scaled_program("64"));
  EXPECT_TRUE(has(watching_->line(), "predicted "));
}

TEST_F(Watch, CtrlCEndsItAtOnceWithSuccess) {
  start(scaled_program("64"));
  watching_->line();
  http::TestClient listener(
      static_cast<uint16_t>(std::stoi(address_.substr(address_.rfind(':') + 1))));
  const auto begin = std::chrono::steady_clock::now();
  watching_->interrupt();
  EXPECT_EQ(watching_->exit_code(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(listener.read_all(), "");
}

TEST_F(Watch, AdviceArrivesByItself) {
  start(scaled_program("64"));
  watching_->line();
  std::string advice;
  for (int i = 0; i < 600 && !has(advice, "\"findings\""); ++i) {
    advice = get("/advice");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(has(advice, "\"code\"")) << advice;
}

TEST_F(Watch, APortInUseIsAMistake) {
  start(scaled_program("64"));
  Watching second({file_, "--port", std::string(address_.substr(address_.rfind(':') + 1, 5))});
  std::vector<std::string> lines;
  for (std::string line = second.line(); !line.empty(); line = second.line()) lines.push_back(line);
  EXPECT_EQ(second.exit_code(), 2);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(has(lines[0], "is in use")) << lines[0];
}

TEST_F(Watch, WhatCannotBeWatchedIsAMistake) {
  const auto told = [](std::vector<std::string> args) {
    Watching w(std::move(args));
    const std::string line = w.line();
    EXPECT_EQ(w.exit_code(), 2) << line;
    return line;
  };
  EXPECT_TRUE(has(told({"qwen3/scope3"}), "qwen3/scope3 is built in and has no file"));
  EXPECT_TRUE(has(told({"qwen3/scope33"}), "did you mean"));
  EXPECT_TRUE(has(told({directory_ / "missing.py"}), "cannot read"));
  EXPECT_TRUE(has(told({}), "watch needs a file"));
  write_file(file_, scaled_program("64"));
  EXPECT_TRUE(has(told({file_, "--port", "70000"}), "is not a port"));
  EXPECT_TRUE(has(told({file_, "-p", "cpu"}), "cpu is not a simulated device"));
}

}  // namespace
}  // namespace tilewright
