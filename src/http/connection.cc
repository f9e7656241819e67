#include "tilewright/http/connection.h"

#include <fmt/format.h>

#include "tilewright/http/visitor.h"
#include "tilewright/http/wire.h"

namespace tilewright::http {

using asio::ip::tcp;
using boost::system::error_code;

Pending::~Pending() {
  if (!answered.exchange(true))
    Connection::soon(connection, [](Connection& c) { c.refuse(500, "there was no answer"); });
}

Streaming::~Streaming() {
  if (open.exchange(false)) Connection::soon(connection, [](Connection& c) { c.end_stream(); });
}

Connection::Connection(std::shared_ptr<House> house, tcp::socket socket)
    : house_(std::move(house)), socket_(std::move(socket)), timer_(house_->io) {
  ++house_->connections;
}

Connection::~Connection() {
  release_body();
  --house_->connections;
}

void Connection::start() { await_request(); }

void Connection::turn_away(int status, const std::string& words) {
  keep_ = false;
  refuse(status, words);
}

void Connection::close() {
  waiting_ = Waiting::Nothing;
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
  if (const auto stream = stream_.lock()) stream->open = false;
  if (const auto pending = pending_.lock()) pending->gone = true;
}

// One deadline at a time: for whatever is being waited for.
void Connection::arm(Waiting what, std::chrono::milliseconds time) {
  waiting_ = what;
  timer_.expires_after(time);
  // It also keeps the connection while somebody elsewhere makes the answer.
  timer_.async_wait([self = shared_from_this()](error_code error) {
    // A deadline that passed while it was being moved is none.
    if (!error && self->timer_.expiry() <= asio::steady_timer::clock_type::now()) self->late();
  });
}

void Connection::late() {
  if (waiting_ == Waiting::Nothing) return;
  if (waiting_ == Waiting::Answer) return arm(waiting_, limits().idle);  // takes what it takes
  if (waiting_ != Waiting::RestOfRequest) return close();
  too_late_ = true;
  error_code ignored;
  socket_.cancel(ignored);  // the read ends, and says so
}

void Connection::await_request() {
  if (buffer_.size() > 0) return read_request();
  buffer_.shrink_to_fit();  // an idle connection costs little
  arm(Waiting::Request, limits().idle);
  watch_client();
}

void Connection::watch_client() {
  // Of requests that are sent before their turn, only so much is taken.
  if (watching_ || buffer_.size() >= limits().header_bytes) return;
  watching_ = true;
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code error) {
    self->watching_ = false;
    self->heard_from_client(error);
  });
}

void Connection::heard_from_client(error_code error) {
  if (!socket_.is_open() || waiting_ == Waiting::RestOfRequest || waiting_ == Waiting::LastBytes)
    return;
  if (!error && waiting_ == Waiting::Request) return read_request();
  if (!error && socket_.available(error) > 0 && !error) {
    const std::size_t room = limits().header_bytes - buffer_.size();
    const std::size_t got =
        socket_.read_some(buffer_.prepare(std::min<std::size_t>(room, 4096)), error);
    if (!error) {
      buffer_.commit(got);
      return watch_client();
    }
  }
  // It has closed. An answer that is complete may still reach the half that listens.
  if (!finished_) return close();
  keep_ = false;
}

void Connection::read_request() {
  arm(Waiting::RestOfRequest, limits().request);
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(limits().header_bytes));
  parser_->body_limit(limits().body_bytes);
  beast::http::async_read_header(socket_, buffer_, *parser_,
                                 [self = shared_from_this()](error_code error, std::size_t) {
                                   self->got_header(error);
                                 });
}

void Connection::got_header(error_code error) {
  if (error || !socket_.is_open()) return got_request(error);
  if (!claim_body()) {
    arm(Waiting::Answer, limits().idle);
    return turn_away(503, words_of(503));
  }
  const auto expects = parser_->get()[beast::http::field::expect];
  if (!beast::iequals(expects, "100-continue")) return read_body();
  static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kGoOn),
                    [self = shared_from_this()](error_code failed, std::size_t) {
                      if (failed) return self->close();
                      self->read_body();
                    });
}

// A body may be as long as it says, or as it may be.
bool Connection::claim_body() {
  if (parser_->is_done()) return true;
  const auto length = parser_->content_length();
  const std::size_t bytes = length ? static_cast<std::size_t>(*length) : limits().body_bytes;
  if (house_->arriving + bytes > limits().arriving_bytes) return false;
  claimed_ = bytes;
  house_->arriving += bytes;
  return true;
}

