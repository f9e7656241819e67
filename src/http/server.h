// A small HTTP/1.1 server. Unless it is told otherwise, it listens on 127.0.0.1 and answers only
// requests that were meant for it (visitor.h). It knows nothing of programs: a handler gets a
// request and a Reply, which it may answer at once, later from another thread, or piece by piece.
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
#include "tilewright/http/visitor.h"

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
  // False once the client has gone away: nobody reads the answer.
  bool wanted() const;
  void send(Response response) const;
  // `head` gives the type and further headers.
  Stream stream(const Response& head) const;

 private:
  friend class Connection;
  std::shared_ptr<Pending> state_;
};

using Handler = std::function<void(const Request&, const Reply&)>;
// How a refusal is worded: by its status, and words for people.
using ErrorForm = std::function<Response(int status, const std::string& words)>;

struct Limits {
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 1 << 20;
  std::size_t arriving_bytes =
      64 << 20;                         // of all bodies that arrive; one more is answered with 503
  std::size_t unsent_bytes = 64 << 20;  // of a stream: a reader that is further behind is dropped
  std::size_t connections = 64;         // at once; one more is answered with 503
  std::chrono::milliseconds request{10'000};  // from its first byte to its last
  std::chrono::milliseconds idle{60'000};     // between requests
  std::chrono::milliseconds send{30'000};     // for the peer to take one piece
};

struct Settings {
  std::string address = "127.0.0.1";  // of this machine; 0.0.0.0 and :: are all of its addresses
  uint16_t port = 0;                  // 0: any that is free
  Limits limits = {};
  Visitors visitors = {};
  ErrorForm error = http::error;
};

class Server {
 public:
  // Listens when it returns. UserError when the address or the port cannot be had.
  Server(Settings settings, Handler handler);
  // Closes every connection and ends the thread.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const;
  std::size_t connections() const;  // that are open now

 private:
  struct Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace tilewright::http
