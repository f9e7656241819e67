// What editors ask about a document: hover, hints, lenses, navigation, completion, quick fixes.
#include <fstream>

#include "../temporary_directory.h"
#include "conversation.h"
#include "tilewright/lsp/op_catalogue.h"
#include "tilewright/lsp/uri.h"

namespace tilewright::lsp_test {
namespace {

struct Features : testing::Test {
  Conversation c;
  std::string text = small_program();

  void SetUp() override {
    c.initialize(nullptr, {{"textDocument",
                            {{"documentSymbol", {{"hierarchicalDocumentSymbolSupport", true}}}}}});
    c.open(kUri, text);
  }
  Json at(const std::string& word, int nth = 0) {
    return {{"textDocument", {{"uri", kUri}}}, {"position", position_of(text, word, nth)}};
  }
  std::string hover(const std::string& word, int nth = 0) {
    const Json h = c.request("textDocument/hover", at(word, nth));
    return h.is_null() ? "" : h["contents"]["value"].get<std::string>();
  }
  void expect_hover(const std::string& word, int nth, std::initializer_list<const char*> parts) {
    const std::string text_of_hover = hover(word, nth);
    for (const char* part : parts)
      EXPECT_NE(text_of_hover.find(part), std::string::npos) << word << ": " << text_of_hover;
  }
};

TEST_F(Features, HoverTellsOfValues) {
  expect_hover("twice", 0, {"[16 x 128] f32", "8 KiB", "Vec", "scope double"});
  expect_hover("x,", 0, {"[64 x 128] f32", "parameter, In", "GM"});
  expect_hover("ROWS,", 0, {"`16`", "an integer"});
  expect_hover("ROWS", 0, {"a number of the file"});
  expect_hover("rb *", 0, {"the variable of `for rb in pl.parallel(4)"});
  expect_hover("Small", 0, {"program **Small**: 2 parameters, 1 scope"});
  EXPECT_EQ(hover("class"), "");
  EXPECT_EQ(hover("small(self"), "");
}

TEST_F(Features, HoverTellsOfOperations) {
  c.request("textDocument/codeLens", {{"textDocument", {{"uri", kUri}}}});  // times are there then
  expect_hover("mul(", 0,
               {"pl.mul(a, b)", "one rounding", "gives **[16 x 128] f32** in Vec", "8 KiB",
                "us of core time"});
  expect_hover("parallel(", 0, {"pl.parallel(start, stop, step", "independent"});
}

TEST_F(Features, HoverTellsTheValidPart) {
  const std::string ragged = replaced(replaced(text, "[rb * ROWS, 0])\n                twice",
                                               "[rb * ROWS, 0], valid_shape=[pl.min(ROWS, 60 - rb "
                                               "* ROWS), 128])\n                twice"),
                                      "64 // ROWS", "4");
  text = ragged;
  c.change(kUri, text, 2);
  expect_hover("twice", 0, {"valid: `[pl.min(16, 60 - rb * 16), 128]`"});
}

TEST_F(Features, HintsAreTypesOfTensors) {
  const Json hints =
      c.request("textDocument/inlayHint", {{"textDocument", {{"uri", kUri}}},
                                           {"range",
                                            {{"start", {{"line", 0}, {"character", 0}}},
                                             {"end", {{"line", 99}, {"character", 0}}}}}});
  ASSERT_EQ(hints.size(), 2u) << hints.dump(1);
  EXPECT_EQ(hints[0]["label"], ": [16 x 128] f32 Vec");
  Json end = position_of(text, "rows = ");
  end["character"] = end["character"].get<int>() + 4;
  EXPECT_EQ(hints[0]["position"], end);
}

TEST_F(Features, LensesTellTimeTasksAndWhatBinds) {
  const Json lenses = c.request("textDocument/codeLens", {{"textDocument", {{"uri", kUri}}}});
  ASSERT_EQ(lenses.size(), 2u) << lenses.dump(1);
  const std::string program = lenses[0]["command"]["title"], scope = lenses[1]["command"]["title"];
  EXPECT_TRUE(program.starts_with("predicted ")) << program;
  EXPECT_NE(program.find("4 tasks"), std::string::npos) << program;
  EXPECT_NE(scope.find(" us x 4 tasks, 100 % of core time, "), std::string::npos) << scope;
  EXPECT_EQ(lenses[1]["range"]["start"], position_of(text, "with pl.at"));
}

TEST_F(Features, DefinitionsAndReferences) {
  const Json d = c.request("textDocument/definition", at("rows, 2.0"));
  EXPECT_EQ(d["range"]["start"], position_of(text, "rows = "));
  EXPECT_EQ(c.request("textDocument/definition", at("x, [ROWS"))["range"]["start"],
            position_of(text, "x: pl.Tensor"));
  Json all = at("ROWS", 0);
  all["context"] = {{"includeDeclaration", true}};
  EXPECT_EQ(c.request("textDocument/references", all).size(), 5u);
  all["context"]["includeDeclaration"] = false;
  EXPECT_EQ(c.request("textDocument/references", all).size(), 4u);
  EXPECT_EQ(c.request("textDocument/definition", at("import")), nullptr);
}

TEST_F(Features, SymbolsAreATree) {
  const Json s = c.request("textDocument/documentSymbol", {{"textDocument", {{"uri", kUri}}}});
  ASSERT_EQ(s.size(), 2u) << s.dump(1);
  EXPECT_EQ(s[0]["name"], "ROWS");
  EXPECT_EQ(s[1]["name"], "Small");
  EXPECT_EQ(s[1]["range"]["end"]["line"], 14);
  EXPECT_EQ(s[1]["children"][0]["name"], "small");
  EXPECT_EQ(s[1]["children"][0]["children"][0]["name"], "double");
}

TEST_F(Features, CompletionKnowsOperationsConstantsAndNames) {
  const auto labels = [&](const std::string& typed) {
    text = replaced(small_program(), "pl.mul(rows, 2.0)", typed);
    c.change(kUri, text, 2);
    Json p = at("twice = " + typed);
    p["position"]["character"] = p["position"]["character"].get<std::size_t>() + 8 + typed.size();
    std::set<std::string> out;
    for (const Json& item : c.request("textDocument/completion", p)) out.insert(item["label"]);
    return out;
  };
  const auto ops = labels("pl.");
  EXPECT_TRUE(ops.contains("matmul") && ops.contains("parallel") && ops.contains("BF16"));
  EXPECT_TRUE(labels("pl.Level.").contains("CORE_GROUP"));
  EXPECT_TRUE(labels("pl.tile.").contains("load"));
  const auto names = labels("ro");
  EXPECT_TRUE(names.contains("rows") && !names.contains("ro") && !names.contains("ROWS"));
  EXPECT_TRUE(labels("# pl.").empty());
}

TEST_F(Features, SignatureHelpFollowsTheArguments) {
  const auto help = [&](const std::string& typed) {
    text = replaced(small_program(), "pl.mul(rows, 2.0)", typed);
    c.change(kUri, text, 2);
    Json p = at("twice = " + typed);
    p["position"]["character"] = p["position"]["character"].get<std::size_t>() + 8 + typed.size();
    return c.request("textDocument/signatureHelp", p);
  };
  Json h = help("pl.slice(x, [16, ");
  EXPECT_EQ(h["signatures"][0]["label"], "pl.slice(x, shape, offset, valid_shape, *, pad_value)");
  EXPECT_EQ(h["activeParameter"], 1);
  h = help("pl.slice(x, [16, 128], [0, 0], pad_value=");
  EXPECT_EQ(h["activeParameter"], 4);
  EXPECT_EQ(help("pl.mul(rows, 2.0)"), nullptr);
  EXPECT_EQ(help("print(pl.exp"), nullptr);
}

TEST_F(Features, QuickFixesWriteWhatWasMeant) {
  const auto fix = [&](const std::string& from, const std::string& to) {
    text = replaced(small_program(), from, to);
    c.change(kUri, text, 2);
    const Json told = c.diagnostics(kUri, 2);
    const Json actions = c.request("textDocument/codeAction",
                                   {{"textDocument", {{"uri", kUri}}},
                                    {"range", told[0]["range"]},
                                    {"context", {{"diagnostics", told}, {"only", {"quickfix"}}}}});
    return actions.empty() ? Json() : actions[0];
  };
  Json a = fix("twice, [rb", "twise, [rb");
  EXPECT_EQ(a["title"], "change twise to twice");
  EXPECT_EQ(a["edit"]["changes"][kUri][0]["newText"], "twice");
  EXPECT_EQ(a["edit"]["changes"][kUri][0]["range"]["start"], position_of(text, "twise"));
  a = fix("pl.slice(x", "pl.slise(x");
  EXPECT_EQ(a["title"], "change slise to slice");
  a = fix("pl.parallel(64", "range(64");
  EXPECT_EQ(a["edit"]["changes"][kUri][0]["newText"], "pl.range") << a.dump(1);
}

TEST(Modules, DefinitionsAndReferencesReachOverThem) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "sizes.py") << "OTHER = 1\nROWS = 16\n";
  const std::string main_uri = lsp::uri_of_path(directory / "layer.py");
  const std::string text = replaced(small_program(), "ROWS = 16", "from sizes import ROWS");
  Conversation c;
  c.initialize();
  c.open(main_uri, text);
  const Json p{{"textDocument", {{"uri", main_uri}}}, {"position", position_of(text, "ROWS", 1)}};
  const Json d = c.request("textDocument/definition", p);
  EXPECT_EQ(d["uri"], lsp::uri_of_path(directory / "sizes.py"));
  EXPECT_EQ(d["range"]["start"], (Json{{"line", 1}, {"character", 0}}));
  EXPECT_EQ(c.request("textDocument/references", p).size(), 6u);
}

// Whatever is refused for its name must be offered under the right one.
TEST(OpCatalogue, EveryOperationHasItsMeaning) {
  for (const lsp::OpEntry& op : lsp::op_catalogue()) EXPECT_FALSE(op.meaning.empty()) << op.name;
  ASSERT_NE(lsp::find_op("tile.load"), nullptr);
  EXPECT_EQ(lsp::find_op("adds")->name, "add");
  EXPECT_EQ(lsp::find_op("row_expand_div")->rule, lsp::find_op("row_expand_add")->rule);
  EXPECT_EQ(lsp::find_op("nothing"), nullptr);
}

}  // namespace
}  // namespace tilewright::lsp_test
