// What clients do wrong and what goes wrong: nothing leaks, and neighbours notice nothing.
#include <filesystem>

#include "served.h"

namespace serve_test {
namespace {

const Json kLong{{"max_tokens", 400}, {"ignore_eos", true}, {"stream", true}};

TEST_F(Served, AClientThatGoesAwayEndsItsRequest) {
  start();
  const Json quiet = completion("a", {{"max_tokens", 400}, {"ignore_eos", true}, {"n", 4}});
  for (const bool stream : {true, false}) {
    const double before = ended("interrupted");
    {
      ApiClient c = client();
      c.send("/v1/completions", (stream ? completion("a", kLong) : quiet).dump());
      ASSERT_TRUE(soon([&] { return metric("sequences_running") > 0; }));
    }
    EXPECT_TRUE(soon([&] { return metric("sequences_running") == 0; }));
    EXPECT_EQ(ended("interrupted") - before, stream ? 1 : 4);
    EXPECT_TRUE(soon([&] { return log().find(" 499 gone") != std::string::npos; })) << log();
  }
  EXPECT_EQ(client().post("/v1/completions", completion("a")).status, 200);
}

TEST_F(Served, DisconnectsAtEveryByteLeaveNothing) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  start();
  const auto before = descriptors();
  const std::string text = request_text("POST", "/v1/completions", server_->port(),
                                        completion("a", {{"stream", true}}).dump());
  const Json expected = client().post("/v1/completions", completion("b")).json()["choices"];
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    http::TestClient c(server_->port());
    c.send(text.substr(0, bytes));
  }
  EXPECT_EQ(client().post("/v1/completions", completion("b")).json()["choices"], expected);
  EXPECT_TRUE(soon([&] { return metric("connections") == 1 && metric("sequences_running") == 0; }));
  EXPECT_TRUE(soon([&] { return descriptors() <= before; }));
}

TEST_F(Served, AStreamThatNobodyReadsIsEnded) {
  Setting s;
  s.api.http.limits.unsent_bytes = 4096;
  start(s);
  ApiClient deaf = client();
  // So much text that it fills what lies between.
  deaf.send("/v1/completions", completion("a", {{"max_tokens", 500},
                                                {"ignore_eos", true},
                                                {"stream", true},
                                                {"n", 128},
                                                {"logprobs", 20}})
                                   .dump());
  EXPECT_TRUE(soon([&] { return ended("interrupted") > 0; }));
  EXPECT_TRUE(soon([&] { return metric("sequences_running") == 0; }));
}

TEST_F(Served, AFullQueueIsToldAtOnce) {
  Setting s;
  s.engine.slots = 1;
  s.api.worker.queue = 2;
  start(s);
  ApiClient running = client();
  running.send("/v1/completions", completion("a", kLong).dump());
  ASSERT_TRUE(soon([&] { return metric("sequences_running") == 1; }));
  const Answer many = client().post("/v1/completions", completion("a", {{"n", 3}}));
  EXPECT_EQ(many.status, 503);
  EXPECT_EQ(many.code(), "queue_full");
  EXPECT_EQ(many.json()["error"]["type"], "server_error");
  EXPECT_NE(many.head.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_EQ(client().post("/v1/completions", completion("a", {{"n", 2}})).status, 200);
}

TEST_F(Served, AnAnswerThatTakesTooLongIsEnded) {
  Setting s;
  s.api.worker.seconds = 0.05;
  s.engine.context = 4096;
  start(s);
  const Answer a = client().post("/v1/completions",
                                 completion("a", {{"max_tokens", 4000}, {"ignore_eos", true}}));
  EXPECT_EQ(a.status, 503);
  EXPECT_EQ(a.code(), "timeout");
  const Answer b =
      client().post("/v1/completions",
                    completion("a",
                               {{"max_tokens", 4000}, {"ignore_eos", true}, {"stream", true}}));
  const std::vector<std::string> events = events_of(b.body);
  EXPECT_EQ(Json::parse(events.back())["error"]["code"], "timeout");
  EXPECT_TRUE(soon([&] { return metric("sequences_running") == 0; }));
}

TEST_F(Served, DrainingFinishesWhatRunsAndRefusesWhatComes) {
  start();
  ApiClient running = client();
  running.send("/v1/completions", completion("a", kLong).dump());
  ASSERT_TRUE(soon([&] { return metric("sequences_running") == 1; }));
  std::thread ending([&] { EXPECT_TRUE(server_->drain(20s)); });
  ASSERT_TRUE(soon([&] { return client().get("/health").status == 503; }));
  const Answer late = client().post("/v1/completions", completion("a"));
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(late.code(), "shutting_down");
  EXPECT_TRUE(put_together(running.read().body).done);
  ending.join();
}

TEST_F(Served, TheEndDoesNotWaitForEver) {
  Setting s;
  s.engine.context = 4096;
  start(s);
  ApiClient whole = client(), stream = client();
  const Json endless{{"max_tokens", 4000}, {"ignore_eos", true}};
  whole.send("/v1/completions", completion("a", endless).dump());
  Json streaming = endless;
  streaming["stream"] = true;
  stream.send("/v1/completions", completion("a", streaming).dump());
  ASSERT_TRUE(soon([&] { return metric("sequences_running") == 2; }));
  EXPECT_FALSE(server_->drain(50ms));
  server_.reset();
  const Answer a = whole.read();  // told, or closed
  EXPECT_TRUE(a.status == 503 || a.status == 0) << a.status;
}

TEST_F(Served, OversizedRequests) {
  Setting s;
  s.api.http.limits.body_bytes = 10'000;
  start(s);
  const Answer a = client().post("/v1/completions", std::string(10'001, ' '));
  EXPECT_EQ(a.status, 413);
  EXPECT_EQ(a.json()["error"]["type"], "invalid_request_error");
  EXPECT_EQ(client().get("/health", "X-Large: " + std::string(20'000, 'x') + "\r\n").status, 431);
}

TEST_F(Served, WhoWaitsForPermissionToSendGetsIt) {
  start();
  ApiClient c = client();
  const std::string body = completion("a").dump();
  c.raw().send(
      fmt::format("POST /v1/completions HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n"
                  "Expect: 100-continue\r\n\r\n",
                  server_->port(), body.size()));
  EXPECT_EQ(status_of(c.raw().read_until("\r\n\r\n")), 100);
  c.raw().send(body);
  EXPECT_EQ(c.read().status, 200);
}

}  // namespace
}  // namespace serve_test
