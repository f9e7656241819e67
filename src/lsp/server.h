// The language server: messages in, messages out. `receive` is called by one thread, which it never
// keeps waiting; documents are checked and requests answered by threads of the server's own.
//
//   Server server(catalog, [](const std::string& message) { write(framed(message)); });
//   while (!server.exit_code()) server.receive(next_message());
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tilewright/catalog/catalog.h"

namespace tilewright::lsp {

class Server {
 public:
  // `send` is called from any thread, one call at a time. `catalog` knows the programs that
  // listings are of, and must outlive the server.
  using Send = std::function<void(const std::string& message)>;
  Server(const catalog::Catalog& catalog, const std::string& version, Send send);
  ~Server();  // gives up what is going on
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void receive(const std::string& message);
  // Waits until everything that was received is done, at most so many seconds: for tests.
  void settle(double seconds);
  // Once the client has said exit: 0 after shutdown, else 1.
  std::optional<int> exit_code() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A server on two descriptors until the client ends it. Returns the exit code: 1 when the stream
// ends without exit; 2 when its bytes are no messages, which `complain` then hears.
int serve(int in, int out, const catalog::Catalog& catalog, const std::string& version,
          const std::function<void(const std::string&)>& complain);

}  // namespace tilewright::lsp
