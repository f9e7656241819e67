// The server over real sockets of the loopback: what it answers, what it refuses, and that it ends.
#include "tilewright/http/server.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "../../tests/loopback_client.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/http/events.h"
#include "tilewright/http/routes.h"

namespace tilewright::http {
namespace {

using namespace std::chrono_literals;

class HttpServer : public ::testing::Test {
 protected:
  void serve(const Limits& limits = {}) {
    routes_.get("/hello", [](const Request& r) { return Response{.body = "hello " + r.query}; });
    routes_.add("POST", "/echo",
                [](const Request& r, const Reply& reply) { reply.send({.body = r.body}); });
    routes_.get("/broken", [](const Request&) -> Response { throw std::runtime_error("broken"); });
    routes_.add("GET", "/forgotten", [](const Request&, const Reply&) {});
    routes_.add("GET", "/events",
                [this](const Request&, const Reply& reply) { events_.listen(reply); });
    server_.emplace(Settings{.limits = limits}, routes_);
  }
  std::string get(const std::string& path, const std::string& more = "") {
    return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", path, server_->port(),
                       more);
  }
  std::string answer_to(const std::string& text) {
    TestClient client(server_->port());
    client.send(text);
    return client.read_answer();
  }
  std::string with_headers(const std::string& headers) {
    return answer_to("GET /hello HTTP/1.1\r\n" + headers + "\r\n");
  }

