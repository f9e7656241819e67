// The same request is answered the same, to the last bit of every probability: alone or among
// others, in whatever order they come, with others cancelled, with cached beginnings or without,
// with guesses or without, on any number of threads.
#include <map>

#include "../seeds.h"
#include "support.h"
#include "tilewright/base/rng.h"
#include "tilewright/runtime/scheduler.h"

namespace runtime_test {
namespace {

using runtime::Chosen;
using runtime::Scheduler;
using runtime::SchedulerOptions;

constexpr int64_t kVocab = 400;

// Allows two tokens of three; which ones depends on all that were chosen.
class TwoOfThree : public tokens::Constraint {
 public:
  const tokens::TokenSet& allowed() override {
    allowed_.clear();
    for (int32_t id = 0; id < kVocab; ++id)
      if ((id + sum_) % 3 != 0) allowed_.add(id);
    return allowed_;
  }
  void accept(int32_t id) override { sum_ = (sum_ + id) % 3; }

 private:
  tokens::TokenSet allowed_{kVocab};
  int32_t sum_ = 1;
};

// The i-th of the mixed requests: many begin alike, for a whole number of pages or not.
Request mixed_request(int64_t i, bool guesses = false) {
  Rng rng(static_cast<uint64_t>(i) + 1000);
  const auto below = [&](int64_t n) { return rng.integer(0, n); };
  Request r;
  r.prompt = some_tokens(below(2) * (below(4) * 16 + below(2) * 7), kVocab, below(2));
  const Ids tail = some_tokens(1 + below(below(3) == 0 ? 90 : 12), kVocab, below(5));
  r.prompt.insert(r.prompt.end(), tail.begin(), tail.end());
  r.max_tokens = below(12) == 0 ? runtime::kUntilFull : below(25);
  tokens::SamplingOptions& s = r.sampling;
  s.seed = static_cast<uint64_t>(i);
  if (below(2)) s.temperature = 2 + static_cast<double>(below(8));
  if (below(3) == 0) s.top_k = 1 + below(40);
  if (below(3) == 0) s.top_p = 0.9;
  if (below(4) == 0) s.min_p = 0.05;
  if (below(3) == 0) s.repetition_penalty = 1.2;
  if (below(3) == 0) s.presence_penalty = 0.7;
  if (below(3) == 0) s.frequency_penalty = 0.3;
  if (below(4) == 0) s.logit_bias = {{3, 5}, {17, -100}, {200, 2.5}};
  if (below(3) == 0)
    for (int32_t id = 0; id < 20; ++id) r.stop_ids.push_back(id * 20 + 7);
  if (below(3) == 0) r.constraint = std::make_shared<TwoOfThree>();
  if (below(2)) r.logprobs = below(4);
  if (guesses) r.speculate = 1 + i % 5;
  return r;
}

constexpr int64_t kRequests = 64;

// What a request was given; `whole` when it was not cancelled.
struct Told {
  std::vector<Chosen> tokens;
  Answer answer;
  int ends = 0;
};

void listen(Request& r, Told& told) {
  r.on_token = [&told](const Chosen& c) { told.tokens.push_back(c); };
  r.on_end = [&told](const Answer& a) {
    told.answer = a;
    ++told.ends;
  };
}

class SameBytes : public testing::Test {
 protected:
  // Every request by itself: one thread, one slot, nothing cached, no guesses.
  static const std::vector<Told>& alone() {
    static const std::vector<Told> all = [] {
      Engine engine(model(), engine_options(1, 1));
      std::vector<Told> out(kRequests);
      for (int64_t i = 0; i < kRequests; ++i) {
        Scheduler scheduler(engine, {.share_prefixes = false});
        Request r = mixed_request(i);
        listen(r, out[static_cast<std::size_t>(i)]);
        scheduler.submit(std::move(r));
        while (scheduler.step()) {}
      }
      return out;
    }();
    return all;
  }
  static const Checkpoint& model() {
    static const TemporaryDirectory directory;
    static const Checkpoint made = transformer_test::made(
        directory, {transformer_test::small_config(Family::Qwen3, false, 8, 2), DType::BF16, 5});
    return made;
  }
  static EngineOptions engine_options(int threads, int64_t slots) {
    EngineOptions o = small_options(threads);
    o.slots = slots;
    return o;
  }

