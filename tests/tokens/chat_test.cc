// Chat templates: what the original Jinja renders, and what is refused.
#include "tilewright/tokens/chat.h"

#include <fmt/format.h>

#include <ctime>

#include "../temporary_directory.h"
#include "support.h"

namespace tokens_test {
namespace {

TEST(Chat, RendersWhatJinjaRenders) {
  std::set<std::string> missing;
  int compared = 0;
  for (const auto& c : nlohmann::ordered_json::parse(read_file(kFixtures / "chats.json"))) {
    std::optional<ChatTemplate> made;
    if (c["template"].contains("text")) {
      made.emplace(c["template"]["text"].get<std::string>(), "chat_template.jinja");
    } else {
      const std::string model = c["template"]["model"];
      if (!fs::exists(kModels / model)) {
        missing.insert(model);
        continue;
      }
      made = load_chat_template((kModels / model).string());
    }
    ++compared;
    EXPECT_EQ(made->render_json(c["variables"].dump(), "case"), c["expected"].get<std::string>())
        << c["template"].dump() << c["variables"].dump();
  }
  EXPECT_GE(compared, 30);
  if (!missing.empty())
    GTEST_SKIP() << "SKIPPED: the templates of " << missing.size()
                 << " models are not there; run tools/fetch_models";
}

// Templates of Llama 3 ask whether there is a date, and write it.
TEST(Chat, TheDate) {
  const ChatTemplate dated(
      "{%- if strftime_now is defined %}{{ strftime_now('%Y-%m-%d') }}{%- else %}none{%- endif %}",
      "t");
  const auto today = [] {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return fmt::format("{:04}-{:02}-{:02}", 1900 + local.tm_year, local.tm_mon + 1, local.tm_mday);
  };
  const std::string before = today(), found = dated.render({}), after = today();
  EXPECT_TRUE(found == before || found == after) << found;
}

TEST(Chat, MessagesAndThinking) {
  const ChatTemplate t(
      "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
      "{% if add_generation_prompt %}[a]{% endif %}{% if enable_thinking is defined %}"
      "{{ enable_thinking }}{% endif %}{{ eos_token }}",
      "t", "<s>", "</s>");
  const std::vector<Message> messages{{"user", "Hi"}};
  EXPECT_EQ(t.render(messages), "<s>[user]Hi[a]</s>");
  EXPECT_EQ(t.render(messages, {.open_answer = false, .thinking = false}), "<s>[user]HiFalse</s>");
}

struct Refused {
  const char* source;
  const char* what;
  int line = 1;
};
class WrongTemplate : public testing::TestWithParam<Refused> {};

TEST_P(WrongTemplate, IsRefusedByNameWithItsLine) {
  const std::string text = error_of([] {
    ChatTemplate(GetParam().source, "t.jinja").render({{"user", "x"}});
  });
  EXPECT_TRUE(text.starts_with(std::string("error: ") + GetParam().what)) << text;
  EXPECT_NE(text.find("at t.jinja:" + std::to_string(GetParam().line) + " of the chat template\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongTemplate,
    testing::Values(
        Refused{"a\n{% include 'x' %}", "the block 'include' is not supported", 2},
        Refused{"{% call f() %}", "the block 'call' is not supported"},
        Refused{"\n\n{{ 1 | frobnicate }}", "the filter 'frobnicate' is not supported", 3},
        Refused{"{{ 1 is frob }}", "the test 'frob' is not supported"},
        Refused{"{{ 'x'.frob() }}", "the method 'frob' of a string is not supported"},
        Refused{"{{ [].append(1) }}", "the method 'append' of a list is not supported"},
        Refused{"{{ frob(1) }}", "the function 'frob' is not supported"},
        Refused{"{{ x.y }}", "'x' is undefined, so it has no 'y'"},
        Refused{"{{ 'a' + 1 }}", "'+' of a string and a whole number"},
        Refused{"{{ 1 // 0 }}", "'//' of a whole number and a whole number"},
        Refused{"{{ 1 < 'a' }}", "a whole number and a string have no order"},
        Refused{"{{ 1 < 2 < 3 }}", "a chain of comparisons is not supported"},
        Refused{"{{ raise_exception('roles must alternate') }}",
                "the template refuses this conversation: roles must alternate"},
        Refused{"{% if 1 %}", "'endif' is missing"},
        Refused{"{% endfor %}", "'endfor' closes nothing"},
        Refused{"{% for x in y recursive %}", "recursive loops are not supported"},
        Refused{"{% break %}", "'break' outside a loop"},
        Refused{"{% set x.y = 1 %}", "x is not a namespace, so y cannot be set"},
        Refused{"{{ 'open }}", "a string is not closed"}, Refused{"{{ 1", "a tag is not closed"},
        Refused{"{# open", "a comment is not closed"},
        Refused{"{{ 1 ? 2 }}", "the character '?' is not valid in a tag"},
        Refused{"{{ '\\x41' }}", "the escape \\x in a string is not supported"},
        Refused{"{{ 1 2 }}", "'}}' is expected, not '2'"},
        Refused{"{{ }}", "a value is expected before"},
        Refused{"{{ range(1000000) }}", "a range of more than 100000"},
        Refused{"{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
                "the template takes more than 1000000 steps"},
        Refused{"{% set ns = namespace(x=[]) %}{% for i in range(999) %}{% set ns.x = [ns.x] %}"
                "{% endfor %}",
                "lists nested more than 100 deep"},
        Refused{"{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(99) %}"
                "{% set ns.s = ns.s + ns.s %}{% endfor %}",
                "a text of more than 67108864 bytes"},
        Refused{"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
                "macros call each other without end"}));

TEST(WrongTemplate, DeepNestingDoesNotOverflowTheStack) {
  const std::string deep = "{{ " + std::string(99999, '(') + "1" + std::string(99999, ')') + " }}";
  EXPECT_TRUE(
      error_of([&] { ChatTemplate(deep, "t"); }).starts_with("error: nested more than 200"));
  std::string blocks;
  for (int i = 0; i < 1000; ++i) blocks += "{% if 1 %}";
  EXPECT_TRUE(
      error_of([&] { ChatTemplate(blocks, "t"); }).starts_with("error: nested more than 200"));
}

TEST(Chat, ANamespaceMayHoldItself) {
  const ChatTemplate t("{% set ns = namespace(a=1) %}{% set ns.self = ns %}{{ ns == ns.self }}",
                       "t");
  EXPECT_EQ(t.render({}), "True");
}

TEST(Chat, WhereTheTemplateIsFound) {
  const TemporaryDirectory dir;
  EXPECT_FALSE(load_chat_template(dir.path.string()).has_value());
  const auto write = [&](const char* file, const std::string& text) {
    std::ofstream(dir / file) << text;
  };
  write("tokenizer_config.json", R"({"bos_token": {"content": "<b>"}, "eos_token": "<e>"})");
  EXPECT_FALSE(load_chat_template(dir.path.string()).has_value());
  write("tokenizer_config.json", R"({"bos_token": {"content": "<b>"}, "chat_template": [
      {"name": "tool_use", "template": "no"}, {"name": "default", "template": "{{ bos_token }}x"}]})");
  EXPECT_EQ(load_chat_template(dir.path.string())->render({}), "<b>x");
  write("chat_template.jinja", "own {{ bos_token }}");
  EXPECT_EQ(load_chat_template(dir.path.string())->render({}), "own <b>");
}

}  // namespace
}  // namespace tokens_test
