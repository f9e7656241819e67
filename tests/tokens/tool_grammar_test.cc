// Grammars of calls: what they allow is what the parser reads, with arguments of the schemas.
#include "tilewright/tokens/grammar/tool_grammar.h"

#include "grammar_support.h"

namespace tokens_test {
namespace {

using grammar::Opening;
using grammar::Tool;
using grammar::ToolChoice;
using grammar::ToolRules;

const std::vector<Tool> kTools{
    {"get", R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})"},
    {"list", ""}};

std::shared_ptr<const Grammar> calls(const ToolRules& rules, const Model& m = byte_model()) {
  return grammar::compile_tools(kTools, "tools", rules, m.vocabulary);
}

struct Texts {
  ToolRules rules;
  std::vector<std::string> whole, open, wrong;
};

TEST(ToolGrammar, HasTheFormOfTheFamily) {
  const std::string get = R"({"name": "get", "arguments": {"n": 1}})";
  const std::string tagged = "<tool_call>\n" + get + "\n</tool_call>";
  const std::string bare = R"({"name": "get", "parameters": {"n": 1}})";
  const std::vector<Texts> all{
      {{.format = ToolFormat::Tagged, .choice = ToolChoice::Required},
       {tagged, tagged + "\n" + tagged, "\n" + tagged,
        R"(<tool_call>{"name":"list","arguments":{"any":[1]}}</tool_call>)"},
       {"", "<tool", tagged + "\n", R"(<tool_call>{"name": "get", "arguments": {"n": )"},
       {"Sure", R"(<tool_call>{"name": "other)",
        R"(<tool_call>{"name": "get", "arguments": {"n": ")",
        R"(<tool_call>{"name": "get", "arguments": {}})",
        R"(<tool_call>{"name": "list", "arguments": 1)"}},
      {{.format = ToolFormat::Tagged, .choice = ToolChoice::Required, .several = false},
       {tagged},
       {},
       {tagged + "\n"}},
      {{.format = ToolFormat::Tagged, .choice = ToolChoice::Auto},
       {"", "Sure, a < b", "<tool_", "<tool_x>", tagged, "Sure.\n" + tagged + " And " + tagged,
        "<<tool_call"},
       {"<tool_call>", "x<tool_call>\n{"},
       {"<tool_call>x", "<<tool_call>x", "<tool_<tool_call>x",
        R"(Sure. <tool_call>{"name": "get", "arguments": {"n": "x)"}},
      {{.format = ToolFormat::Listed, .choice = ToolChoice::Required},
       {"[TOOL_CALLS] [" + get + "]", "[TOOL_CALLS][" + get + ", " + get + "]"},
       {"[TOOL_CALLS] [" + get},
       {"[" + get, "[TOOL_CALLS] [" + get + "] x"}},
      {{.format = ToolFormat::Listed, .choice = ToolChoice::Auto},
       {"Sure", "[1]", "[TOOL_CALLS] [" + get + "]"},
       {"[TOOL_CALLS] ["},
       {"[TOOL_CALLS] x"}},
      {{.format = ToolFormat::Bare, .choice = ToolChoice::Required},
       {bare},
       {"{"},
       {"Sure", bare + " x", get}},
      {{.format = ToolFormat::Bare, .choice = ToolChoice::Auto},
       {"", "Sure {\"name\": 1", bare, "\n" + bare, R"({"answer": 1})", R"({"nam)", R"({"name" x)"},
       {R"({"name": )", R"({"name": "get")"},
       {R"({"name": "x)", R"({"name": 1)", R"({  "name" :)", bare + " x"}},
      {{.format = ToolFormat::Tagged,
        .choice = ToolChoice::Required,
        .opening = Opening::Reasoning},
       {"Well <tool_call>.</think>\n\n" + tagged},
       {"Well", "</think>\n"},
       {"Well</think>x"}},
  };
  for (const Texts& t : all) {
    const auto g = calls(t.rules);
    for (const std::string& text : t.whole) EXPECT_EQ(verdict(*g, text), Verdict::Complete) << text;
    for (const std::string& text : t.open) EXPECT_EQ(verdict(*g, text), Verdict::Open) << text;
    for (const std::string& text : t.wrong) EXPECT_EQ(verdict(*g, text), Verdict::Wrong) << text;
  }
}

TEST(ToolGrammar, SchemasMayFollowThoughts) {
  const auto g = grammar::compile_schema(R"({"type":"null"})", "schema", byte_model().vocabulary,
                                         Opening::Reasoning);
  EXPECT_EQ(verdict(*g, "\xFF hm </think null</think>\n\nnull"), Verdict::Complete);
  EXPECT_EQ(verdict(*g, "hm"), Verdict::Open);
  EXPECT_EQ(verdict(*g, "hm</think>x"), Verdict::Wrong);
}

// Special tokens are symbols of their own: they open calls, and are never part of a string.
TEST(ToolGrammar, SpecialTokensOpenCalls) {
  TokenizerSpec spec;
  spec.spelling = Spelling::ByteFallback;
  const auto& bytes = *byte_model().tokenizer;
  for (int32_t id = 0; id < 256; ++id) spec.pieces.emplace_back(bytes.piece(id));
  for (const char* special : {"<end>", "[TOOL_CALLS]", "<|python_tag|>", "<pad>"}) {
    spec.added.push_back(
        {.id = static_cast<int32_t>(spec.pieces.size()), .content = special, .special = true});
    spec.pieces.emplace_back(special);
  }
  const int32_t end = 256, list = 257, python = 258, pad = 259;
  Model m{"special", std::make_shared<Tokenizer>(spec, "special"), nullptr};
  m.vocabulary = std::make_shared<Vocabulary>(*m.tokenizer, std::vector<int32_t>{end});

  const auto required = calls({.format = ToolFormat::Listed, .choice = ToolChoice::Required}, m);
  auto c = required->constraint();
  for (int32_t id = 0; id < 260; ++id) EXPECT_EQ(c->allowed().contains(id), id == list) << id;
  c->accept(list);
  EXPECT_TRUE(c->allowed().contains('['));
  EXPECT_FALSE(c->allowed().contains(list));

  c = calls({.format = ToolFormat::Listed, .choice = ToolChoice::Auto}, m)->constraint();
  for (const int32_t id : {int32_t{'a'}, 0xFF, pad, python, list, end})
    EXPECT_TRUE(c->allowed().contains(id)) << id;
  c->accept('a');
  c->accept(pad);
  c->accept(list);
  EXPECT_FALSE(c->allowed().contains('a'));
  EXPECT_FALSE(c->allowed().contains(end));

  c = calls({.format = ToolFormat::Bare, .choice = ToolChoice::Auto}, m)->constraint();
  c->accept(python);
  EXPECT_TRUE(c->allowed().contains('{'));
  EXPECT_FALSE(c->allowed().contains('a'));

  c = compiled(R"({"type":"string"})", m)->constraint();
  c->accept('"');
  for (const int32_t id : {list, python, pad, end}) EXPECT_FALSE(c->allowed().contains(id)) << id;
}

TEST(ToolGrammar, MistakesAreNamed) {
  const auto error = [](const std::vector<Tool>& tools) {
    return error_of([&] { grammar::compile_tools(tools, "tools", {}, byte_model().vocabulary); });
  };
  EXPECT_EQ(error({{"f", ""}, {"f", ""}}),
            "error: two tools have the name \"f\"\n  at tools, #/1\n"
            "  a tool is called by its name\n  help: rename one of them\n");
  EXPECT_NE(error({{"f", R"({"type":"object","properties":{"a":{"multipleOf":2}}})"}})
                .find("at tools/0/function/parameters, #/properties/a/multipleOf"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              grammar::compile_tools({{"f", R"({"type":"string"})"}}, "tools",
                                     {.choice = ToolChoice::Required}, byte_model().vocabulary);
            }).find("no call satisfies"),
            std::string::npos);
}

}  // namespace
}  // namespace tokens_test
