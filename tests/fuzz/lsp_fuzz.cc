// The fuzzer of the language server: any bytes are what an editor sends. Whatever they are, the
// server answers or refuses; it does not crash, hang or take unbounded memory, and what it sends is
// JSON.
//   ./dev fuzz 600
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/lsp/framing.h"
#include "tilewright/lsp/server.h"

using namespace tilewright;

namespace {

// The messages of frames whose lengths a mutation has made wrong: what stands between two headers.
std::vector<std::string> messages_between_headers(std::string_view bytes) {
  constexpr std::string_view kHeader = "Content-Length", kEnd = "\r\n\r\n";
  std::vector<std::string> out;
  for (std::size_t at = bytes.find(kHeader); at != std::string_view::npos;) {
    const std::size_t end = bytes.find(kEnd, at);
    if (end == std::string_view::npos) break;
    const std::size_t begin = end + kEnd.size();
    at = bytes.find(kHeader, begin);
    out.emplace_back(bytes.substr(begin, at == std::string_view::npos ? at : at - begin));
  }
  return out;
}

void read_frames(std::string_view bytes) {
  lsp::FrameReader frames;
  frames.feed(bytes);
  try {
    while (frames.next()) {}
  } catch (const lsp::FramingError&) {}
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_frames(bytes);
  static const catalog::Catalog catalog = {};
  lsp::Server server(catalog, "fuzz", [](const std::string& message) {
    if (!nlohmann::json::accept(message)) std::abort();
  });
  server.receive(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"workspace":{"codeLens":{"refreshSupport":true},"workspaceEdit":{"documentChanges":true,"resourceOperations":["create"]}}},"initializationOptions":{"adviceSeconds":0.05}}})");
  for (const std::string& message : messages_between_headers(bytes)) {
    server.receive(message);
    if (server.exit_code()) break;
  }
  server.settle(1);  // programs of millions of tasks are stopped then
  return 0;
}
