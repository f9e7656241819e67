// A client of the API for tests: requests of any form, answers taken apart.
#pragma once

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../loopback_client.h"

namespace serve_test {

using Json = nlohmann::ordered_json;

struct Answer {
  int status = 0;
  std::string head, body;
  Json json() const { return Json::parse(body, nullptr, false); }
  std::string code() const { return json()["error"].value("code", ""); }
  std::string param() const {
    const Json e = json()["error"];
    return e.contains("param") && e["param"].is_string() ? e["param"].get<std::string>() : "";
  }
};

inline std::string request_text(const std::string& method, const std::string& path, uint16_t port,
                                const std::string& body = "", const std::string& headers = "") {
  return fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n{}\r\n{}",
                     method, path, port, body.size(), headers, body);
}

inline int status_of(const std::string& head) {
  return head.size() > 12 ? std::atoi(head.c_str() + 9) : 0;
}

class ApiClient {
 public:
  explicit ApiClient(uint16_t port) : port_(port), client_(port) {}

  Answer get(const std::string& path, const std::string& headers = "") {
    client_.send(request_text("GET", path, port_, "", headers));
    return read();
  }
  Answer post(const std::string& path, const std::string& body, const std::string& headers = "") {
    send(path, body, headers);
    return read();
  }
  Answer post(const std::string& path, const char* body) { return post(path, std::string(body)); }
  Answer post(const std::string& path, const Json& body) { return post(path, body.dump()); }
  void send(const std::string& path, const std::string& body, const std::string& headers = "") {
    client_.send(request_text("POST", path, port_, body, headers));
  }
  // Headers, and a body of either framing.
  Answer read() {
    Answer a;
    a.head = client_.read_until("\r\n\r\n");
    a.status = status_of(a.head);
    if (const auto at = a.head.find("Content-Length: "); at != std::string::npos) {
      a.body = client_.read_exactly(std::stoul(a.head.substr(at + 16)));
    } else {
      for (std::string size; !(size = client_.read_until("\r\n")).empty();) {
        const std::size_t bytes = std::stoul(size, nullptr, 16);
        a.body += client_.read_exactly(bytes);
        client_.read_exactly(2);
        if (bytes == 0) break;
      }
    }
    return a;
  }
  tilewright::http::TestClient& raw() { return client_; }

 private:
  uint16_t port_;
  tilewright::http::TestClient client_;
};

// The events of a stream, in order: their data. Comments are left out.
inline std::vector<std::string> events_of(const std::string& body) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = body.find("\n\n", at);
    const std::string event = body.substr(at, end - at);
    if (event.starts_with("data: ")) out.push_back(event.substr(6));
    if (end == std::string::npos) break;
    at = end + 2;
  }
  return out;
}

// What a stream of either endpoint says, put together again, by choice.
struct Streamed {
  std::map<std::size_t, std::string> text, reasoning, finish;
  std::map<std::size_t, Json> logprobs;  // lists of tokens
  Json usage;
  bool done = false;
};
inline Streamed put_together(const std::string& body) {
  Streamed out;
  for (const std::string& event : events_of(body)) {
    if (event == "[DONE]") {
      out.done = true;
      continue;
    }
    const Json part = Json::parse(event);
    if (part.contains("usage")) out.usage = part["usage"];
    if (!part.contains("choices")) continue;
    for (const Json& c : part["choices"]) {
      const auto i = c["index"].get<std::size_t>();
      const Json& from = c.contains("delta") ? c["delta"] : c;
      out.text[i] +=
          from.contains("text") ? from["text"].get<std::string>() : from.value("content", "");
      out.reasoning[i] += from.value("reasoning_content", "");
      if (c["finish_reason"].is_string()) out.finish[i] = c["finish_reason"];
      if (c["logprobs"].is_object() && c["logprobs"].contains("content"))
        for (const Json& t : c["logprobs"]["content"]) out.logprobs[i].push_back(t);
    }
  }
  return out;
}

}  // namespace serve_test
