#include "tilewright/http/connection.h"

#include <fmt/format.h>

#include "tilewright/http/visitor.h"
#include "tilewright/http/wire.h"

namespace tilewright::http {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

Pending::~Pending() {
  if (!answered.exchange(true))
    Connection::soon(connection,
                     [](Connection& c) { c.answer(error(500, "there was no answer")); });
}

Streaming::~Streaming() {
  if (open.exchange(false)) Connection::soon(connection, [](Connection& c) { c.end_stream(); });
}

Connection::Connection(std::shared_ptr<House> house, tcp::socket socket)
    : house_(std::move(house)), socket_(std::move(socket)), timer_(house_->io) {
  ++house_->connections;
}

Connection::~Connection() { --house_->connections; }

void Connection::start() { await_request(); }

void Connection::refuse(const Response& response) {
  keep_ = false;
  answer(response);
}

void Connection::close() {
  waiting_ = Waiting::Nothing;
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
  if (const auto stream = stream_.lock()) stream->open = false;
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
  if (waiting_ == Waiting::Answer)
    return arm(waiting_, house_->limits.idle);  // takes what it takes
  if (waiting_ != Waiting::RestOfRequest) return close();
  too_late_ = true;
  error_code ignored;
  socket_.cancel(ignored);  // the read ends, and says so
}

void Connection::await_request() {
  if (buffer_.size() > 0) return read_request();
  arm(Waiting::Request, house_->limits.idle);
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code error) {
    if (error) return self->close();
    self->read_request();
  });
}

void Connection::read_request() {
  arm(Waiting::RestOfRequest, house_->limits.request);
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(house_->limits.header_bytes));
  parser_->body_limit(house_->limits.body_bytes);
  beast::http::async_read(socket_, buffer_, *parser_,
                          [self = shared_from_this()](error_code error, std::size_t) {
                            self->got_request(error);
                          });
}

void Connection::got_request(error_code error) {
  if (!socket_.is_open()) return;
  arm(Waiting::Answer, house_->limits.idle);
  head_ = false;
  if (error) {
    const int status = too_late_ ? 408 : status_of(error);
    if (status == 0) return close();
    keep_ = false;
    return answer(http::error(status, words_of(status)));
  }
  auto message = parser_->release();
  keep_ = message.keep_alive();
  chunked_ = message.version() >= 11;
  head_ = message.method() == beast::http::verb::head;
  give_to_handler(plain_request(std::move(message)));
}

void Connection::give_to_handler(Request request) {
  if (head_) request.method = "GET";
  if (!request.path.starts_with('/')) return answer(http::error(400, words_of(400)));
  if (const std::string why = refusal(request, house_->port); !why.empty())
    return answer(http::error(403, why));
  Reply reply;
  reply.state_ = std::make_shared<Pending>();
  reply.state_->connection = weak_from_this();
  try {
    house_->handler(request, reply);
  } catch (const std::exception& e) {
    reply.send(http::error(500, e.what()));
  }
}

void Connection::answer(const Response& response) {
  if (!socket_.is_open()) return;
  finished_ = true;
  std::string text =
      head_text(response, fmt::format("Content-Length: {}\r\n", response.body.size()), keep_);
  if (!head_) text += response.body;
  send(std::move(text));
}

void Connection::begin_stream(const std::string& type, const std::shared_ptr<Streaming>& stream) {
  if (!socket_.is_open()) return;
  keep_ =
      false;  // what watches for the end of the reader would take the next request's first bytes
  finished_ = head_;
  stream_ = stream;
  if (head_) stream->open = false;
  send(head_text({.type = type, .body = ""}, chunked_ ? "Transfer-Encoding: chunked\r\n" : "",
                 keep_));
  if (!head_) watch_reader();
}

void Connection::piece(const std::string& text) {
  if (!socket_.is_open() || finished_ || text.empty()) return;
  send(chunked_ ? fmt::format("{:x}\r\n{}\r\n", text.size(), text) : text);
}

void Connection::end_stream() {
  if (!socket_.is_open() || finished_) return;
  finished_ = true;
  if (chunked_)
    send("0\r\n\r\n");
  else if (!sending_)
    hang_up();
}

// Who listens to a stream says nothing: whatever can be read is the end.
void Connection::watch_reader() {
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](error_code error) {
    if (!error && self->finished_) return;
    self->close();
  });
}

void Connection::send(std::string text) {
  unsent_bytes_ += text.size();
  if (!finished_ && unsent_bytes_ > house_->limits.unsent_bytes) return close();
  unsent_.push_back(std::move(text));
  if (!sending_) send_next();
}

void Connection::send_next() {
  sending_ = true;
  arm(Waiting::Send, house_->limits.send);
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
  if (!finished_) return arm(Waiting::Answer, house_->limits.idle);
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
