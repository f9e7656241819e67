#include "tilewright/http/server.h"

#include <fmt/format.h>

#include <thread>

#include "tilewright/base/diagnostic.h"
#include "tilewright/http/connection.h"

namespace tilewright::http {

using asio::ip::tcp;
using boost::system::error_code;

bool Reply::wanted() const { return state_ && !state_->gone; }

bool Stream::open() const { return state_ && state_->open; }

void Stream::write(std::string piece) {
  if (open())
    Connection::soon(state_->connection,
                     [piece = std::move(piece)](Connection& c) { c.piece(piece); });
}

void Stream::end() {
  if (state_ && state_->open.exchange(false))
    Connection::soon(state_->connection, [](Connection& c) { c.end_stream(); });
}

void Reply::send(Response response) const {
  if (state_->answered.exchange(true)) return;
  Connection::soon(state_->connection,
                   [response = std::move(response)](Connection& c) { c.answer(response); });
}

Stream Reply::stream(const Response& head) const {
  Stream out;
  if (state_->answered.exchange(true)) return out;
  out.state_ = std::make_shared<Streaming>();
  out.state_->connection = state_->connection;
  Connection::soon(state_->connection,
                   [head, stream = out.state_](Connection& c) { c.begin_stream(head, stream); });
  return out;
}

struct Server::Loop {
  std::shared_ptr<House> house = std::make_shared<House>();
  tcp::acceptor acceptor{house->io};
  asio::steady_timer pause{house->io};
  std::vector<std::weak_ptr<Connection>> connections;
  std::thread thread;

  void listen();
  void accept();
  void accepted(tcp::socket socket);
  void stop();
};

void Server::Loop::listen() {
  const Settings& wanted = house->settings;
  error_code error;
  const auto address = asio::ip::make_address(wanted.address, error);
  if (error)
    user_error("host", fmt::format("{} is not an address", wanted.address), "",
               "a server listens on an IPv4 or IPv6 address of this machine",
               "use 127.0.0.1, or 0.0.0.0 for all addresses of this machine");
  const tcp::endpoint endpoint(address, wanted.port);
  const auto step = [&](auto&& todo) {
    if (!error) todo();
  };
  step([&] { acceptor.open(endpoint.protocol(), error); });
  // A port that a server has just left can be taken at once; one that is in use cannot.
  step([&] { acceptor.set_option(tcp::acceptor::reuse_address(true), error); });
  step([&] { acceptor.bind(endpoint, error); });
  step([&] { acceptor.listen(asio::socket_base::max_listen_connections, error); });
  if (error)
    user_error("port",
               error == asio::error::address_in_use
                   ? fmt::format("port {} of {} is in use", wanted.port, wanted.address)
                   : fmt::format("port {} of {} is not available: {}", wanted.port, wanted.address,
                                 error.message()),
               "",
               "only one server at a time can use a port, and ports below 1024 are reserved "
               "for the system",
               "stop the other program, choose another --port, or omit --port to use a free port");
  house->port = acceptor.local_endpoint().port();
}

void Server::Loop::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      accepted(std::move(socket));
      return accept();
    }
    // Out of descriptors, most likely: some will be free again.
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([this](error_code stopped) {
      if (!stopped && acceptor.is_open()) accept();
    });
  });
}

void Server::Loop::accepted(tcp::socket socket) {
  const bool full = house->connections >= house->settings.limits.connections;
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const auto connection = std::make_shared<Connection>(house, std::move(socket));
  std::erase_if(connections, [](const auto& weak) { return weak.expired(); });
  connections.push_back(connection);
  if (full)
    connection->turn_away(503, "too many connections are open");
  else
    connection->start();
}

void Server::Loop::stop() {
  error_code ignored;
  acceptor.close(ignored);
  pause.cancel();
  for (const auto& weak : connections)
    if (const auto connection = weak.lock()) connection->close();
}

Server::Server(Settings settings, Handler handler) : loop_(std::make_unique<Loop>()) {
  loop_->house->settings = std::move(settings);
  loop_->house->handler = std::move(handler);
  loop_->listen();
  loop_->accept();
  loop_->thread = std::thread([loop = loop_.get()] { loop->house->io.run(); });
}

Server::~Server() {
  asio::post(loop_->house->io, [loop = loop_.get()] { loop->stop(); });
  loop_->thread.join();
}

uint16_t Server::port() const { return loop_->house->port; }
std::size_t Server::connections() const { return loop_->house->connections; }

}  // namespace tilewright::http
