// Load for a running `tilewright serve`: open connections that ask for /health, streams that are
// read token by token, and one long prompt of somebody else. Prints what clients see.
//
//   serve_load PORT [CONNECTIONS [STREAMS [TOKENS [PROMPT]]]]      (1000 64 128 4000)
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../tests/loopback_client.h"

namespace {

using tilewright::http::TestClient;
using Clock = std::chrono::steady_clock;

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

std::string request(uint16_t port, const std::string& path, const std::string& body) {
  return fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n\r\n{}",
                     body.empty() ? "GET" : "POST", path, port, body.size(), body);
}

std::string percentiles(std::vector<double> seconds) {
  if (seconds.empty()) return "none";
  std::ranges::sort(seconds);
  const auto at = [&](double share) {
    return 1000 *
           seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
  };
  return fmt::format("{} samples, p50 {:.2f} ms, p99 {:.2f} ms, most {:.2f} ms", seconds.size(),
                     at(0.5), at(0.99), at(1));
}

// What all streams together see.
struct Seen {
  std::mutex mutex;
  std::vector<double> first, gaps;  // seconds
  std::vector<double> gap_ends;     // when each gap ended
  int64_t tokens = 0;

  void add_stream(double sent, const std::vector<double>& times) {
    const std::lock_guard lock(mutex);
    if (times.empty()) return;
    first.push_back(times.front() - sent);
    tokens += static_cast<int64_t>(times.size());
    for (std::size_t i = 1; i < times.size(); ++i) {
      gaps.push_back(times[i] - times[i - 1]);
      gap_ends.push_back(times[i]);
    }
  }
};

void read_stream(uint16_t port, int64_t tokens, int64_t seed, Seen& seen) {
  TestClient client(port);
  const double sent = now();
  // Unlike the others from the first token on, so that no prompt is shared.
  client.send(request(
      port, "/v1/completions",
      fmt::format("{{\"prompt\": \"{} and one day\", \"max_tokens\": {}, \"stream\": true, "
                  "\"ignore_eos\": true, \"temperature\": 0, \"logprobs\": 0, \"seed\": {}}}",
                  seed, tokens, seed)));
  std::vector<double> times;
  while (true) {
    const std::string event = client.read_until("\n\n");
    if (event.empty() || event.find("[DONE]") != std::string::npos) break;
    if (event.find("\"finish_reason\":null") != std::string::npos) times.push_back(now());
  }
  seen.add_stream(sent, times);
}

double long_prompt(uint16_t port, int64_t tokens) {
  std::string ids;
  for (int64_t i = 0; i < tokens; ++i) ids += fmt::format("{}{}", i ? "," : "", 300 + i * 31 % 200);
  TestClient client(port);
  const double sent = now();
  client.send(request(port, "/v1/completions",
                      "{\"prompt\": [" + ids + "], \"max_tokens\": 1, \"temperature\": 0}"));
  const std::string answer = client.read_answer();
  if (answer.find(" 200 OK") == std::string::npos)
    fmt::print("the long prompt failed: {}\n", answer);
  return now() - sent;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int64_t otherwise) {
    return argc > i ? std::strtoll(argv[i], nullptr, 10) : otherwise;
  };
  const auto port = static_cast<uint16_t>(argument(1, 8080));
  const int64_t connections = argument(2, 1000), streams = argument(3, 64),
                tokens = argument(4, 128), prompt = argument(5, 4000);

  std::vector<std::unique_ptr<TestClient>> open;
  for (int64_t i = 0; i < connections; ++i) open.push_back(std::make_unique<TestClient>(port));
  const std::string health = request(port, "/health", "");
  std::vector<double> answers;
  std::atomic<bool> done{false};
  std::thread asking([&] {
    for (std::size_t i = 0; !done || i < open.size(); i = i + 1) {
      TestClient& client = *open[i % open.size()];
      const double sent = now();
      client.send(health);
      if (client.read_answer().find("\"ok\"") == std::string::npos) fmt::print("no answer\n");
      answers.push_back(now() - sent);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });

  Seen seen;
  const double start = now();
  std::vector<std::thread> readers;
  for (int64_t i = 0; i < streams; ++i)
    readers.emplace_back([&, i] { read_stream(port, tokens, i, seen); });
  double prompt_from = 0, prompt_to = 0;
  if (prompt > 0) {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    prompt_from = now();
    long_prompt(port, prompt);
    prompt_to = now();
  }
  for (std::thread& t : readers) t.join();
  const double seconds = now() - start;
  done = true;
  asking.join();

  fmt::print("/health on {} connections: {}\n", connections, percentiles(answers));
  fmt::print("{} streams: {} tokens in {:.1f} s, {:.1f} tokens/s\n", streams, seen.tokens, seconds,
             static_cast<double>(seen.tokens) / seconds);
  fmt::print("first token: {}\n", percentiles(seen.first));
  std::vector<double> during, besides;
  for (std::size_t i = 0; i < seen.gaps.size(); ++i)
    (seen.gap_ends[i] > prompt_from && seen.gap_ends[i] - seen.gaps[i] < prompt_to ? during
                                                                                   : besides)
        .push_back(seen.gaps[i]);
  fmt::print("between tokens: {}\n", percentiles(besides));
  if (prompt > 0)
    fmt::print("between tokens while {} tokens are read for somebody else ({:.2f} s): {}\n", prompt,
               prompt_to - prompt_from, percentiles(during));
}
