#include "tilewright/lsp/framing.h"

#include <gtest/gtest.h>

namespace tilewright::lsp {
namespace {

TEST(Framing, ReadsWhatItWrites) {
  FrameReader reader;
  reader.feed(framed("{}") + framed("") + framed("\xC3\xA4"));
  EXPECT_EQ(reader.next(), "{}");
  EXPECT_EQ(reader.next(), "");
  EXPECT_EQ(reader.next(), "\xC3\xA4");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_TRUE(reader.at_boundary());
}

TEST(Framing, BytesMayComeOneByOne) {
  FrameReader reader;
  int messages = 0;
  for (const char c : framed("first") + framed("second")) {
    reader.feed({&c, 1});
    while (const auto m = reader.next()) {
      EXPECT_EQ(*m, messages == 0 ? "first" : "second");
      ++messages;
    }
  }
  EXPECT_EQ(messages, 2);
}

TEST(Framing, OtherHeadersAndAnyCase) {
  FrameReader reader;
  reader.feed(
      "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  2\r\n\r\n{}");
  EXPECT_EQ(reader.next(), "{}");
}

TEST(Framing, AMessageThatIsNotThereYetIsNotAnError) {
  FrameReader reader;
  reader.feed("Content-Length: 10\r\n\r\n{}");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_FALSE(reader.at_boundary());
}

void expect_refused(const std::string& bytes, const std::string& why) {
  FrameReader reader;
  reader.feed(bytes);
  try {
    reader.next();
    FAIL() << "accepted: " << bytes.substr(0, 60);
  } catch (const FramingError& e) {
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
  }
}

TEST(Framing, RefusesWhatIsNoHeader) {
  expect_refused("Content-Type: x\r\n\r\n{}", "without Content-Length");
  expect_refused("\r\n{}", "without Content-Length");
  expect_refused("Content-Length: ten\r\n\r\n", "\"ten\", not a number");
  expect_refused("Content-Length: -1\r\n\r\n", "not a number");
  expect_refused("Content-Length: 67108865\r\n\r\n", "67108865 bytes");
  expect_refused("Content-Length: 99999999999999999999999\r\n\r\n", "the largest that is read");
  expect_refused("hello\r\n\r\n", "\"hello\" is no header");
  expect_refused(std::string(5000, 'x'), "no header in the first 4096 bytes");
}

}  // namespace
}  // namespace tilewright::lsp
