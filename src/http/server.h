// A small HTTP/1.1 server for this machine alone: it listens on 127.0.0.1 and answers only requests
// that were meant for it (visitor.h). It knows nothing of programs: a handler gets a request and a
// Reply, which it may answer at once, later from another thread, or piece by piece.
//
// One thread of the server does all talking and calls the handlers, so a handler that needs long
// hands its Reply to a thread of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tilewright/http/message.h"

namespace tilewright::http {

class Connection;
struct Pending;
struct Streaming;

// An answer in pieces. Writing to a stream whose reader has gone does nothing.
class Stream {
 public:
  bool open() const;
  void write(std::string piece);
  void end();

 private:
  friend class Reply;
  std::shared_ptr<Streaming> state_;
};

// The way to answer one request, once; from any thread, and harmless when nobody waits any more.
// A request whose last Reply is gone without an answer is answered with 500.
class Reply {
 public:
  void send(Response response) const;
  Stream stream(const std::string& type) const;

 private:
  friend class Connection;
  std::shared_ptr<Pending> state_;
};

using Handler = std::function<void(const Request&, const Reply&)>;

struct Limits {
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 1 << 20;
  std::size_t unsent_bytes = 64 << 20;  // of a stream: a reader that is further behind is dropped
  std::size_t connections = 64;         // at once; one more is answered with 503
  std::chrono::milliseconds request{10'000};  // from its first byte to its last
  std::chrono::milliseconds idle{60'000};     // between requests
  std::chrono::milliseconds send{30'000};     // for the peer to take one piece
};

class Server {
 public:
  // Listens when it returns. Port 0: any that is free. UserError when the port cannot be had.
  Server(uint16_t port, Handler handler, const Limits& limits = {});
  // Closes every connection and ends the thread.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const;

 private:
  struct Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace tilewright::http
