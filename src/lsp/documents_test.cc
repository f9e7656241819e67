#include "tilewright/lsp/documents.h"

#include <gtest/gtest.h>

#include "tilewright/lsp/edits.h"
#include "tilewright/lsp/uri.h"

namespace tilewright::lsp {
namespace {

Value change(int line, int from, int to_line, int to, const char* text) {
  return {{"range",
           {{"start", {{"line", line}, {"character", from}}},
            {"end", {{"line", to_line}, {"character", to}}}}},
          {"text", text}};
}

TEST(Documents, ChangesAreMadeOneAfterTheOther) {
  Documents d;
  d.open("file:///a.py", "one\ntwo\nthree\n", 1);
  d.change("file:///a.py", {change(0, 0, 1, 0, ""), change(0, 3, 0, 3, "!")}, 2, Encoding::Utf16);
  EXPECT_EQ(d.find("file:///a.py")->text(), "two!\nthree\n");
  EXPECT_EQ(d.find("file:///a.py")->version, 2);
  d.change("file:///a.py", Value::array({{{"text", "whole"}}}), 3, Encoding::Utf16);
  EXPECT_EQ(d.find("file:///a.py")->text(), "whole");
}

TEST(Documents, ColumnsAreInTheEncodingOfTheClient) {
  Documents d;
  d.open("file:///a.py", "\xF0\x9D\x84\x9E x", 1);
  d.change("file:///a.py", Value::array({change(0, 2, 0, 3, "--")}), 2, Encoding::Utf16);
  EXPECT_EQ(d.find("file:///a.py")->text(), "\xF0\x9D\x84\x9E--x");
}

TEST(Documents, ABadChangeLeavesTheText) {
  Documents d;
  d.open("file:///a.py", "text", 1);
  EXPECT_THROW(d.change("file:///a.py", Value::array({change(0, 3, 0, 1, "")}), 2, Encoding::Utf16),
               RpcError);
  EXPECT_THROW(d.change("file:///b.py", Value::array(), 2, Encoding::Utf16), RpcError);
  EXPECT_THROW(d.change("file:///a.py", Value::array({{{"range", nullptr}}}), 2, Encoding::Utf16),
               RpcError);
  EXPECT_EQ(d.find("file:///a.py")->text(), "text");
  EXPECT_TRUE(d.close("file:///a.py"));
  EXPECT_FALSE(d.close("file:///a.py"));
}

TEST(Uri, SpacesPercentsAndOtherScripts) {
  for (const std::string path :
       {"/tmp/a b.py", "/tmp/100%.py", "/tmp/\xE5\xB1\x82.py", "/a#b?c:d.py"})
    EXPECT_EQ(path_of_uri(uri_of_path(path)), path);
  EXPECT_EQ(uri_of_path("/tmp/a b.py"), "file:///tmp/a%20b.py");
  EXPECT_EQ(path_of_uri("file:///tmp/x/../a%20b.py"), "/tmp/a b.py");
  EXPECT_EQ(path_of_uri("file://machine/tmp/a.py"), "/tmp/a.py");
  EXPECT_EQ(path_of_uri("file:///bad%2.py"), "/bad%2.py");
  EXPECT_EQ(path_of_uri("file:///zero%00.py"), "/zero%00.py");
  EXPECT_EQ(path_of_uri("untitled:Untitled-1"), "untitled:Untitled-1");
}

std::string edited(const std::string& before, const std::string& after) {
  const Lines lines(before);
  std::string out;
  std::size_t at = 0;
  for (const LineEdit& e : line_edits(before, after)) {
    out += before.substr(at, lines.offset({e.begin, 0}) - at) + e.text;
    at = lines.offset({e.end, 0});
  }
  return out + before.substr(at);
}

TEST(Edits, LeadFromOneTextToTheOther) {
  const std::string a = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
  for (const std::string b :
       {"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n",
        "1\n2\n4\n5\n6\n7\n8\n9\nx\ny\n11\n12\n13\n", "x\n", ""})
    EXPECT_EQ(edited(a, b), b);
  EXPECT_EQ(edited("", "a\nb\n"), "a\nb\n");
}

}  // namespace
}  // namespace tilewright::lsp
