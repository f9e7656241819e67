// Every endpoint over real sockets: what it answers, and what it refuses.
#include <chrono>
#include <thread>

#include "served.h"

namespace serve_test {
namespace {

TEST_F(Served, TellsItsModelAndItsHealth) {
  start();
  ApiClient c = client();
  EXPECT_EQ(c.get("/health").json()["status"], "ok");
  const Json models = c.get("/v1/models").json();
  EXPECT_EQ(models["object"], "list");
  EXPECT_EQ(models["data"][0]["id"], "small");
  EXPECT_EQ(c.get("/v1/models/small").json()["id"], "small");
  EXPECT_EQ(c.get("/v1/models/other").status, 404);
  const Json props = c.get("/props").json();
  EXPECT_EQ(props["context"], 512);
  EXPECT_EQ(props["state"]["slots"], 4);
  EXPECT_EQ(props["system_fingerprint"], model_->fingerprint);
}

TEST_F(Served, RefusalsHaveTheFormOfTheApi) {
  start();
  ApiClient c = client();
  const Answer nothing = c.get("/nothing");
  EXPECT_EQ(nothing.status, 404);
  EXPECT_EQ(nothing.json()["error"]["type"], "not_found_error");
  EXPECT_EQ(c.get("/v1/completions").status, 405);
  const Answer broken = c.post("/v1/completions", "{");
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(broken.code(), "invalid_json");
  EXPECT_TRUE(broken.json()["error"]["param"].is_null());
  const Answer field = c.post("/v1/completions", R"({"prompt": "a", "n": 1000})");
  EXPECT_EQ(field.param(), "n");
  EXPECT_EQ(field.json()["error"]["type"], "invalid_request_error");
  EXPECT_EQ(c.get("/health").status, 200);  // the connection goes on
}

TEST(Fingerprint, FollowsWhatDecidesTheBitsAndNothingElse) {
  TestModel& m = test_model();
  cpu::Pool one(1), three(3);
  const std::string fingerprint = serve::fingerprint_of(m.checkpoint, "reproducible", one);
  EXPECT_EQ(serve::fingerprint_of(m.checkpoint, "reproducible", three), fingerprint);
  EXPECT_NE(serve::fingerprint_of(m.checkpoint, "fastest", one), fingerprint);
  const TemporaryDirectory directory;
  const std::string path = directory / "other";
  models::transformer::write_synthetic({.config = m.checkpoint.config, .seed = 2}, path);
  EXPECT_NE(serve::fingerprint_of(checkpoint::open_checkpoint(path), "reproducible", one),
            fingerprint);
}

TEST_F(Served, CompletesTextsAndTokens) {
  start();
  ApiClient c = client();
  const Answer a = c.post("/v1/completions", completion("Once upon"));
  ASSERT_EQ(a.status, 200) << a.body;
  const Json j = a.json();
  EXPECT_EQ(j["object"], "text_completion");
  EXPECT_TRUE(j["id"].get<std::string>().starts_with("cmpl-"));
  EXPECT_EQ(j["usage"]["completion_tokens"], 12);
  EXPECT_EQ(j["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(j["seed"], 1);
  // The same prompt as tokens, and among others, is answered the same.
  const Json ids = c.post("/tokenize", Json{{"content", "Once upon"}}).json()["tokens"];
  Json several = completion("", {{"prompt", {"Once upon", "Twice"}}, {"n", 2}, {"echo", true}});
  const Json as_tokens = c.post("/v1/completions", completion("", {{"prompt", ids}})).json();
  EXPECT_EQ(as_tokens["choices"], j["choices"]);
  const Json many = c.post("/v1/completions", several).json();
  ASSERT_EQ(many["choices"].size(), 4u) << many.dump();
  EXPECT_EQ(many["choices"][0]["text"], "Once upon" + j["choices"][0]["text"].get<std::string>());
  EXPECT_TRUE(many["choices"][2]["text"].get<std::string>().starts_with("Twice"));
  // Choice 1 is what a request with the next seed gets.
  const Json next = c.post("/v1/completions", completion("Once upon", {{"seed", 2}})).json();
  EXPECT_EQ(many["choices"][1]["text"],
            "Once upon" + next["choices"][0]["text"].get<std::string>());
  EXPECT_NE(many["choices"][0]["text"], many["choices"][1]["text"]);
}

TEST_F(Served, AnswersAChat) {
  start();
  ApiClient c = client();
  const Answer a = c.post("/v1/chat/completions", chat("Hello"));
  ASSERT_EQ(a.status, 200) << a.body;
  const Json j = a.json();
  EXPECT_EQ(j["object"], "chat.completion");
  EXPECT_EQ(j["model"], "small");
  EXPECT_EQ(j["system_fingerprint"], model_->fingerprint);
  EXPECT_EQ(j["choices"][0]["message"]["role"], "assistant");
  EXPECT_TRUE(j["choices"][0]["message"]["content"].is_string());
  EXPECT_EQ(j["usage"]["total_tokens"], j["usage"]["prompt_tokens"].get<int>() + 12);
  // The template writes what the request asks it to.
  const Json quiet = c.post("/v1/chat/completions",
                            chat("Hello", {{"chat_template_kwargs", {{"enable_thinking", false}}}}))
                         .json();
  EXPECT_GT(quiet["usage"]["prompt_tokens"], j["usage"]["prompt_tokens"]);
}

TEST_F(Served, APromptThatDoesNotFitIsRefusedWithItsNumbers) {
  start();
  const Answer a = client().post("/v1/completions", completion(std::string(3000, 'x')));
  EXPECT_EQ(a.status, 400);
  EXPECT_EQ(a.code(), "context_length_exceeded");
  const std::string words = a.json()["error"]["message"];
  EXPECT_NE(words.find("3000"), std::string::npos) << words;
  EXPECT_NE(words.find("512"), std::string::npos) << words;
}

TEST_F(Served, TheContextEndsAnAnswer) {
  start();
  const Json j =
      client()
          .post("/v1/completions",
                completion(std::string(500, 'x'), {{"max_tokens", 100}, {"ignore_eos", true}}))
          .json();
  EXPECT_EQ(j["choices"][0]["finish_reason"], "length");
  EXPECT_LE(j["usage"]["total_tokens"], 513);
}

TEST_F(Served, TextsAndTokensGoBothWays) {
  start();
  ApiClient c = client();
  for (const std::string text : {"Hello  world\n", "\xC3\xA9t\xC3\xA9 \xF0\x9F\x98\x80", ""}) {
    const Json ids = c.post("/tokenize", Json{{"content", text}}).json()["tokens"];
    EXPECT_EQ(c.post("/detokenize", Json{{"tokens", ids}}).json()["content"], text);
  }
  const Json pieces = c.post("/tokenize", Json{{"content", "the"}, {"with_pieces", true}}).json();
  std::string all;
  for (const Json& p : pieces["tokens"]) all += p["piece"].get<std::string>();
  EXPECT_EQ(all, "the");
  EXPECT_EQ(c.post("/detokenize", Json{{"tokens", {100'000}}}).param(), "tokens[0]");
}

TEST_F(Served, StopsCutExactly) {
  start();
  ApiClient c = client();
  // Letters that one request makes, so that there is text to stop at.
  const Json bias{{"temperature", 0},
                  {"max_tokens", 12},
                  {"presence_penalty", 2},
                  {"logit_bias", letters(c)}};
  Json request = completion("ab", bias);
  const std::string text = c.post("/v1/completions", request).json()["choices"][0]["text"];
  ASSERT_EQ(text.size(), 12u) << text;
  for (std::size_t at = 0; at < 9; ++at)
    for (std::size_t size = 1; size <= 3; ++size) {
      const std::string stop = text.substr(at, size);
      request["stop"] = Json::array({stop, "never this"});
      const Json choice = c.post("/v1/completions", request).json()["choices"][0];
      EXPECT_EQ(choice["text"], text.substr(0, text.find(stop))) << stop;
      EXPECT_EQ(choice["finish_reason"], "stop");
      Json streaming = request;
      streaming["stream"] = true;
      const Streamed s = put_together(c.post("/v1/completions", streaming).body);
      EXPECT_EQ(s.text.at(0), choice["text"]);
      EXPECT_EQ(s.finish.at(0), "stop");
    }
}

TEST_F(Served, ProbabilitiesInBothForms) {
  start();
  ApiClient c = client();
  Json request = chat("Hi", {{"temperature", 0},
                             {"logprobs", true},
                             {"top_logprobs", 3},
                             {"logit_bias", letters(c)}});
  const Json content =
      c.post("/v1/chat/completions", request).json()["choices"][0]["logprobs"]["content"];
  ASSERT_EQ(content.size(), 12u);
  for (const Json& t : content) {
    EXPECT_LE(t["logprob"].get<double>(), 0);
    ASSERT_EQ(t["top_logprobs"].size(), 3u);
    EXPECT_GE(t["top_logprobs"][0]["logprob"], t["top_logprobs"][1]["logprob"]);
    EXPECT_GE(t["top_logprobs"][0]["logprob"], t["logprob"]);  // before the bias
    EXPECT_EQ(t["bytes"].size(), 1u);
  }
  request = completion("ab", {{"logprobs", 2},
                              {"logit_bias", letters(c)},
                              {"temperature", 0},
                              {"presence_penalty", 2}});
  const Json choice = c.post("/v1/completions", request).json()["choices"][0];
  const Json lists = choice["logprobs"];
  std::string text;
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(lists["text_offset"][i], text.size());
    text += lists["tokens"][i].get<std::string>();
    EXPECT_EQ(lists["top_logprobs"][i].size(), 2u);
  }
  EXPECT_EQ(text, choice["text"]);
  // What a stop cuts away has no probabilities.
  request["stop"] = text.substr(4, 1);
  const Json cut = c.post("/v1/completions", request).json()["choices"][0];
  EXPECT_EQ(cut["logprobs"]["tokens"].size(), cut["text"].get<std::string>().size());
}

TEST_F(Served, BiasDecidesTokens) {
  start();
  ApiClient c = client();
  const Json a = c.post("/tokenize", Json{{"content", "a"}}).json()["tokens"][0];
  const Json only{{"logit_bias", {{std::to_string(a.get<int>()), 100}}}, {"temperature", 0}};
  EXPECT_EQ(c.post("/v1/completions", completion("x", only)).json()["choices"][0]["text"],
            std::string(12, 'a'));
  EXPECT_EQ(c.post("/v1/completions", completion("x", {{"logit_bias", {{"285", 1}}}})).param(),
            "logit_bias.285");
  EXPECT_EQ(c.post("/v1/completions", completion("x", {{"logit_bias", {{"1", 101}}}})).param(),
            "logit_bias.1");
}

TEST_F(Served, SharedBeginningsAreNotReadAgain) {
  start();
  ApiClient c = client();
  const std::string prompt(300, 'p');
  const auto details = [&](const std::string& end) {
    return c.post("/v1/completions", completion(prompt + end))
        .json()["usage"]["prompt_tokens_details"];
  };
  EXPECT_EQ(details("1")["cached_tokens"], 0);
  EXPECT_GE(details("2")["cached_tokens"], 256);
  EXPECT_GE(metric("cached_prompt_tokens_total"), 256);
  EXPECT_GT(metric("cache_pages_kept"), 0);
}

TEST_F(Served, EmbeddingsAreUnitVectorsAndTheSameInABatch) {
  start();
  ApiClient c = client();
  const auto ask = [&](const Json& input, const char* format = "float") {
    return c
        .post("/v1/embeddings",
              Json{{"input", input}, {"model", "small"}, {"encoding_format", format}})
        .json();
  };
  const std::string longer(200, 'e');  // of several chunks
  const Json one = ask("Hello"), other = ask(longer);
  const auto vector = one["data"][0]["embedding"].get<std::vector<double>>();
  ASSERT_EQ(vector.size(), 64u);
  double squares = 0;
  for (const double x : vector) squares += x * x;
  EXPECT_NEAR(squares, 1, 1e-6);
  for (int i = 0; i < 2; ++i) {  // also when the prompts are cached
    const Json both = ask({longer, "Hello", longer});
    EXPECT_EQ(both["data"][0]["embedding"], other["data"][0]["embedding"]);
    EXPECT_EQ(both["data"][1]["embedding"], one["data"][0]["embedding"]);
    EXPECT_EQ(both["data"][1]["index"], 1);
  }
  EXPECT_NE(one["data"][0]["embedding"], other["data"][0]["embedding"]);
  const Json ids = c.post("/tokenize", Json{{"content", "Hello"}}).json()["tokens"];
  EXPECT_EQ(ask(ids)["data"], one["data"]);
  EXPECT_EQ(one["usage"]["prompt_tokens"], ids.size());
  // Base64 is what clients ask for by default: the bytes of the floats.
  const std::string text = ask("Hello", "base64")["data"][0]["embedding"];
  EXPECT_EQ(text.size(), (64 * 4 + 2) / 3 * 4u);
  EXPECT_TRUE(text.ends_with("==") && !text.ends_with("===")) << text;
  EXPECT_EQ(c.post("/v1/embeddings", Json{{"input", ""}}).param(), "input[0]");
  EXPECT_EQ(c.post("/v1/embeddings", Json{{"input", "a"}, {"dimensions", 3}}).param(),
            "dimensions");
}

TEST_F(Served, JsonSchemasHoldInEveryAnswer) {
  start();
  ApiClient c = client();
  const Json schema =
      Json::parse(R"({"type": "object", "properties": {"colour": {"enum": ["red", "blue"]},
      "size": {"type": "integer", "minimum": 1, "maximum": 9}}, "required": ["colour", "size"], "additionalProperties": false})");
  Json request =
      chat("Hi", {{"max_tokens", 200},
                  {"response_format",
                   {{"type", "json_schema"},
                    {"json_schema", {{"name", "thing"}, {"strict", true}, {"schema", schema}}}}}});
  for (int seed = 0; seed < 8; ++seed) {
    request["seed"] = seed;
    request["stream"] = seed % 2 == 1;
    const Answer a = c.post("/v1/chat/completions", request);
    ASSERT_EQ(a.status, 200) << a.body;
    const std::string text = seed % 2 == 1
                                 ? put_together(a.body).text.at(0)
                                 : a.json()["choices"][0]["message"]["content"].get<std::string>();
    const Json document = Json::parse(text, nullptr, false);
    ASSERT_TRUE(document.is_object()) << text;
    EXPECT_TRUE(document["colour"] == "red" || document["colour"] == "blue") << text;
    EXPECT_TRUE(document["size"] >= 1 && document["size"] <= 9) << text;
  }
  request["response_format"]["json_schema"]["schema"] = {{"not", Json::object()}};
  const Answer no = c.post("/v1/chat/completions", request);
  EXPECT_EQ(no.status, 400);
  EXPECT_NE(no.json()["error"]["message"].get<std::string>().find("not"), std::string::npos)
      << no.body;
}

TEST_F(Served, KeysAreAskedFor) {
  Setting s;
  s.api.keys = {"first", "second"};
  start(s);
  ApiClient c = client();
  const auto with = [&](const std::string& key) {
    return c.get("/v1/models", key.empty() ? "" : "Authorization: " + key + "\r\n");
  };
  const Answer without = with("");
  EXPECT_EQ(without.status, 401);
  EXPECT_EQ(without.code(), "invalid_api_key");
  EXPECT_EQ(without.json()["error"]["type"], "authentication_error");
  EXPECT_NE(without.head.find("WWW-Authenticate: Bearer"), std::string::npos);
  for (const char* bad : {"Bearer third", "Bearer firs", "Bearer firstt", "Bearer ",
                          "Bearer firstfirst", "first", "Basic first"})
    EXPECT_EQ(with(bad).status, 401) << bad;
  for (const char* good : {"Bearer first", "bearer second"})
    EXPECT_EQ(with(good).status, 200) << good;
  EXPECT_EQ(c.post("/v1/completions", completion("a").dump()).status, 401);
  EXPECT_EQ(c.get("/health").status, 200);
  EXPECT_EQ(log().find("first"), std::string::npos);
}

TEST_F(Served, OtherPagesAreLetInOnlyWhenAskedFor) {
  const std::string origin = "Origin: https://chat.example\r\n";
  start();
  EXPECT_EQ(client().get("/v1/models", origin).status, 403);
  Setting s;
  s.api.http.visitors.origins = {"https://chat.example"};
  start(s);
  ApiClient c = client();
  const Answer in = c.get("/v1/models", origin);
  EXPECT_EQ(in.status, 200);
  EXPECT_NE(in.head.find("Access-Control-Allow-Origin: https://chat.example\r\n"),
            std::string::npos)
      << in.head;
  EXPECT_EQ(c.get("/v1/models", "Origin: https://evil.example\r\n").status, 403);
  c.raw().send(request_text("OPTIONS", "/v1/completions", server_->port(), "",
                            origin + "Access-Control-Request-Method: POST\r\n"
                                     "Access-Control-Request-Headers: authorization\r\n"));
  const Answer asked = c.read();
  EXPECT_EQ(asked.status, 200);
  EXPECT_NE(asked.head.find("Access-Control-Allow-Headers: authorization\r\n"), std::string::npos)
      << asked.head;
}

TEST_F(Served, NamesOfTheServer) {
  const auto ask = [&](const std::string& host) {
    http::TestClient c(server_->port());
    c.send("GET /health HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return status_of(c.read_answer());
  };
  start();
  EXPECT_EQ(ask("mine.example"), 403);
  EXPECT_EQ(ask("10.0.0.7"), 403);
  EXPECT_EQ(ask(fmt::format("[::1]:{}", server_->port())), 200);
  Setting s;
  s.api.http.visitors = {.by_address = true, .hosts = {"mine.example"}, .origins = {}};
  start(s);
  for (const char* good :
       {"mine.example", "mine.example:80", "10.0.0.7", "10.0.0.7:8080", "[fe80::1]:8080"})
    EXPECT_EQ(ask(good), 200) << good;
  for (const char* bad : {"other.example", "mine.example.evil", "mine.example:x", "[fe80::1",
                          "10.0.0.7@evil", "mine.example:80@evil", ""})
    EXPECT_EQ(ask(bad), 403) << bad;
}

TEST_F(Served, CountersAddUp) {
  start();
  ApiClient c = client();
  for (int i = 0; i < 3; ++i) c.post("/v1/completions", completion("a", {{"n", 2}}));
  c.post("/v1/completions", "{");
  EXPECT_EQ(metric("sequences_accepted_total"), 6);
  EXPECT_EQ(ended("length") + ended("stop"), 6);
  EXPECT_EQ(metric("http_requests_total{path=\"/v1/completions\",status=\"200\"}"), 3);
  EXPECT_EQ(metric("http_requests_total{path=\"/v1/completions\",status=\"400\"}"), 1);
  EXPECT_EQ(metric("first_token_seconds_count"), 6);
  EXPECT_EQ(metric("slots"), 4);
  // What runs is told after each step: after the answers, but soon.
  for (int i = 0; i < 500 && metric("sequences_running") > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(metric("sequences_running"), 0);
}

TEST_F(Served, OneLineForEveryRequestWithoutItsText) {
  start();
  ApiClient c = client();
  const Answer a = c.post("/v1/completions", completion("A secret text"));
  const std::string id = a.json()["id"];
  EXPECT_NE(a.head.find("X-Request-Id: " + id), std::string::npos);
  ASSERT_TRUE(soon([&] { return !log().empty(); }));
  const std::string line = log();
  EXPECT_NE(line.find(id + " POST /v1/completions 200 "), std::string::npos) << line;
  EXPECT_NE(line.find("generated=12"), std::string::npos) << line;
  EXPECT_EQ(line.find("secret"), std::string::npos);
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
}

}  // namespace
}  // namespace serve_test
