// Calls of tools and thoughts, read from text that comes in any pieces.
#include "tilewright/tokens/tool_calls.h"

#include <random>

#include "support.h"
#include "tilewright/tokens/reasoning.h"

namespace tokens_test {
namespace {

using enum ToolFormat;
using enum ToolArguments;

// What a client puts together from the pieces.
struct Read {
  std::string content;
  std::vector<std::string> calls;  // "id name arguments"
  friend bool operator==(const Read&, const Read&) = default;
};

void add(Read& read, const std::vector<ToolDelta>& deltas) {
  for (const ToolDelta& d : deltas) {
    read.content += d.content;
    if (!d.call) continue;
    EXPECT_TRUE(d.content.empty());
    if (!d.name.empty()) {
      EXPECT_EQ(*d.call, read.calls.size());  // the first piece of a call, and no other
      EXPECT_TRUE(d.arguments.empty());
      read.calls.push_back(d.id + " " + d.name + " ");
    } else {
      EXPECT_TRUE(d.id.empty());
      EXPECT_FALSE(d.arguments.empty());
      ASSERT_LT(*d.call, read.calls.size());
      read.calls[*d.call] += d.arguments;
    }
  }
}

Read read_in_pieces(ToolFormat format, ToolArguments when, const std::string& text,
                    const std::function<std::size_t()>& piece) {
  ToolParser parser(format, "c", when);
  Read read;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min(piece(), text.size() - at);
    add(read, parser.push(std::string_view(text).substr(at, size)));
    at += size;
  }
  add(read, parser.finish());
  EXPECT_EQ(parser.calls(), read.calls.size());
  return read;
}

// The same for any pieces; gives what is read.
Read read(ToolFormat format, const std::string& text, ToolArguments when = WhenComplete) {
  const Read whole = read_in_pieces(format, when, text, [] { return std::size_t{1} << 20; });
  EXPECT_EQ(read_in_pieces(format, when, text, [] { return std::size_t{1}; }), whole) << text;
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(read_in_pieces(format, when, text, [&] { return random() % 9 + 1; }), whole) << text;
  return whole;
}

const std::string kQwen =
    "I look.\n<tool_call>\n{\"name\": \"get\", \"arguments\": {\"city\": \"Z\\u00fc\\\"}rich\"}}\n"
    "</tool_call>\n<tool_call>\n{\"name\": \"list\", \"arguments\": {}}\n</tool_call>";

TEST(ToolCalls, Tagged) {
  const Read expected{"I look.", {"c0 get {\"city\": \"Z\\u00fc\\\"}rich\"}", "c1 list {}"}};
  EXPECT_EQ(read(Tagged, kQwen), expected);
  EXPECT_EQ(read(Tagged, kQwen, AsTheyCome), expected);
  EXPECT_EQ(read(Tagged, "plain <tool> text\n"), (Read{"plain <tool> text\n", {}}));
  EXPECT_EQ(read(Tagged, "a <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call> b"),
            (Read{"a b", {"c0 f {}"}}));
}

TEST(ToolCalls, Listed) {
  const Read two{"", {"c0 f {\"a\": [1, {}]}", "c1 g {}"}};
  const std::string text =
      "[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {\"a\": [1, {}]}}, {\"name\": \"g\", "
      "\"arguments\": {}}]";
  EXPECT_EQ(read(Listed, text), two);
  EXPECT_EQ(read(Listed, text, AsTheyCome), two);
  EXPECT_EQ(read(Listed, "no [TOOL] calls [1]"), (Read{"no [TOOL] calls [1]", {}}));
}

TEST(ToolCalls, Bare) {
  const Read one{"", {"c0 f {\"x\": 1}"}};
  for (const std::string text :
       {"{\"name\": \"f\", \"parameters\": {\"x\": 1}}",
        "\n<|python_tag|>{\"name\": \"f\", \"parameters\": {\"x\": 1}}",
        "{\"type\": \"function\", \"name\": \"f\", \"parameters\": {\"x\": 1}}"}) {
    EXPECT_EQ(read(Bare, text), one);
    EXPECT_EQ(read(Bare, text, AsTheyCome), one);
  }
  EXPECT_EQ(read(Bare, "{\"name\":\"f\",\"parameters\":{}}; {\"name\":\"g\",\"parameters\":{}}"),
            (Read{"", {"c0 f {}", "c1 g {}"}}));
  for (const std::string text : {"{\"answer\": 1}", "Yes {\"name\": \"f\", \"parameters\": {}}",
                                 " \n", "<|python_tag|>print(1)", "<|py"})
    EXPECT_EQ(read(Bare, text), (Read{text, {}}));
}

TEST(ToolCalls, MalformedCallsStayText) {
  for (const std::string text :
       {"<tool_call>\n{\"name\": \"f\"}\n</tool_call>",
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 01}}</tool_call>",
        "<tool_call>{\"name\": \"f\", \"arguments\": [1]}</tool_call>",
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}",  // never closed
        "<tool_call>{\"name\": \"\", \"arguments\": {}}</tool_call>",
        "<tool_call>{\"arguments\": {}, \"name\": \"f\"}</tool_call>",
        "<tool_call>{\"name\": \"f\", \"arguments\": {}, \"more\": 1}</tool_call>", "<tool_call>",
        "<tool_call>\n{\"name\": \"f", "x\n <tool_call>[]</tool_call>"})
    EXPECT_EQ(read(Tagged, text), (Read{text, {}}));
  EXPECT_EQ(read(Listed, "[TOOL_CALLS] {}"), (Read{"[TOOL_CALLS] {}", {}}));
  EXPECT_EQ(read(Listed, "[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {}} x"),
            (Read{"x", {"c0 f {}"}}));
}

