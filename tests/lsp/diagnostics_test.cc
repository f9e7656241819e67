// Diagnostics while somebody types: what is published, where, and when it goes away.
#include <filesystem>
#include <fstream>

#include "../temporary_directory.h"
#include "conversation.h"
#include "tilewright/lsp/uri.h"

namespace tilewright::lsp_test {
namespace {

TEST(Diagnostics, AGoodProgramHasNone) {
  Conversation c;
  c.initialize();
  c.open(kUri, small_program());
  EXPECT_EQ(c.diagnostics(kUri, 1), Json::array());
}

TEST(Diagnostics, AMistakeIsToldOnItsLineAndGoesWhenItIsCorrected) {
  Conversation c;
  c.initialize();
  const std::string bad = replaced(small_program(), "[rb * ROWS, 0])\n                twice",
                                   "[rb * 20, 0])\n                twice");
  c.open(kUri, bad);
  const Json told = c.diagnostics(kUri, 1);
  ASSERT_EQ(told.size(), 1u) << told.dump(1);
  EXPECT_EQ(told[0]["code"], "bounds");
  EXPECT_EQ(told[0]["severity"], 1);
  EXPECT_EQ(told[0]["source"], "tilewright");
  EXPECT_EQ(told[0]["range"]["start"], position_of(bad, "pl.slice"));
  EXPECT_EQ(told[0]["range"]["end"]["character"],
            told[0]["range"]["start"]["character"].get<int>() + 8);
  EXPECT_NE(told[0]["message"].get<std::string>().find("\nhelp: "), std::string::npos);
  c.change(kUri, small_program(), 2);
  EXPECT_EQ(c.diagnostics(kUri, 2), Json::array());
}

TEST(Diagnostics, BothSidesOfARaceAreNamed) {
  Conversation c;
  c.initialize({{"rules", "april-2026"}});
  const std::string text = R"(import pypto.language as pl


@pl.program
class Race:
    @pl.function(type=pl.FunctionType.Opaque)
    def race(self, x: pl.Tensor[[20, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
        sums = pl.create_tensor([20, 64], dtype=pl.FP32)
        for i in pl.parallel(20):
            with pl.incore():
                t = pl.slice(x, [1, 64], [i, 0])
                sums = pl.assemble(sums, pl.exp(t), [i, 0])
        with pl.incore():
            y = pl.assemble(y, pl.col_sum(pl.slice(sums, [20, 64], [0, 0])), [0, 0])
        return y
)";
  c.open(kUri, text);
  const Json told = c.diagnostics(kUri, 1);
  ASSERT_EQ(told.size(), 1u) << told.dump(1);
  EXPECT_EQ(told[0]["code"], "hazard");
  EXPECT_EQ(told[0]["range"]["start"], position_of(text, "pl.assemble(sums"));
  ASSERT_EQ(told[0]["relatedInformation"].size(), 1u);
  EXPECT_EQ(told[0]["relatedInformation"][0]["location"]["range"]["start"],
            position_of(text, "pl.slice(sums"));
}

TEST(Diagnostics, WhatIsAliveAtThePeakIsNamed) {
  Conversation c;
  c.initialize();
  std::string big = replaced(small_program(), "pl.mul(rows, 2.0)",
                             "pl.exp(rows)\n                twice = pl.add(rows, twice)");
  for (std::size_t at; (at = big.find("128")) != std::string::npos;) big.replace(at, 3, "4096");
  c.open(kUri, big);
  const Json told = c.diagnostics(kUri, 1);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0]["code"], "capacity") << told.dump(1);
  ASSERT_EQ(told[0]["relatedInformation"].size(), 1u) << told.dump(1);
  const Json& other = told[0]["relatedInformation"][0];
  EXPECT_EQ(other["message"], "alive at the peak: twice [16 x 4096] f32 262144");
  EXPECT_EQ(other["location"]["range"]["start"], position_of(big, "pl.exp"));
}

TEST(Diagnostics, AHalfTypedLineIsOneSyntaxErrorAndHoverGoesOn) {
  Conversation c;
  c.initialize();
  c.open(kUri, small_program());
  c.diagnostics(kUri, 1);
  const std::string half =
      replaced(small_program(), "twice = pl.mul(rows, 2.0)", "twice = pl.mul(rows,");
  c.change(kUri, half, 2);
  const Json told = c.diagnostics(kUri, 2);
  ASSERT_EQ(told.size(), 1u) << told.dump(1);
  EXPECT_EQ(told[0]["code"], "syntax");
  const Json hover = c.request("textDocument/hover", {{"textDocument", {{"uri", kUri}}},
                                                      {"position", position_of(half, "rows")}});
  EXPECT_NE(hover.dump().find("[16 x 128] f32"), std::string::npos) << hover.dump();
}

TEST(Diagnostics, NoPrefixOfAFileIsAFloodOrACrash) {
  Conversation c;
  c.initialize();
  c.open(kUri, "");
  const std::string text = small_program();
  int version = 1;
  for (std::size_t n = 0; n <= text.size(); n += 7) {
    c.change(kUri, text.substr(0, n), ++version);
    EXPECT_LE(c.diagnostics(kUri, version).size(), 3u) << text.substr(0, n);
  }
}

TEST(Diagnostics, OtherPythonFilesHaveNone) {
  Conversation c;
  c.initialize();
  c.open(kUri, "import numpy as np\nx = (\n");
  EXPECT_EQ(c.diagnostics(kUri, 1), Json::array());
  c.change(kUri, "import pypto.language as pl\nx = (\n", 2);
  EXPECT_EQ(c.diagnostics(kUri, 2).size(), 1u);
}

TEST(Diagnostics, ClosingClearsThem) {
  Conversation c;
  c.initialize();
  c.open(kUri, replaced(small_program(), "twice, [rb", "twise, [rb"));
  EXPECT_EQ(c.diagnostics(kUri, 1).size(), 1u);
  c.close(kUri);
  EXPECT_EQ(c.diagnostics(kUri), Json::array());
}

TEST(Diagnostics, UnsavedModulesCount) {
  const TemporaryDirectory directory;
  const auto path = [&](const char* name) { return directory / name; };
  std::ofstream(path("sizes.py")) << "ROWS = 16\n";
  const std::string main_uri = lsp::uri_of_path(path("a layer.py"));
  const std::string module_uri = lsp::uri_of_path(path("sizes.py"));
  Conversation c;
  c.initialize();
  c.open(main_uri, replaced(small_program(), "ROWS = 16", "from sizes import ROWS"));
  EXPECT_EQ(c.diagnostics(main_uri, 1), Json::array());
  c.open(module_uri, "ROWS = 24\n");  // 64 is no multiple of it
  EXPECT_EQ(c.diagnostics(main_uri, 1)[0]["code"], "out-partial");
  c.close(module_uri);  // the file on disk counts again
  for (Json told; (told = c.diagnostics(main_uri, 1)) != Json::array();)
    EXPECT_EQ(told[0]["code"], "out-partial");
  std::ofstream(path("sizes.py")) << "ROWS = 24\n";  // by another program
  c.notify("workspace/didChangeWatchedFiles", {{"changes", {{{"uri", module_uri}, {"type", 2}}}}});
  EXPECT_EQ(c.diagnostics(main_uri, 1)[0]["code"], "out-partial");
}

TEST(Diagnostics, UntitledDocumentsAreChecked) {
  Conversation c;
  c.initialize();
  c.open("untitled:Untitled-1", replaced(small_program(), "pl.mul", "pl.mull"));
  const Json told = c.diagnostics("untitled:Untitled-1", 1);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0]["code"], "unsupported");
}

