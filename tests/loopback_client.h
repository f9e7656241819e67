// A client for tests, made of bare sockets: it can send what no proper client would.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace tilewright::http {

class TestClient {
 public:
  explicit TestClient(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~TestClient() { close(); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool connected() const { return connected_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void send(const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  }
  // Until `mark` has arrived; what came, and less of it when the server closed or 10 s passed.
  std::string read_until(const std::string& mark) {
    std::size_t at;
    while ((at = buffer_.find(mark)) == std::string::npos && more()) {}
    return take(at == std::string::npos ? buffer_.size() : at + mark.size());
  }
  // So many bytes; fewer when the server closed or 10 s passed.
  std::string read_exactly(std::size_t bytes) {
    while (buffer_.size() < bytes && more()) {}
    return take(std::min(bytes, buffer_.size()));
  }
  // Headers and as much body as they announce.
  std::string read_answer() {
    std::string head = read_until("\r\n\r\n");
    const std::size_t at = head.find("Content-Length: ");
    return at == std::string::npos ? head : head + read_exactly(std::stoul(head.substr(at + 16)));
  }
  std::string read_all() {
    while (more()) {}
    return take(buffer_.size());
  }

 private:
  bool more() {
    char bytes[4096];
    const ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
    if (n > 0) buffer_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }
  std::string take(std::size_t size) {
    std::string out = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return out;
  }

  int fd_;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace tilewright::http