TEST(ToolCalls, ArgumentsComeInPieces) {
  ToolParser parser(Tagged, "call_", AsTheyCome);
  EXPECT_TRUE(parser.push("<tool_call>\n{\"name\": \"f\", \"arguments\": ").empty());
  const auto first = parser.push("{\"a\"");
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].id + first[0].name, "call_0f");
  EXPECT_EQ(first[1].arguments, "{\"a\"");
  const auto more = parser.push(": 1}}\n</tool");
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].arguments, ": 1}");
  EXPECT_TRUE(parser.push("_call>").empty());
  EXPECT_TRUE(parser.finish().empty());
}

TEST(ToolCalls, FormatsAreRecognised) {
  EXPECT_EQ(find_tool_format("{% if tools %}<tool_call>{% endif %}"), Tagged);
  EXPECT_EQ(find_tool_format("{% if tools %}[AVAILABLE_TOOLS]{% endif %}[TOOL_CALLS]"), Listed);
  EXPECT_EQ(find_tool_format("tools [TOOL_CALLS]name[ARGS]{}"), std::nullopt);
  EXPECT_EQ(find_tool_format("<|start_header_id|> tools \"parameters\": x"), Bare);
  EXPECT_EQ(find_tool_format("{% for m in messages %}<tool_call>"), std::nullopt);
  for (const char* name : {"qwen2.5-tokenizer", "qwen3-tokenizer"}) {
    const fs::path config = kModels / name / "tokenizer_config.json";
    if (!fs::exists(config)) continue;
    const std::string text = nlohmann::json::parse(read_file(config))["chat_template"];
    EXPECT_EQ(find_tool_format(text), Tagged) << name;
  }
}

std::pair<std::string, std::string> split(const std::string& text, bool opened) {
  std::pair<std::string, std::string> whole;
  for (const std::size_t size : {std::size_t{1} << 20, std::size_t{1}, std::size_t{3}}) {
    ReasoningSplitter splitter(opened);
    std::pair<std::string, std::string> out;
    const auto add = [&](const ReasoningSplitter::Pieces& p) {
      out.first += p.reasoning;
      out.second += p.content;
    };
    for (std::size_t at = 0; at < text.size(); at += size)
      add(splitter.push(std::string_view(text).substr(at, size)));
    add(splitter.finish());
    if (size > 3) whole = out;
    EXPECT_EQ(out, whole) << text;
  }
  return whole;
}

TEST(Reasoning, IsSplitFromContent) {
  using P = std::pair<std::string, std::string>;
  EXPECT_EQ(split("<think>\nWell, a < b.\n</think>\n\nYes.\n", false),
            (P{"Well, a < b.", "Yes.\n"}));
  EXPECT_EQ(split("Well.</think>Yes. <think>", true), (P{"Well.", "Yes. <think>"}));
  EXPECT_EQ(split("\n\n<think>\n\n</think>\n\nYes", false), (P{"", "Yes"}));
  EXPECT_EQ(split("Yes, <think>.", false), (P{"", "Yes, <think>."}));
  EXPECT_EQ(split("<thin", false), (P{"", "<thin"}));
  EXPECT_EQ(split(" \n", false), (P{"", " \n"}));
  EXPECT_EQ(split("never done </thi", true), (P{"never done </thi", ""}));
  EXPECT_EQ(split("a <</think></think>b", true), (P{"a <", "</think>b"}));
  EXPECT_TRUE(opens_reasoning("<|im_start|>assistant\n<think>\n"));
  EXPECT_FALSE(opens_reasoning("<think>\n\n</think>\n\n"));
}

}  // namespace
}  // namespace tokens_test
