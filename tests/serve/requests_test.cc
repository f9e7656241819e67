// Requests as they are read: each mistake names its field, and its good twin is accepted.
#include <gtest/gtest.h>

#include "served.h"
#include "tilewright/serve/chat_request.h"
#include "tilewright/serve/completion_request.h"

namespace serve_test {
namespace {

using serve::Refused;

serve::ServedModel model() {
  TestModel& m = test_model();
  serve::ServedModel out{.checkpoint = m.checkpoint,
                         .text = m.text,
                         .id = "small",
                         .context = 512,
                         .fingerprint = {},
                         .sampling = {}};
  out.sampling.temperature = 1;
  return out;
}

const std::string kHi = R"("messages": [{"role": "user", "content": "Hi"}])";

template <class Read>
serve::ApiError error_of(const Read& read) {
  try {
    read();
  } catch (const Refused& e) {
    return e.error();
  }
  return {200, "", "", ""};
}
serve::ApiError chat_error(const std::string& body) {
  return error_of([&] { serve::read_chat_request(body, model()); });
}
serve::ApiError completion_error(const std::string& body) {
  return error_of([&] { serve::read_completion_request(body, model()); });
}

struct Case {
  std::string bad, param, words;
  std::string good;
};

TEST(Requests, EveryMistakeOfAChatNamesItsField) {
  const auto with = [](const std::string& more) { return "{" + kHi + ", " + more + "}"; };
  const auto message = [](const std::string& m) { return R"({"messages": [)" + m + "]}"; };
  const Case cases[] = {
      {"{}", "messages", "messages is missing", "{" + kHi + "}"},
      {"[]", "", "the body is an array; an object is expected", "{" + kHi + "}"},
      {message(""), "messages", "messages is empty", "{" + kHi + "}"},
      {message(R"({"role": "bot", "content": "x"})"), "messages[0].role", "\"bot\"",
       message(R"({"role": "developer", "content": "x"})")},
      {message(R"({"role": "user"})"), "messages[0].content", "missing",
       message(R"({"role": "assistant", "content": null}, {"role": "user", "content": "x"})")},
      {message(R"({"role": "user", "content": [{"type": "image_url", "image_url": {}}]})"),
       "messages[0].content[0].type", "reads text only",
       message(
           R"({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]})")},
      {message(R"({"role": "user", "content": 5})"), "messages[0].content", "is a number",
       "{" + kHi + "}"},
      {with(R"("temperature": -1)"), "temperature", "is -1; 0 to 100", with(R"("temperature": 0)")},
      {with(R"("temperature": "hot")"), "temperature", "is a string",
       with(R"("temperature": null)")},
      {with(R"("top_p": 1.5)"), "top_p", "1.5", with(R"("top_p": 1)")},
      {with(R"("top_k": 2.5)"), "top_k", "a whole number", with(R"("top_k": 5.0)")},
      {with(R"("top_k": 1e300)"), "top_k", "1000000000", with(R"("top_k": -1)")},
      {with(R"("n": 0)"), "n", "1 to 128", with(R"("n": 2)")},
      {with(R"("seed": 18446744073709551615)"), "seed", "18446744073709551615",
       with(R"("seed": -5)")},
      {with(R"("max_tokens": -1)"), "max_tokens", "-1", with(R"("max_tokens": 1)")},
      {with(R"("stop": [""])"), "stop[0]", "empty", with(R"("stop": ["a", "b"])")},
      {with(R"("stop": 5)"), "stop", "is a number", with(R"("stop": "a")")},
      {with(R"("stop": [5])"), "stop[0]", "is a number", with(R"("stop": null)")},
      {with(R"("top_logprobs": 5)"), "top_logprobs", "without",
       with(R"("logprobs": true, "top_logprobs": 5)")},
      {with(R"("logprobs": true, "top_logprobs": 21)"), "top_logprobs", "0 to 20",
       with(R"("logprobs": false)")},
      {with(R"("stream_options": {"include_usage": true})"), "stream_options", "without",
       with(R"("stream": true, "stream_options": {"include_usage": true})")},
      {with(R"("stream": true, "stream_options": {"include": true})"), "stream_options.include",
       "did you mean", with(R"("stream": true, "stream_options": {})")},
      {with(R"("temprature": 1)"), "temprature", "did you mean 'temperature'",
       with(R"("user": "me")")},
      {with(R"("functions": [{}])"), "functions", "tools", with(R"("functions": [])")},
      {with(R"("response_format": {"type": "xml"})"), "response_format.type", "xml",
       with(R"("response_format": {"type": "text"})")},
      {with(R"("response_format": {"type": "json_schema"})"), "response_format.json_schema",
       "missing",
       with(
           R"("response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}})")},
      {with(R"("tool_choice": "required")"), "tool_choice", "no tools",
       with(R"("tool_choice": "none")")},
      {with(R"("tools": [{"type": "function", "function": {"name": ""}}])"),
       "tools[0].function.name", "empty",
       with(R"("tools": [{"type": "function", "function": {"name": "a"}}])")},
      {with(
           R"("tools": [{"type": "function", "function": {"name": "a"}}], "tool_choice": {"type": "function", "function": {"name": "b"}})"),
       "tool_choice.function.name", "not among",
       with(
           R"("tools": [{"type": "function", "function": {"name": "a"}}], "tool_choice": {"type": "function", "function": {"name": "a"}})")},
      {with(R"("chat_template_kwargs": {"messages": []})"), "chat_template_kwargs.messages",
       "cannot", with(R"("chat_template_kwargs": {"enable_thinking": false})")},
  };
  for (const Case& c : cases) {
    const serve::ApiError e = chat_error(c.bad);
    EXPECT_EQ(e.status, 400) << c.bad;
    EXPECT_EQ(e.param, c.param) << c.bad << "\n" << e.message;
    EXPECT_NE(e.message.find(c.words), std::string::npos) << c.bad << "\n" << e.message;
    EXPECT_FALSE(e.code.empty()) << c.bad;
    EXPECT_EQ(chat_error(c.good).message, "") << c.good;
  }
}

TEST(Requests, EveryMistakeOfACompletionNamesItsField) {
  const Case cases[] = {
      {"{}", "prompt", "missing", R"({"prompt": ""})"},
      {R"({"prompt": []})", "prompt", "empty", R"({"prompt": ["a", "b"]})"},
      {R"({"prompt": [[1], 5]})", "prompt[1]", "is a number", R"({"prompt": [[1], [5]]})"},
      {R"({"prompt": [285]})", "prompt[0]", "0 to 284", R"({"prompt": [284]})"},
      {R"({"prompt": [-1]})", "prompt[0]", "-1", R"({"prompt": [0]})"},
      {R"({"prompt": [1.5]})", "prompt[0]", "a token id", R"({"prompt": [1]})"},
      {R"({"prompt": "a", "best_of": 2})", "best_of", "only n",
       R"({"prompt": "a", "best_of": 2, "n": 2})"},
      {R"({"prompt": "a", "suffix": "b"})", "suffix", "cannot", R"({"prompt": "a", "suffix": ""})"},
      {R"({"prompt": "a", "echo": true, "logprobs": 1})", "logprobs", "echo",
       R"({"prompt": "a", "echo": true})"},
      {R"({"prompt": "a", "messages": []})", "messages", "not a field", R"({"prompt": "a"})"},
  };
  for (const Case& c : cases) {
    const serve::ApiError e = completion_error(c.bad);
    EXPECT_EQ(e.param, c.param) << c.bad << "\n" << e.message;
    EXPECT_NE(e.message.find(c.words), std::string::npos) << c.bad << "\n" << e.message;
    EXPECT_EQ(completion_error(c.good).message, "") << c.good;
  }
}

TEST(Requests, BrokenAndHostileBodies) {
  const serve::ApiError broken = chat_error("{\"a\": 1,\n \"b\": x}");
  EXPECT_NE(broken.message.find("line 2, column 7"), std::string::npos) << broken.message;
  EXPECT_EQ(broken.code, "invalid_json");
  EXPECT_NE(chat_error(R"({"n": 1, "n": 2})").message.find("n twice"), std::string::npos);
  std::string deep(100'000, '[');
  EXPECT_NE(chat_error(deep).message.find("nested more than 64 deep"), std::string::npos);
  EXPECT_EQ(chat_error("").code, "invalid_json");
  EXPECT_EQ(chat_error("\xFF\xFE{}").code, "invalid_json");
  // As many members as fit: in no more time than the body is long.
  std::string many = "{";
  for (int i = 0; i < 200'000; ++i) many += fmt::format("\"k{}\":0,", i);
  many += "\"z\":0}";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(chat_error(many).code, "missing_required_parameter");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

TEST(Requests, MessagesAsTemplatesTakeThem) {
  const auto r = serve::read_chat_request(
      R"({"messages": [
        {"role": "developer", "content": [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}]},
        {"role": "assistant", "content": null, "reasoning": "hm", "tool_calls": [{"id": "c1", "type": "function",
          "function": {"name": "f", "arguments": "{\"b\": 1, \"a\": 2.0}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "3"}],
       "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
       "max_tokens": 5, "max_completion_tokens": 7, "chat_template_kwargs": {"enable_thinking": false}})",
      model());
  const serve::Value v = r.template_variables();
  EXPECT_EQ(v["messages"][0].dump(), R"({"role":"system","content":"Be brief."})");
  EXPECT_EQ(v["messages"][1]["tool_calls"][0]["function"].dump(),
            R"({"name":"f","arguments":{"b":1,"a":2.0}})");  // in the order and form they came
  EXPECT_EQ(v["messages"][1]["reasoning_content"], "hm");
  EXPECT_EQ(v["messages"][2]["tool_call_id"], "c1");
  EXPECT_EQ(v["tools"].size(), 1u);
  EXPECT_EQ(v["enable_thinking"], false);
  EXPECT_EQ(v["add_generation_prompt"], true);
  EXPECT_EQ(r.settings.max_tokens, 7);
}

TEST(Requests, ChoicesDrawFromSeedsOfTheirOwn) {
  const auto r = serve::read_completion_request(R"({"prompt": "a", "n": 3, "seed": 40})", model());
  EXPECT_EQ(r.settings.sampling_of(0).seed, 40u);
  EXPECT_EQ(r.settings.sampling_of(2).seed, 42u);
  const auto a = serve::read_completion_request(R"({"prompt": "a"})", model());
  const auto b = serve::read_completion_request(R"({"prompt": "a"})", model());
  EXPECT_NE(a.settings.sampling.seed, b.settings.sampling.seed);
}

}  // namespace
}  // namespace serve_test
