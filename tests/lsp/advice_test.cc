// Code actions that apply advice: the edits of the protocol, made, give the faster program.
#include "conversation.h"
#include "tilewright/frontend/frontend.h"
#include "tilewright/ir/print.h"

namespace tilewright::lsp_test {
namespace {

const Json kCreates{
    {"workspace",
     {{"workspaceEdit", {{"documentChanges", true}, {"resourceOperations", {"create"}}}}}}};

// One row to a task: larger tasks are faster, and ROWS says how large they are.
std::string slow_program() { return replaced(small_program(), "ROWS = 16", "ROWS = 1"); }

Json actions_of(Conversation& c, int trigger = 1) {
  return c.request("textDocument/codeAction",
                   {{"textDocument", {{"uri", kUri}}},
                    {"range",
                     {{"start", {{"line", 0}, {"character", 0}}},
                      {"end", {{"line", 0}, {"character", 0}}}}},
                    {"context", {{"diagnostics", Json::array()}, {"triggerKind", trigger}}}});
}

// The text with the edits of one document, which are in order and do not overlap.
std::string with_edits(std::string text, const Json& edits) {
  const auto offset = [&](const Json& p) {
    std::size_t at = 0;
    for (int i = 0; i < p["line"].get<int>(); ++i) at = text.find('\n', at) + 1;
    return at + p["character"].get<std::size_t>();
  };
  for (auto it = edits.rbegin(); it != edits.rend(); ++it) {
    const std::size_t from = offset((*it)["range"]["start"]), to = offset((*it)["range"]["end"]);
    text.replace(from, to - from, (*it)["newText"]);
  }
  return text;
}

double predicted_us(Conversation& c) {
  const Json lenses = c.request("textDocument/codeLens", {{"textDocument", {{"uri", kUri}}}});
  const std::string title = lenses.at(0)["command"]["title"];
  return std::stod(title.substr(std::string("predicted ").size()));
}

TEST(Advice, AConstantIsChangedInTheAuthorsText) {
  Conversation c;
  c.initialize({{"adviceSeconds", 20}}, kCreates);
  c.open(kUri, slow_program());
  EXPECT_EQ(actions_of(c, 2), Json::array());  // a light bulb starts no search
  Json found;
  for (const Json& a : actions_of(c))
    if (a["edit"].dump().find("\"kind\"") == std::string::npos) found = a;
  ASSERT_FALSE(found.is_null());
  EXPECT_EQ(found["kind"], "refactor.rewrite");
  const Json& change = found["edit"]["documentChanges"][0];
  EXPECT_EQ(change["textDocument"]["version"], 1);
  const double before = predicted_us(c);
  const std::string faster = with_edits(slow_program(), change["edits"]);
  EXPECT_NE(faster, slow_program());
  c.change(kUri, faster, 2);
  EXPECT_EQ(c.diagnostics(kUri, 2), Json::array());
  EXPECT_LT(predicted_us(c), before);
  EXPECT_EQ(actions_of(c, 2), Json::array());  // what was known is of the old text
}

TEST(Advice, AListingIsChangedInItsLines) {
  const std::string listing =
      ir::print(frontend::File::parse("slow.py", slow_program()).lower("", {}).program);
  Conversation c;
  c.initialize({{"adviceSeconds", 20}}, kCreates);
  c.open(kUri, listing);
  const Json actions = actions_of(c);
  ASSERT_FALSE(actions.empty());
  EXPECT_EQ(actions_of(c, 2), actions);  // known by now
  const double before = predicted_us(c);
  const std::string faster = with_edits(listing, actions[0]["edit"]["documentChanges"][0]["edits"]);
  c.change(kUri, faster, 2);
  EXPECT_EQ(c.diagnostics(kUri, 2), Json::array()) << faster;
  EXPECT_LT(predicted_us(c), before);
}

// A search may be over before it is stopped, so an answer is as good as the error; silence is not.
TEST(Advice, ASearchThatIsCancelledOrOutdatedIsAnswered) {
  Conversation c;
  c.initialize({{"adviceSeconds", 600}}, kCreates);
  c.open(kUri, slow_program());
  c.diagnostics(kUri, 1);
  const Json nowhere{{"line", 0}, {"character", 0}};
  const Json params{{"textDocument", {{"uri", kUri}}},
                    {"range", {{"start", nowhere}, {"end", nowhere}}},
                    {"context", {{"diagnostics", Json::array()}}}};
  const int cancelled = c.begin("textDocument/codeAction", params);
  c.notify("$/cancelRequest", {{"id", cancelled}});
  const Json first = c.answer(cancelled);
  EXPECT_TRUE(first.contains("result") || first["error"]["code"] == -32800) << first;
  const int outdated = c.begin("textDocument/codeAction", params);
  c.change(kUri, small_program(), 2);
  const Json second = c.answer(outdated);
  EXPECT_TRUE(second.contains("result") || second["error"]["code"] == -32801) << second;
  EXPECT_EQ(c.diagnostics(kUri, 2), Json::array());
}

}  // namespace
}  // namespace tilewright::lsp_test
