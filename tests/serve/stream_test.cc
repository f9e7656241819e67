// Streams: what they say is what an answer in one piece says.
#include "served.h"

namespace serve_test {
namespace {

TEST_F(Served, AStreamSaysWhatAWholeAnswerSays) {
  start();
  ApiClient c = client();
  const Json request = chat("Hello", {{"n", 2}, {"logprobs", true}, {"top_logprobs", 2}});
  Json streaming = request;
  streaming["stream"] = true;
  streaming["stream_options"] = {{"include_usage", true}};
  const Json whole = c.post("/v1/chat/completions", request).json();
  const Answer stream = c.post("/v1/chat/completions", streaming);
  EXPECT_NE(stream.head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
  const Streamed s = put_together(stream.body);
  EXPECT_TRUE(s.done);
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& choice = whole["choices"][i];
    EXPECT_EQ(s.text.at(i), choice["message"]["content"]);
    EXPECT_EQ(s.finish.at(i), choice["finish_reason"]);
    EXPECT_EQ(s.logprobs.at(i), choice["logprobs"]["content"]);
  }
  EXPECT_EQ(s.usage["completion_tokens"], whole["usage"]["completion_tokens"]);
  EXPECT_EQ(c.get("/health").status, 200);  // the connection goes on after a stream
}

TEST_F(Served, ThePartsOfAStreamComeInTheirOrder) {
  start();
  const Answer a = client().post("/v1/chat/completions", chat("Hello", {{"stream", true}}));
  const std::vector<std::string> events = events_of(a.body);
  ASSERT_GT(events.size(), 3u);
  EXPECT_EQ(Json::parse(events.front())["choices"][0]["delta"]["role"], "assistant");
  EXPECT_EQ(events.back(), "[DONE]");
  const Json last = Json::parse(events[events.size() - 2]);
  EXPECT_EQ(last["choices"][0]["finish_reason"], "length");
  EXPECT_FALSE(last.contains("usage"));  // nobody asked for it
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    const Json part = Json::parse(events[i]);
    EXPECT_EQ(part["object"], "chat.completion.chunk");
    EXPECT_EQ(part["id"], last["id"]);
    EXPECT_EQ(part["system_fingerprint"], model_->fingerprint);
  }
}

TEST_F(Served, ACompletionStreams) {
  start();
  ApiClient c = client();
  Json request = completion("Once", {{"echo", true}});
  const Json whole = c.post("/v1/completions", request).json();
  request["stream"] = true;
  const Streamed s = put_together(c.post("/v1/completions", request).body);
  EXPECT_EQ(s.text.at(0), whole["choices"][0]["text"]);
  EXPECT_EQ(s.finish.at(0), "length");
  EXPECT_TRUE(s.done);
}

TEST_F(Served, OldClientsGetStreamsToo) {
  start();
  http::TestClient c(server_->port());
  const std::string body = completion("Once", {{"stream", true}}).dump();
  c.send(fmt::format(
      "POST /v1/completions HTTP/1.0\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n{}",
      server_->port(), body.size(), body));
  const std::string all = c.read_all();
  EXPECT_TRUE(all.ends_with("data: [DONE]\n\n")) << all;
}

}  // namespace
}  // namespace serve_test
