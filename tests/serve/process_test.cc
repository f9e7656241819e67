// `tilewright serve` as a process of its own: what it says, how it ends, and what it refuses.
#include <gtest/gtest.h>

#include <sstream>
#include <thread>

#include "../temporary_directory.h"
#include "../watch/watching.h"
#include "api_client.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/cli/cli.h"

namespace serve_test {
namespace {

using namespace tilewright;
using namespace std::chrono_literals;

class Process : public ::testing::Test {
 protected:
  struct Run {
    int code;
    std::string text;
  };
  static Run run(const std::vector<std::string>& args) {
    std::ostringstream out, err;
    const int code = cli::run_cli(args, cli::builtin_catalog(), out, err, {});
    return {code, out.str() + err.str()};
  }
  static const std::string& model() {
    static const TemporaryDirectory directory;
    static const std::string path = directory / "model";
    static const Run made = run({"make-model", "--shape", "tiny", "-o", path});
    EXPECT_EQ(made.code, 0) << made.text;
    return path;
  }
  // Begins a server; what it says until it listens is in `said_`.
  void begin(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"-m", model(), "--port", "0"});
    process_.emplace(more, "serve");
    const std::string address = process_->address();
    const auto colon = address.rfind(':');
    port_ = colon == std::string::npos
                ? uint16_t{0}
                : static_cast<uint16_t>(std::stoi(address.substr(colon + 1)));
    ASSERT_NE(port_, 0) << address;
  }
  // Takes a minute, one after the other.
  std::string endless() {
    return Json{
        {"prompt", "a"}, {"max_tokens", 500}, {"ignore_eos", true}, {"stream", true}, {"n", 128}}
        .dump();
  }

  std::optional<Watching> process_;
  uint16_t port_ = 0;
};

TEST_F(Process, AnswersUntilItIsTerminated) {
  begin();
  ApiClient c(port_);
  EXPECT_EQ(c.get("/health").status, 200);
  EXPECT_EQ(c.post("/v1/completions", R"({"prompt": "a", "max_tokens": 3})").status, 200);
  process_->terminate();
  EXPECT_EQ(process_->exit_code(), 0);
}

TEST_F(Process, TerminatedUnderLoadItFinishesWhatRuns) {
  begin({"--parallel", "2"});
  std::vector<std::unique_ptr<ApiClient>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<ApiClient>(port_));
    clients.back()->send("/v1/completions", Json{{"prompt", "a"},
                                                 {"max_tokens", 60},
                                                 {"ignore_eos", true},
                                                 {"stream", i % 2 == 0}}
                                                .dump());
  }
  std::this_thread::sleep_for(50ms);
  process_->interrupt();
  for (int i = 0; i < 6; ++i) {
    const Answer a = clients[static_cast<std::size_t>(i)]->read();
    EXPECT_TRUE(a.status == 200 || a.status == 503) << a.head << a.body;
    if (a.status == 200 && i % 2 == 0) {
      EXPECT_TRUE(put_together(a.body).done) << a.body;
    }
  }
  EXPECT_EQ(process_->exit_code(), 0);
}

TEST_F(Process, WhatDoesNotEndIsEnded) {
  begin({"--drain", "1", "--parallel", "1"});
  ApiClient stream(port_);
  stream.send("/v1/completions", endless());
  stream.raw().read_until("data: ");
  process_->terminate();
  EXPECT_EQ(process_->exit_code(10'000), 0);
  const std::string rest = stream.raw().read_all();
  EXPECT_EQ(rest.find("[DONE]"), std::string::npos);
}

TEST_F(Process, AskedTwiceItEndsAtOnce) {
  begin({"--drain", "600", "--parallel", "1"});
  ApiClient stream(port_);
  stream.send("/v1/completions", endless());
  stream.raw().read_until("data: ");
  process_->terminate();
  while (process_->line().find("ending") == std::string::npos) {}
  process_->terminate();
  EXPECT_EQ(process_->exit_code(5'000), -1);  // by the signal
}

TEST_F(Process, MistakesAreToldBeforeAModelIsLoaded) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--port", "70000"}, "--port 70000"},
      {{"--host", "nowhere"}, "nowhere is not an address"},
      {{"--parallel", "0"}, "--parallel 0"},
      {{"--api-key", "two words"}, "--api-key"},
      {{"--api-key-file", "/nothing/here"}, "/nothing/here"},
      {{"--max-queue", "-1"}, "--max-queue"}};
  for (const auto& [flags, words] : cases) {
    std::vector<std::string> args{"serve", "-m", model()};
    args.insert(args.end(), flags.begin(), flags.end());
    const Run r = run(args);
    EXPECT_EQ(r.code, 2) << r.text;
    EXPECT_NE(r.text.find(words), std::string::npos) << r.text;
  }
}

}  // namespace
}  // namespace serve_test
