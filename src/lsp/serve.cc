// A server on a pair of pipes.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "tilewright/lsp/framing.h"
#include "tilewright/lsp/server.h"

namespace tilewright::lsp {
namespace {

// A failed write means that the editor has gone. It is ignored here: the next read sees the end of
// the stream.
void write_all(int out, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::write(out, text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

}  // namespace

int serve(int in, int out, const catalog::Catalog& catalog, const std::string& version,
          const std::function<void(const std::string&)>& complain) {
  Server server(catalog, version, [out](const std::string& m) { write_all(out, framed(m)); });
  FrameReader frames;
  char bytes[1 << 16];
  try {
    for (;;) {
      const ssize_t n = ::read(in, bytes, sizeof bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return 1;
      frames.feed({bytes, static_cast<std::size_t>(n)});
      while (const auto message = frames.next()) {
        server.receive(*message);
        if (const auto code = server.exit_code()) return *code;
      }
    }
  } catch (const FramingError& e) {
    complain(e.what());
    return 2;
  }
}

}  // namespace tilewright::lsp