  Events events_;
  Routes routes_;
  std::optional<Server> server_;
};

bool is(const std::string& answer, int status) {
  return answer.starts_with(fmt::format("HTTP/1.1 {} ", status));
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(HttpServer, AnswersAndKeepsTheConnection) {
  serve();
  TestClient client(server_->port());
  for (int i = 0; i < 3; ++i) {
    client.send(get("/hello?who=me"));
    const std::string answer = client.read_answer();
    EXPECT_TRUE(is(answer, 200)) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\nhello who=me")) << answer;
    EXPECT_TRUE(has(answer, "Connection: keep-alive\r\n")) << answer;
  }
  client.send(get("/hello", "Connection: close\r\n"));
  const std::string last = client.read_all();  // the server closes
  EXPECT_TRUE(has(last, "Connection: close\r\n")) << last;
}

TEST_F(HttpServer, RequestsThatComeTogetherAreAnsweredInTurn) {
  serve();
  TestClient client(server_->port());
  client.send(get("/hello?1") + get("/hello?2"));
  EXPECT_TRUE(client.read_answer().ends_with("hello 1"));
  EXPECT_TRUE(client.read_answer().ends_with("hello 2"));
}

TEST_F(HttpServer, HeadHasTheHeadersAlone) {
  serve();
  TestClient client(server_->port());
  client.send(
      fmt::format("HEAD /hello?x HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n",
                  server_->port()));
  const std::string answer = client.read_all();
  EXPECT_TRUE(is(answer, 200)) << answer;
  EXPECT_TRUE(has(answer, "Content-Length: 7\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(HttpServer, UnknownPathsAndMethods) {
  serve();
  EXPECT_TRUE(is(answer_to(get("/nothing")), 404));
  const std::string no = answer_to(
      fmt::format("DELETE /hello HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server_->port()));
  EXPECT_TRUE(is(no, 405)) << no;
  EXPECT_TRUE(has(no, "Allow: GET, HEAD\r\n")) << no;
  EXPECT_TRUE(is(answer_to("nonsense\r\n\r\n"), 400));
  EXPECT_TRUE(is(answer_to(get("http://127.0.0.1/hello")), 400));
}

TEST_F(HttpServer, OnlyOwnHostsAreAnswered) {
  serve();
  const uint16_t port = server_->port();
  for (const std::string& host :
       {fmt::format("127.0.0.1:{}", port), fmt::format("localhost:{}", port)})
    EXPECT_TRUE(is(with_headers("Host: " + host + "\r\n"), 200)) << host;
  for (const std::string& host :
       {std::string("evil.example"), fmt::format("evil.example:{}", port), std::string("127.0.0.1"),
        fmt::format("127.0.0.1:{}", port ^ 1), fmt::format("127.0.0.1.evil.example:{}", port),
        fmt::format("localhost:{}@evil.example", port), std::string("")})
    EXPECT_TRUE(is(with_headers("Host: " + host + "\r\n"), 403)) << host;
  EXPECT_TRUE(is(with_headers(""), 403));
}

TEST_F(HttpServer, OnlyOwnPagesAreAnswered) {
  serve();
  const uint16_t port = server_->port();
  const std::string host = fmt::format("Host: 127.0.0.1:{}\r\n", port);
  EXPECT_TRUE(is(with_headers(host + fmt::format("Origin: http://localhost:{}\r\n", port)), 200));
  for (const std::string& origin :
       {std::string("null"), std::string("http://evil.example"),
        fmt::format("https://127.0.0.1:{}", port), std::string("http://127.0.0.1"),
        fmt::format("http://127.0.0.1:{}.evil.example", port)})
    EXPECT_TRUE(is(with_headers(host + "Origin: " + origin + "\r\n"), 403)) << origin;
}

TEST_F(HttpServer, LargeHeadersAndBodiesAreRefused) {
  serve({.header_bytes = 2000, .body_bytes = 1000});
  EXPECT_TRUE(is(answer_to(get("/hello", "X-Large: " + std::string(3000, 'x') + "\r\n")), 431));
  const auto post = [&](std::size_t bytes) {
    return answer_to(
        fmt::format("POST /echo HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n\r\n{}",
                    server_->port(), bytes, std::string(bytes, 'b')));
  };
  EXPECT_TRUE(post(1000).ends_with(std::string(1000, 'b')));
  EXPECT_TRUE(is(post(1001), 413));
  EXPECT_TRUE(is(post(3'000'000), 413));  // the answer arrives although nobody reads the rest
}

TEST_F(HttpServer, BodiesThatArriveAtOnceAreBounded) {
  serve({.body_bytes = 1000, .arriving_bytes = 1500});
  const auto head = [&](const std::string& framing) {
    return fmt::format("POST /echo HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n\r\n", server_->port(),
                       framing);
  };
  {
    TestClient half(server_->port());
    half.send(head("Content-Length: 1000") + "half");
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(is(answer_to(head("Content-Length: 501")), 503));
    EXPECT_TRUE(is(answer_to(head("Transfer-Encoding: chunked")), 503));
    EXPECT_TRUE(is(answer_to(head("Content-Length: 500") + std::string(500, 'x')), 200));
    EXPECT_TRUE(is(answer_to(get("/hello")), 200));
  }
  bool again = false;  // as soon as the server has seen it go
  for (int i = 0; i < 100 && !again; ++i) {
    again = is(answer_to(head("Content-Length: 1000") + std::string(1000, 'x')), 200);
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(again);
}

TEST_F(HttpServer, ASlowClientIsGivenUp) {
  serve({.request = 200ms, .idle = 300ms});
  TestClient slow(server_->port());
  slow.send("GET /hello HTTP/1.1\r\nHos");
  EXPECT_TRUE(is(slow.read_answer(), 408));
  TestClient silent(server_->port());
  EXPECT_EQ(silent.read_all(), "");  // closed without a word
  EXPECT_TRUE(is(answer_to(get("/hello")), 200));
}

TEST_F(HttpServer, AClientThatTakesNothingIsGivenUp) {
  serve({.unsent_bytes = 1 << 20, .send = 200ms});
  TestClient listener(server_->port());
  listener.send(get("/events"));
  EXPECT_TRUE(has(listener.read_until("retry: 500"), "200 OK"));
  const std::string large(1 << 19, 'x');
  for (int i = 0; i < 40; ++i) {
    events_.publish("large", large);
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LT(listener.read_all().size(), 40 * large.size());  // the server has hung up
}

TEST_F(HttpServer, TooManyConnectionsAreToldSo) {
  serve({.connections = 2});
  TestClient a(server_->port()), b(server_->port());
  a.send(get("/hello"));
  b.send(get("/hello"));
  EXPECT_TRUE(is(a.read_answer(), 200));
  EXPECT_TRUE(is(b.read_answer(), 200));
  EXPECT_TRUE(is(answer_to(get("/hello")), 503));
  a.close();
  b.close();
  bool again = false;  // as soon as the server has seen them go
  for (int i = 0; i < 100 && !again; ++i) {
    again = is(answer_to(get("/hello")), 200);
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(again);
}

TEST_F(HttpServer, AHandlerThatFailsIsAnAnswer) {
  serve();
  const std::string broken = answer_to(get("/broken"));
  EXPECT_TRUE(is(broken, 500)) << broken;
  EXPECT_TRUE(is(answer_to(get("/forgotten")), 500));
}

TEST_F(HttpServer, AnAnswerMayComeLaterFromAnotherThread) {
  std::thread worker;
  routes_.add("GET", "/later", [&](const Request&, const Reply& reply) {
    worker = std::thread([reply] {
      std::this_thread::sleep_for(500ms);  // longer than any deadline of the client
      reply.send({.body = "done"});
    });
  });
  serve({.request = 100ms, .idle = 100ms, .send = 100ms});
  EXPECT_TRUE(answer_to(get("/later")).ends_with("done"));
  worker.join();
}

TEST_F(HttpServer, EventsReachEverybodyAndLatecomersHearTheLast) {
  serve();
  TestClient first(server_->port());
  first.send(get("/events"));
  const std::string head = first.read_until("retry: 500\n\n");
  EXPECT_TRUE(has(head, "Content-Type: text/event-stream\r\n")) << head;
  events_.publish("saved", "one\ntwo");
  const std::string expected = "event: saved\ndata: one\ndata: two\n\n";
  EXPECT_TRUE(first.read_until(expected).ends_with(expected));
  TestClient second(server_->port());
  second.send(get("/events"));
  EXPECT_TRUE(second.read_until(expected).ends_with(expected));
  first.close();
  for (int i = 0; i < 3; ++i) events_.publish("saved", std::to_string(i));
  EXPECT_TRUE(has(second.read_until("data: 2\n\n"), "data: 1\n\n"));
}

TEST_F(HttpServer, AConnectionGoesOnAfterAStream) {
  routes_.add("GET", "/pieces", [](const Request&, const Reply& reply) {
    Stream stream = reply.stream({.type = "text/plain"});
    stream.write("one ");
    stream.write("two");
  });  // the stream is gone, so it has ended
  serve();
  TestClient client(server_->port());
  const std::string chunks = "\r\n\r\n4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n";
  for (int i = 0; i < 2; ++i) {
    client.send(get("/pieces"));
    EXPECT_TRUE(has(client.read_until("0\r\n\r\n"), chunks));
  }
  client.send(get("/pieces") + get("/hello?next"));  // before its turn
  EXPECT_TRUE(has(client.read_until("0\r\n\r\n"), chunks));
  EXPECT_TRUE(client.read_answer().ends_with("hello next"));
  client.send(get("/pieces", "Connection: close\r\n"));
  EXPECT_TRUE(client.read_all().ends_with(chunks));
  TestClient old(server_->port());
  old.send(fmt::format("GET /pieces HTTP/1.0\r\nHost: localhost:{}\r\n\r\n", server_->port()));
  EXPECT_TRUE(old.read_all().ends_with("\r\n\r\none two"));
}

TEST_F(HttpServer, APortInUseIsAMistakeInFourLines) {
  serve();
  try {
    Server second({.port = server_->port()}, routes_);
    FAIL() << "two servers on one port";
  } catch (const UserError& e) {
    EXPECT_TRUE(has(e.diagnostic().what, fmt::format("port {}", server_->port()))) << e.what();
    EXPECT_TRUE(has(e.diagnostic().help, "--port")) << e.what();
  }
}

TEST_F(HttpServer, EndsWithItsThreadAndItsConnections) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto threads_before = threads(), descriptors_before = descriptors();
  for (int round = 0; round < 20; ++round) {
    serve();
    const uint16_t port = server_->port();
    TestClient listener(port), silent(port), half(port);
    listener.send(get("/events"));
    half.send("GET /hel");
    listener.read_until("retry: 500");
    const auto start = std::chrono::steady_clock::now();
    server_.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
    listener.read_all();  // returns, since the server has closed
    EXPECT_FALSE(TestClient(port).connected());
    events_.publish("late", "nobody hears it");
  }
  EXPECT_EQ(threads(), threads_before);
  EXPECT_EQ(descriptors(), descriptors_before);
}

}  // namespace
}  // namespace tilewright::http