  static void expect_as_alone(const Told& told, std::size_t i) {
    const Told& one = alone()[i];
    ASSERT_EQ(told.ends, 1) << "request " << i;
    EXPECT_EQ(told.answer.tokens.size(), told.tokens.size());
    if (told.answer.ended == Ended::Interrupted) {
      ASSERT_LE(told.tokens.size(), one.tokens.size());
      EXPECT_TRUE(std::equal(told.tokens.begin(), told.tokens.end(), one.tokens.begin()))
          << "request " << i;
      return;
    }
    EXPECT_EQ(told.answer.ended, one.answer.ended) << "request " << i;
    EXPECT_EQ(told.answer.tokens, one.answer.tokens) << "request " << i;
    EXPECT_EQ(told.tokens, one.tokens) << "request " << i;
  }
};

// The mixture has what it should test.
TEST_F(SameBytes, OfRequestsOfManyKinds) {
  std::map<Ended, int> ends;
  for (const Told& told : alone()) ++ends[told.answer.ended];
  EXPECT_GT(ends[Ended::AtStop], 5);
  EXPECT_GT(ends[Ended::AtLength], 20);
  EXPECT_GT(ends[Ended::AtContext], 1);
}

TEST_F(SameBytes, TogetherOnAnyNumberOfThreads) {
  for (const int threads : {1, 3})
    for (const bool shared : {false, true})
      for (const bool guesses : {false, true}) {
        Engine engine(model(), engine_options(threads, 64));
        Scheduler scheduler(engine, {.share_prefixes = shared});
        std::vector<Told> told(kRequests);
        for (int64_t i = 0; i < kRequests; ++i) {
          Request r = mixed_request(i, guesses);
          listen(r, told[static_cast<std::size_t>(i)]);
          scheduler.submit(std::move(r));
        }
        while (scheduler.step()) {}
        SCOPED_TRACE(testing::Message()
                     << threads << " threads, shared " << shared << ", guesses " << guesses);
        for (std::size_t i = 0; i < told.size(); ++i) expect_as_alone(told[i], i);
        const auto state = scheduler.state();
        EXPECT_EQ(state.accepted > 0, guesses);
        EXPECT_EQ(state.prompt_tokens_cached > 0, shared);
        EXPECT_EQ(engine.pages_in_use(), 0);
      }
}

// Requests come, are answered, and are cancelled at random, on engines whose pages are scarce, so
// that what is cached is given up and read again.
TEST_F(SameBytes, WhateverComesAndIsCancelled) {
  const int64_t wanted = soaking() ? 10'000 : 100;
  Rng rng(first_seed() + 1);
  int64_t cancelled = 0, cached = 0, answered = 0;
  while (cancelled < wanted) {
    EngineOptions options = engine_options(static_cast<int>(rng.integer(1, 4)), rng.integer(1, 10));
    options.cache_positions = 16 * rng.integer(13, 13 * options.slots + 1);
    Engine engine(model(), options);
    Scheduler scheduler(engine, {.prompt_rows = rng.integer(1, 49),
                                 .share_prefixes = rng.integer(0, 4) > 0});
    std::map<Scheduler::Ticket, std::pair<std::size_t, Told>> all;
    SCOPED_TRACE(testing::Message()
                 << options.slots << " slots, " << options.cache_positions << " positions");
    for (int64_t left = 60; left > 0 || scheduler.running() + scheduler.waiting() > 0;) {
      for (int64_t n = rng.integer(0, 4); n > 0 && left > 0; --n, --left) {
        const int64_t i = rng.integer(0, kRequests);
        Request r = mixed_request(i, rng.integer(0, 2) == 1);
        auto& [which, told] = all[all.size() + 1];
        which = static_cast<std::size_t>(i);
        listen(r, told);
        EXPECT_EQ(scheduler.submit(std::move(r)), all.size());
      }
      scheduler.step();
      if (rng.integer(0, 3) != 0 || all.empty()) continue;
      const auto ticket =
          static_cast<uint64_t>(rng.integer(1, static_cast<int64_t>(all.size()) + 1));
      if (all[ticket].second.ends == 0) ++cancelled;
      scheduler.cancel(ticket);
      EXPECT_EQ(all[ticket].second.ends, 1);
    }
    for (const auto& [ticket, one] : all) expect_as_alone(one.second, one.first);
    const auto state = scheduler.state();
    EXPECT_EQ(state.pages_in_use, 0);
    EXPECT_EQ(engine.free_slots(), engine.slots());
    cached += state.prompt_tokens_cached;
    answered += static_cast<int64_t>(all.size());
    if (HasFailure()) return;
  }
  EXPECT_GT(cached, 0);
  EXPECT_GT(answered, cancelled);
}

}  // namespace
}  // namespace runtime_test