void Connection::release_body() { house_->arriving -= std::exchange(claimed_, 0); }

void Connection::read_body() {
  beast::http::async_read(socket_, buffer_, *parser_,
                          [self = shared_from_this()](error_code error, std::size_t) {
                            self->got_request(error);
                          });
}

void Connection::got_request(error_code error) {
  release_body();
  if (!socket_.is_open()) return;
  arm(Waiting::Answer, limits().idle);
  head_ = false;
  cors_.clear();
  if (error) {
    const int status = too_late_ ? 408 : status_of(error);
    if (status == 0) return close();
    return turn_away(status, words_of(status));
  }
  auto message = parser_->release();
  parser_.reset();
  keep_ = message.keep_alive();
  chunked_ = message.version() >= 11;
  head_ = message.method() == beast::http::verb::head;
  give_to_handler(plain_request(std::move(message)));
}

void Connection::give_to_handler(Request request) {
  if (head_) request.method = "GET";
  if (!request.path.starts_with('/')) return refuse(400, words_of(400));
  const Visitors& visitors = house_->settings.visitors;
  if (const std::string why = refusal(request, house_->port, visitors); !why.empty())
    return refuse(403, why);
  if (is_from_other_page(request, visitors)) {
    cors_ = cors_headers(request);
    if (is_preflight(request)) return answer({});
  }
  finished_ = false;
  Reply reply;
  reply.state_ = std::make_shared<Pending>();
  reply.state_->connection = weak_from_this();
  pending_ = reply.state_;
  watch_client();
  try {
    house_->handler(request, reply);
  } catch (const std::exception& e) {
    reply.send(house_->settings.error(500, e.what()));
  }
}

void Connection::refuse(int status, const std::string& words) {
  answer(house_->settings.error(status, words));
}

void Connection::answer(const Response& response) {
  if (!socket_.is_open()) return;
  finished_ = true;
  const std::string framing = fmt::format("Content-Length: {}\r\n", response.body.size());
  std::string text = head_text(response, framing + cors_, keep_);
  if (!head_) text += response.body;
  send(std::move(text));
}

void Connection::begin_stream(const Response& head, const std::shared_ptr<Streaming>& stream) {
  if (!socket_.is_open()) {
    stream->open = false;
    return;
  }
  if (!chunked_) keep_ = false;  // its end is that of the connection
  stream_ = stream;
  const std::string framing = chunked_ ? "Transfer-Encoding: chunked\r\n" : "";
  if (head_) {
    stream->open = false;
    finished_ = true;
  }
  send(head_text(head, framing + cors_, keep_));
}

void Connection::piece(const std::string& text) {
  if (!socket_.is_open() || finished_ || text.empty()) return;
  send(chunked_ ? fmt::format("{:x}\r\n{}\r\n", text.size(), text) : text);
}

void Connection::end_stream() {
  if (!socket_.is_open() || finished_) return;
  finished_ = true;
  stream_.reset();
  if (chunked_)
    send("0\r\n\r\n");
  else if (!sending_)
    hang_up();
}

void Connection::send(std::string text) {
  unsent_bytes_ += text.size();
  if (!finished_ && unsent_bytes_ > limits().unsent_bytes) return close();
  unsent_.push_back(std::move(text));
  if (!sending_) send_next();
}

void Connection::send_next() {
  sending_ = true;
  arm(Waiting::Send, limits().send);
  asio::async_write(socket_, asio::buffer(unsent_.front()),
                    [self = shared_from_this()](error_code error, std::size_t) {
                      if (error || !self->socket_.is_open()) return self->close();
                      self->sending_ = false;
                      self->unsent_bytes_ -= self->unsent_.front().size();
                      self->unsent_.pop_front();
                      if (!self->unsent_.empty()) return self->send_next();
                      self->sent_all();
                    });
}

void Connection::sent_all() {
  if (!finished_) return arm(Waiting::Answer, limits().idle);
  if (keep_) return await_request();
  hang_up();
}

void Connection::hang_up() {
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  arm(Waiting::LastBytes, std::chrono::seconds(1));
  drain();
}

void Connection::drain() {
  socket_.async_read_some(asio::buffer(scrap_),
                          [self = shared_from_this()](error_code error, std::size_t) {
                            if (error) return self->close();
                            self->drain();
                          });
}

}  // namespace tilewright::http