TEST(Diagnostics, TheNewestOfManyEditsIsChecked) {
  Conversation c;
  c.initialize();
  c.open(kUri, small_program());
  for (int version = 2; version <= 40; ++version)
    c.change(kUri, small_program() + std::string(static_cast<std::size_t>(version), '\n'), version);
  EXPECT_EQ(c.diagnostics(kUri, 40), Json::array());
}

TEST(Diagnostics, SettingsChangeWhatIsChecked) {
  Conversation c;
  c.initialize();
  c.open(kUri, small_program());
  EXPECT_EQ(c.diagnostics(kUri, 1), Json::array());
  c.notify("workspace/didChangeConfiguration",
           {{"settings", {{"tilewright", {{"args", {{"small.py", {{"ROWS", 24}}}}}}}}}});
  EXPECT_EQ(c.diagnostics(kUri, 1)[0]["code"], "out-partial");
  // A number of other files is none of this one; one that is named for this file must be there.
  c.notify("workspace/didChangeConfiguration",
           {{"settings", {{"args", {{"OTHER", 3}, {"ROWS", 8}}}}}});
  EXPECT_EQ(c.diagnostics(kUri, 1), Json::array());
  c.notify("workspace/didChangeConfiguration",
           {{"settings", {{"args", {{"small.py", {{"OTHER", 3}}}}}}}});
  EXPECT_EQ(c.diagnostics(kUri, 1)[0]["code"], "argument");
  c.notify("workspace/didChangeConfiguration", {{"settings", {{"platform", "a2a4sim"}}}});
  const Json message = c.notification("window/showMessage");
  EXPECT_NE(message.dump().find("a2a4sim"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::lsp_test
