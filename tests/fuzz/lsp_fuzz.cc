// The fuzzer of the language server: any bytes are what an editor sends. Whatever they are, the
// server answers or refuses; it does not crash, hang or take unbounded memory, and what it sends is
// JSON.
//   ./dev fuzz 600
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tilewright/lsp/framing.h"
#include "tilewright/lsp/server.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const catalog::Catalog catalog = {};
  lsp::Server server(catalog, "fuzz", [](const std::string& message) {
    if (!nlohmann::json::accept(message)) std::abort();
  });
  server.receive(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"workspace":{"codeLens":{"refreshSupport":true},"workspaceEdit":{"documentChanges":true,"resourceOperations":["create"]}}},"initializationOptions":{"adviceSeconds":0.05}}})");
  lsp::FrameReader frames;
  frames.feed({reinterpret_cast<const char*>(data), size});
  try {
    while (const auto message = frames.next()) {
      server.receive(*message);
      if (server.exit_code()) break;
    }
  } catch (const lsp::FramingError&) {}
  server.settle(1);  // programs of millions of tasks are stopped then
  return 0;
}
