// The life of a server: what it answers before, during and after, and how it ends.
#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "conversation.h"
#include "tilewright/lsp/framing.h"

namespace tilewright::lsp_test {
namespace {

constexpr int kNotInitialized = -32002, kInvalidRequest = -32600, kMethodNotFound = -32601,
              kInvalidParams = -32602, kParseError = -32700, kCancelled = -32800;

TEST(Lifecycle, NothingBeforeInitialize) {
  Conversation c;
  EXPECT_EQ(c.error_of("textDocument/hover", Json::object()), kNotInitialized);
  EXPECT_EQ(c.error_of("shutdown", nullptr), kNotInitialized);
  c.open(kUri, small_program());  // ignored
  const Json result = c.initialize();
  EXPECT_EQ(result["capabilities"]["positionEncoding"], "utf-16");
  EXPECT_EQ(result["serverInfo"]["name"], "tilewright");
  EXPECT_EQ(c.error_of("initialize", Json::object()), kInvalidRequest);
  EXPECT_FALSE(c.heard("textDocument/publishDiagnostics"));
}

TEST(Lifecycle, ShutdownThenExitIsZero) {
  Conversation c;
  c.initialize();
  EXPECT_EQ(c.request("shutdown", nullptr), nullptr);
  EXPECT_EQ(c.error_of("textDocument/hover", Json::object()), kInvalidRequest);
  EXPECT_EQ(c.exit_code(), std::nullopt);
  c.notify("exit", nullptr);
  EXPECT_EQ(c.exit_code(), 0);
}

TEST(Lifecycle, ExitWithoutShutdownIsOne) {
  Conversation c;
  c.initialize();
  c.notify("exit", nullptr);
  EXPECT_EQ(c.exit_code(), 1);
}

TEST(Lifecycle, UnknownRequestsAreRefusedAndUnknownNotificationsIgnored) {
  Conversation c;
  c.initialize();
  EXPECT_EQ(c.error_of("textDocument/rename", Json::object()), kMethodNotFound);
  c.notify("$/setTrace", {{"value", "off"}});
  c.notify("workspace/didChangeWatchedFiles", {{"changes", Json::array()}});
  EXPECT_EQ(c.error_of("textDocument/hover", Json::object()), kInvalidParams);
  EXPECT_EQ(c.error_of("textDocument/hover", {{"textDocument", {{"uri", "file:///no.py"}}}}),
            kInvalidParams);
}

TEST(Lifecycle, WhatIsNoMessageIsToldAndTheNextIsRead) {
  Conversation c;
  c.send_text("{ this is not JSON");
  EXPECT_EQ(c.answer(nullptr)["error"]["code"], kParseError);
  c.send_text("[]");
  EXPECT_EQ(c.answer(nullptr)["error"]["code"], kInvalidRequest);
  c.send_text(std::string(100000, '['));
  EXPECT_EQ(c.answer(nullptr)["error"]["code"], kParseError);
  c.send_text(R"({"jsonrpc":"2.0","id":{},"method":"x"})");
  EXPECT_EQ(c.answer(nullptr)["error"]["code"], kInvalidRequest);
  c.initialize();
}

TEST(Lifecycle, PositionsInTheEncodingOfTheClient) {
  Conversation c;
  const Json result =
      c.initialize(nullptr, {{"general", {{"positionEncodings", {"utf-32", "utf-16"}}}}});
  EXPECT_EQ(result["capabilities"]["positionEncoding"], "utf-32");
}

TEST(Lifecycle, ARequestCanBeCancelled) {
  Conversation c;
  c.initialize();
  c.open(kUri, small_program());
  const int id = c.begin("textDocument/codeLens", {{"textDocument", {{"uri", kUri}}}});
  c.notify("$/cancelRequest", {{"id", id}});
  const Json answer = c.answer(id);  // cancelled, or done already: never neither
  if (answer.contains("error")) {
    EXPECT_EQ(answer["error"]["code"], kCancelled);
  } else {
    EXPECT_TRUE(answer["result"].is_array());
  }
  c.notify("$/cancelRequest", {{"id", 12345}});
  EXPECT_TRUE(
      c.request("textDocument/documentSymbol", {{"textDocument", {{"uri", kUri}}}}).is_array());
}

// Everything at once: the slow thread simulates and advises on what the fast one answers from, and
// edits stop both. Every request has an answer. (The sanitizers look at this test.)
TEST(Lifecycle, RequestsAndEditsWhileTimesArePredicted) {
  Conversation c;
  c.initialize({{"adviceSeconds", 0.2}},
               {{"workspace", {{"codeLens", {{"refreshSupport", true}}}}}});
  std::vector<int> asked;
  for (int version = 1; version <= 12; ++version) {
    const std::string text =
        replaced(small_program(), "ROWS = 16", version % 2 ? "ROWS = 1" : "ROWS = 2");
    version == 1 ? c.open(kUri, text) : c.change(kUri, text, version);
    const Json document{{"uri", kUri}},
        at = position_of(text, "rows"),
        range{{"start", {{"line", 0}, {"character", 0}}}, {"end", at}};
    const auto ask = [&](const std::string& method, Json params) {
      params["textDocument"] = document;
      asked.push_back(c.begin("textDocument/" + method, params));
    };
    if (version % 3 == 0) c.diagnostics(kUri, version);  // now the slow thread has work
    for (int i = 0; i < 5; ++i) ask("hover", {{"position", at}});
    ask("codeLens", Json::object());
    ask("inlayHint", {{"range", range}});
    ask("codeAction", {{"range", range}, {"context", {{"diagnostics", Json::array()}}}});
    ask("references", {{"position", at}, {"context", {{"includeDeclaration", true}}}});
    if (version % 4 == 0) c.notify("$/cancelRequest", {{"id", asked.back() - 1}});
  }
  for (const int id : asked) {
    const Json a = c.answer(id);
    EXPECT_TRUE(a.contains("result") || a["error"]["code"] == kCancelled ||
                a["error"]["code"] == -32801)
        << a;
  }
}

// A server on pipes: what it writes, what it complains of, its exit code.
struct Piped {
  int code = -1;
  std::string out, complaint;
};

Piped serve_bytes(const std::string& bytes) {
  int in[2], out[2];
  EXPECT_EQ(::pipe2(in, O_CLOEXEC), 0);
  EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
  Piped result;
  const catalog::Catalog catalog = {};
  std::thread server([&] {
    result.code = lsp::serve(in[0], out[1], catalog, "test",
                             [&](const std::string& what) { result.complaint = what; });
    ::close(out[1]);
  });
  std::thread writer([&] {
    EXPECT_EQ(::write(in[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(in[1]);
  });
  char buffer[4096];
  for (ssize_t n; (n = ::read(out[0], buffer, sizeof buffer)) > 0;)
    result.out.append(buffer, static_cast<std::size_t>(n));
  writer.join();
  server.join();
  ::close(in[0]);
  ::close(out[0]);
  return result;
}

const std::string kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})";

TEST(Pipes, AWholeSession) {
  const Piped p = serve_bytes(lsp::framed(kInitialize) +
                              lsp::framed(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})") +
                              lsp::framed(R"({"jsonrpc":"2.0","method":"exit"})"));
  EXPECT_EQ(p.code, 0);
  EXPECT_EQ(p.complaint, "");
  EXPECT_TRUE(p.out.starts_with("Content-Length: ")) << p.out;
  EXPECT_NE(p.out.find("\"hoverProvider\":true"), std::string::npos);
}

TEST(Pipes, AnEndWithoutExitIsOne) {
  EXPECT_EQ(serve_bytes(lsp::framed(kInitialize)).code, 1);
  EXPECT_EQ(serve_bytes("").code, 1);
  EXPECT_EQ(serve_bytes("Content-Length: 100\r\n\r\n{").code, 1);
}

TEST(Pipes, BytesThatAreNoMessagesAreToldOnce) {
  const Piped p = serve_bytes(lsp::framed(kInitialize) + "Content-Length: lots\r\n\r\n{}");
  EXPECT_EQ(p.code, 2);
  EXPECT_EQ(p.complaint, "Content-Length is \"lots\", not a number");
}

}  // namespace
}  // namespace tilewright::lsp_test
