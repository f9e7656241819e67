// The same request gives the same bytes, whatever else the server does: alone, among others in any
// order, beside requests that are cancelled, and for any number of threads.
#include <algorithm>
#include <numeric>

#include "../seeds.h"
#include "served.h"
#include "tilewright/base/rng.h"

namespace serve_test {
namespace {

// Mixed requests: chats and texts, greedy and drawn, short and long, with probabilities.
std::vector<std::pair<std::string, Json>> mixed_requests(std::size_t count) {
  std::vector<std::pair<std::string, Json>> out;
  for (std::size_t i = 0; i < count; ++i) {
    Json more{{"seed", i}, {"temperature", i % 3 == 0 ? 0.0 : 4.0}, {"max_tokens", 5 + i % 17}};
    if (i % 4 == 1) more["top_p"] = 0.8;
    if (i % 5 == 2) more["presence_penalty"] = 0.5;
    if (i % 7 == 3) more["n"] = 2;
    const std::string text = "Story " + std::to_string(i % 6) + std::string((i * 13) % 90, 'a');
    if (i % 2 == 0) {
      more["logprobs"] = true;
      more["top_logprobs"] = 3;
      out.emplace_back("/v1/chat/completions", chat(text, more));
    } else {
      more["logprobs"] = 2;
      out.emplace_back("/v1/completions", completion(text, more));
    }
  }
  return out;
}

class SameBytes : public Served {
 protected:
  // Answers of all at once, in this order, with `cancels` others that go away midway.
  std::vector<Json> together(const std::vector<std::pair<std::string, Json>>& requests,
                             const std::vector<std::size_t>& order, int cancels) {
    std::vector<Json> out(requests.size());
    std::vector<std::thread> threads;
    for (const std::size_t i : order)
      threads.emplace_back([&, i] {
        out[i] = client().post(requests[i].first, requests[i].second).json()["choices"];
      });
    for (int c = 0; c < cancels; ++c)
      threads.emplace_back([&, c] {
        ApiClient gone = client();
        gone.send(
            "/v1/completions",
            completion("gone", {{"stream", true}, {"max_tokens", 200}, {"n", 1 + c % 3}}).dump());
        std::this_thread::sleep_for(std::chrono::milliseconds(c * 3));
      });
    for (std::thread& t : threads) t.join();
    return out;
  }
};

TEST_F(SameBytes, AloneTogetherAndBesideCancels) {
  const auto requests = mixed_requests(24);
  start();
  std::vector<Json> alone;
  for (const auto& [path, body] : requests) {
    alone.push_back(client().post(path, body).json()["choices"]);
    ASSERT_TRUE(alone.back().is_array() && !alone.back().empty()) << body.dump();
  }
  Rng rng(first_seed() + 1);
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0u);
  for (const int threads : {1, 2}) {
    Setting s;
    s.engine.threads = threads;
    s.engine.slots = 3 + threads;
    start(s);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(rng.integer(0, static_cast<int64_t>(i)))]);
      const std::vector<Json> crowd = together(requests, order, round * 8);
      for (std::size_t i = 0; i < requests.size(); ++i)
        EXPECT_EQ(crowd[i].dump(), alone[i].dump()) << requests[i].second.dump();
    }
  }
}

}  // namespace
}  // namespace serve_test
