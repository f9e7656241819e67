// One client of a server, for server.cc alone: requests read one after the other, each answered
// before the next is read. Everything here runs on the server's thread; a Reply or a Stream posts
// to it.
#pragma once

#include <utility>  // Asio 1.18 uses it and does not include it

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "tilewright/http/server.h"

namespace tilewright::http {

namespace asio = boost::asio;
namespace beast = boost::beast;

// What all connections of a server share.
struct House {
  asio::io_context io;
  Settings settings;
  Handler handler;
  uint16_t port = 0;
  std::atomic<std::size_t> connections{0};
  std::size_t arriving = 0;  // bytes of bodies that were begun
};

struct Pending {
  std::weak_ptr<Connection> connection;
  std::atomic<bool> answered{false};
  std::atomic<bool> gone{false};  // the client, before it had the answer
  ~Pending();
};

struct Streaming {
  std::weak_ptr<Connection> connection;
  std::atomic<bool> open{true};
  ~Streaming();
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<House> house, asio::ip::tcp::socket socket);
  ~Connection();

  void start();
  void turn_away(int status, const std::string& words);  // this is the last answer
  void close();

  // From any thread, through the server's.
  template <class Do>
  static void soon(const std::weak_ptr<Connection>& weak, Do todo) {
    // The house outlives this call, since the connection holds it.
    if (const auto self = weak.lock())
      asio::post(self->house_->io, [weak, todo = std::move(todo)]() mutable {
        if (const auto c = weak.lock()) todo(*c);
      });
  }
  void answer(const Response& response);
  void refuse(int status, const std::string& words);
  void begin_stream(const Response& head, const std::shared_ptr<Streaming>& stream);
  void piece(const std::string& text);
  void end_stream();

 private:
  using Parser = beast::http::request_parser<beast::http::string_body>;
  enum class Waiting { Nothing, Request, RestOfRequest, Answer, Send, LastBytes };

  void arm(Waiting what, std::chrono::milliseconds time);
  void late();
  const Limits& limits() const { return house_->settings.limits; }
  void await_request();
  void read_request();
  void got_header(boost::system::error_code error);
  bool claim_body();  // false when too much arrives already
  void release_body();
  void read_body();
  void got_request(boost::system::error_code error);
  void give_to_handler(Request request);
  // While an answer is made, somebody must notice that the client goes away. What comes meanwhile
  // from one that stays is the next request.
  void watch_client();
  void heard_from_client(boost::system::error_code error);
  void send(std::string text);
  void send_next();
  void sent_all();
  void hang_up();  // after an answer to what was not read whole: the answer must still arrive
  void drain();

  std::shared_ptr<House> house_;  // first, so last to go: the rest belongs to its loop
  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  Waiting waiting_ = Waiting::Nothing;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool keep_ = true, head_ = false, chunked_ = false, too_late_ = false, sending_ = false;
  bool finished_ = true;  // the answer is complete, though not yet sent
  bool watching_ = false;
  std::string cors_;  // headers for the page that asks
  std::weak_ptr<Pending> pending_;
  std::weak_ptr<Streaming> stream_;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0, claimed_ = 0;
  std::array<char, 512> scrap_{};
};

}  // namespace tilewright::http
