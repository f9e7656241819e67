// The scheduler at its edges: who is served when, who is refused, what callbacks may do, and what
// happens when something throws.
#include "tilewright/runtime/scheduler.h"

#include <cmath>
#include <numeric>

#include "support.h"
#include "tilewright/runtime/drafts.h"
#include "tilewright/runtime/prompt_shares.h"

namespace runtime_test {
namespace {

using runtime::Chosen;
using runtime::drafts_of;
using runtime::prompt_shares;
using runtime::Scheduler;
using runtime::SchedulerOptions;
using Shares = std::vector<int64_t>;

class Scheduling : public testing::Test {
 protected:
  static Request request(int64_t prompt, int64_t count, int64_t seed = 1) {
    return request_of(some_tokens(prompt, 400, seed), count);
  }
  Answer alone(const Request& r) {
    Engine engine(model, small_options(1));
    return runtime::generate(engine, {r}).front();
  }
  // Its answer arrives in `answer`.
  static Request told(Request r, std::optional<Answer>& answer) {
    r.on_end = [&answer](const Answer& a) {
      EXPECT_FALSE(answer) << "ended twice";
      answer = a;
    };
    return r;
  }
  static void finish(Scheduler& scheduler) {
    while (scheduler.step()) {}
  }

  TemporaryDirectory directory;
  Checkpoint model =
      transformer_test::made(directory, {transformer_test::small_config(Family::Qwen3, false, 8, 2),
                                         DType::BF16, 5});
};

// ---- whose turn it is ----

TEST(PromptShares, TheOldestHasHalfAndTheShortestComeFirst) {
  EXPECT_EQ(prompt_shares(Shares{}, 48), Shares{});
  EXPECT_EQ(prompt_shares(Shares{100}, 48), Shares{48});
  EXPECT_EQ(prompt_shares(Shares{100, 10}, 48), (Shares{38, 10}));
  EXPECT_EQ(prompt_shares(Shares{100, 90, 10}, 48), (Shares{24, 14, 10}));
  EXPECT_EQ(prompt_shares(Shares{10, 90, 90}, 48), (Shares{10, 38, 0}));
  EXPECT_EQ(prompt_shares(Shares{90, 90, 90}, 48), (Shares{48, 0, 0}));
  EXPECT_EQ(prompt_shares(Shares{5, 5, 5}, 48), (Shares{5, 5, 5}));
  EXPECT_EQ(prompt_shares(Shares{90, 1, 1, 1}, 1), (Shares{1, 0, 0, 0}));
}

TEST_F(Scheduling, AShortPromptDoesNotWaitForALongOne) {
  Engine engine(model, small_options());
  Scheduler scheduler(engine, {.prompt_rows = 8});
  scheduler.submit(request(190, 1));
  int64_t steps = 0, short_at = 0;
  Request r = request(12, 1, 2);
  r.on_token = [&](const Chosen&) { short_at = steps; };
  scheduler.submit(r);
  for (bool more = true; more; more = scheduler.step()) ++steps;
  EXPECT_LE(short_at, 3);
  EXPECT_GE(steps, 190 / 8);
}

// While a long prompt is read, a sequence that is continued has a token from every step, and no
// step has more rows of prompts than it should.
TEST_F(Scheduling, NobodyWaitsForMoreThanOneChunk) {
  Engine engine(model, small_options());
  Scheduler scheduler(engine, {.prompt_rows = 8, .share_prefixes = false});
  int64_t tokens = 0;
  Request r = request(5, 100);
  r.on_token = [&](const Chosen&) { ++tokens; };
  scheduler.submit(r);
  scheduler.step();
  scheduler.submit(request(190, 1, 2));
  for (int64_t expected = 2; scheduler.running() + scheduler.waiting() == 2; ++expected) {
    scheduler.step();
    EXPECT_EQ(tokens, expected);
    EXPECT_LE(scheduler.state().step_rows, 9);
  }
  EXPECT_EQ(tokens, 1 + (190 + 7) / 8);
}

// ---- what is refused, and what waits ----

TEST_F(Scheduling, TheQueueHasALimit) {
  EngineOptions o = small_options();
  o.slots = 1;
  Engine engine(model, o);
  Scheduler scheduler(engine, {.waiting = 2});
  for (int i = 0; i < 3; ++i) scheduler.submit(request(5, 3));
  try {
    scheduler.submit(request(5, 3));
    FAIL() << "accepted";
  } catch (const runtime::QueueFull& e) {
    EXPECT_EQ(e.diagnostic().what, "the queue of 2 requests is full");
  }
  while (scheduler.waiting() + scheduler.running() == 3) scheduler.step();
  scheduler.step();
  scheduler.submit(request(5, 3));
  finish(scheduler);
}

TEST_F(Scheduling, WhatCanNeverRunIsRefused) {
  Engine engine(model, small_options());
  Scheduler scheduler(engine);
  const auto refused = [&](const auto& change) {
    Request r = request(5, 3);
    change(r);
    try {
      scheduler.submit(std::move(r));
    } catch (const runtime::QueueFull&) {
      return std::string("queue");
    } catch (const UserError& e) {
      return e.diagnostic().what;
    }
    return std::string();
  };
  EXPECT_EQ(refused([](Request&) {}), "");
  EXPECT_EQ(refused([](Request& r) { r.max_tokens = INT64_MAX; }), "");
  EXPECT_EQ(refused([](Request& r) { r.prompt = some_tokens(201, 400); }),
            "a prompt of 201 tokens does not fit into a context of 200");
  EXPECT_EQ(refused([](Request& r) { r.max_tokens = -1; }), "tokens of the answer = -1");
  EXPECT_EQ(refused([](Request& r) { r.logprobs = -1; }), "probabilities of the best tokens = -1");
  EXPECT_EQ(refused([](Request& r) { r.speculate = -1; }), "tokens guessed per step = -1");
  EXPECT_EQ(refused([](Request& r) {
              r.sampling.logit_bias = {{400, 1}};
            }),
            "the bias of token 400 is outside the vocabulary of 400");
  EXPECT_EQ(refused([](Request& r) {
              r.sampling.logit_bias = {{399, 101}};
            }),
            "bias of token 399 = 101 is not between -100 and 100");
  EXPECT_EQ(refused([](Request& r) { r.sampling.frequency_penalty = NAN; }),
            "frequency penalty = nan is not between -100 and 100");
  EXPECT_EQ(scheduler.waiting(), 2);
}

// Four slots, but pages for one whole context and a half: a request begins when there are pages
// for all that it may need, in the order in which they came.
TEST_F(Scheduling, PagesArePromisedBeforeARequestBegins) {
  EngineOptions o = small_options();
  o.cache_positions = 20 * 16;
  Engine engine(model, o);
  Scheduler scheduler(engine, {.share_prefixes = false});
  std::vector<std::optional<Answer>> answers(5);
  std::vector<Request> all{request(100, runtime::kUntilFull), request(100, 13, 2),
                           request(90, runtime::kUntilFull, 3), request(3, 3, 4),
                           request(150, 51, 5)};
  for (std::size_t i = 0; i < all.size(); ++i) scheduler.submit(told(all[i], answers[i]));
  scheduler.step();
  EXPECT_EQ(scheduler.running(), 2);  // 13 and 7 pages
  while (!answers[1]) {
    EXPECT_EQ(scheduler.running(), 2);
    EXPECT_TRUE(scheduler.step());
  }
  finish(scheduler);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(answers[i]->tokens, alone(all[i]).tokens);
    EXPECT_EQ(answers[i]->ended, alone(all[i]).ended);
  }
}

// One slot whose pages are all that there are: the next turn of a conversation goes on from the
// page that is not full, though there is no room for a copy.
TEST_F(Scheduling, TheLastPageOfAConversationIsTakenOver) {
  EngineOptions o = small_options();
  o.slots = 1;
  Engine engine(model, o);
  Scheduler scheduler(engine);
  Request first = request(100, 20);
  std::optional<Answer> said;
  scheduler.submit(told(first, said));
  finish(scheduler);
  Request second = request(1, runtime::kUntilFull);
  second.prompt = first.prompt;
  second.prompt.insert(second.prompt.end(), said->tokens.begin(), said->tokens.end());
  second.prompt.push_back(9);
  std::optional<Answer> answer;
  scheduler.submit(told(second, answer));
  finish(scheduler);
  EXPECT_EQ(answer->cached_tokens, 119);  // the last token of the answer was not read
  EXPECT_EQ(answer->tokens, alone(second).tokens);
}

// ---- cancelling, and callbacks ----

TEST_F(Scheduling, ACancelFreesTheSlotAndThePagesAtOnce) {
  EngineOptions o = small_options();
  o.slots = 1;
  Engine engine(model, o);
  Scheduler scheduler(engine, {.share_prefixes = false});
  std::optional<Answer> a, b;
  const auto running = scheduler.submit(told(request(60, 100), a));
  const auto waiting = scheduler.submit(told(request(60, 100), b));
  for (int i = 0; i < 4; ++i) scheduler.step();
  EXPECT_GT(engine.pages_in_use(), 0);
  scheduler.cancel(running);
  EXPECT_EQ(engine.pages_in_use(), 0);
  EXPECT_EQ(a->ended, Ended::Interrupted);
  EXPECT_EQ(a->tokens.size(), 3u);
  scheduler.cancel(waiting, Ended::AtStop);
  EXPECT_EQ(b->ended, Ended::AtStop);
  scheduler.cancel(running);  // nothing any more
  scheduler.cancel(77);
  EXPECT_FALSE(scheduler.step());
}

TEST_F(Scheduling, CallbacksSubmitAndCancel) {
  Engine engine(model, small_options());
  Scheduler scheduler(engine);
  std::optional<Answer> self, other, followed, neighbour;
  Request cancels = told(request(20, 50), self);
  Scheduler::Ticket own = 0, victim = 0;
  cancels.on_token = [&](const Chosen&) {
    if (scheduler.state().slots.at(0).tokens != 3) return;
    scheduler.cancel(victim);
    scheduler.cancel(own);
    scheduler.cancel(own);
  };
  own = scheduler.submit(cancels);
  Request ends = told(request(20, 50, 2), other);
  ends.on_end = [&, first = ends.on_end](const Answer& a) {
    first(a);
    scheduler.submit(told(request(10, 4, 3), followed));
  };
  victim = scheduler.submit(ends);
  scheduler.submit(told(request(25, 12, 4), neighbour));
  finish(scheduler);
  EXPECT_EQ(self->tokens.size(), 3u);
  EXPECT_EQ(other->tokens.size(), 2u);  // cancelled before its third was delivered
  EXPECT_EQ(followed->tokens, alone(request(10, 4, 3)).tokens);
  EXPECT_EQ(neighbour->tokens, alone(request(25, 12, 4)).tokens);
}

TEST_F(Scheduling, ACallbackThatThrowsEndsItsOwnRequest) {
  Engine engine(model, small_options());
  Scheduler scheduler(engine);
  std::optional<Answer> bad, worse, good;
  Request throws = told(request(20, 50), bad);
  int seen = 0;
  throws.on_token = [&](const Chosen&) {
    if (++seen == 3) throw std::runtime_error("no reader");
  };
  scheduler.submit(throws);
  Request twice = request(20, 3, 2);
  twice.on_end = [&](const Answer& a) {
    worse = a;
    throw std::runtime_error("no reader either");
  };
  scheduler.submit(twice);
  scheduler.submit(told(request(25, 12, 4), good));
  scheduler.step();
  scheduler.step();
  try {
    scheduler.step();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "no reader");
  }
  EXPECT_EQ(bad->ended, Ended::Interrupted);
  EXPECT_EQ(bad->tokens.size(), 3u);
  EXPECT_EQ(worse->tokens.size(), 3u);
  EXPECT_EQ(scheduler.running(), 1);
  finish(scheduler);
  EXPECT_EQ(good->tokens, alone(request(25, 12, 4)).tokens);

  Request last = request(5, 3);
  last.on_end = [](const Answer&) { throw std::runtime_error("at the end"); };
  const auto ticket = scheduler.submit(last);
  EXPECT_THROW(scheduler.cancel(ticket), std::runtime_error);
  scheduler.submit(last);
  scheduler.submit(last);
  scheduler.step();
  EXPECT_THROW(scheduler.cancel_all(), std::runtime_error);
  EXPECT_EQ(scheduler.running() + scheduler.waiting(), 0);
  scheduler.submit(last);  // and the end of the scheduler throws nothing
}

// ---- what cannot be chosen ----

// Allows one more token than it should: none.
class Broken : public tokens::Constraint {
 public:
  explicit Broken(bool throws) : throws_(throws) {}
  const tokens::TokenSet& allowed() override {
    if (seen_ == 2 && throws_) user_error("grammar", "a rule that ends nowhere", "", "law", "help");
    allowed_.clear();
    if (seen_ < 2) allowed_.add(11);
    return allowed_;
  }
  void accept(int32_t id) override {
    EXPECT_EQ(id, 11);
    ++seen_;
  }

 private:
  bool throws_;
  int seen_ = 0;
  tokens::TokenSet allowed_{400};
};

TEST_F(Scheduling, AnErrorInAChoiceEndsItsOwnRequest) {
  for (const bool throws : {false, true})
    for (const int64_t speculate : {0, 4}) {
      Engine engine(model, small_options());
      Scheduler scheduler(engine);
      std::optional<Answer> bad, good;
      Request r = request(20, 50);
      r.prompt.insert(r.prompt.end(), {11, 11, 11, 11});  // guesses are right
      r.constraint = std::make_shared<Broken>(throws);
      r.speculate = speculate;
      scheduler.submit(told(r, bad));
      scheduler.submit(told(request(25, 12, 4), good));
      finish(scheduler);
      EXPECT_EQ(bad->ended, Ended::Failed);
      EXPECT_EQ(bad->tokens, (Ids{11, 11}));
      EXPECT_EQ(bad->error->what,
                throws ? "a rule that ends nowhere" : "none of the 400 logits is a number");
      EXPECT_THROW(bad->require_fine(), UserError);
      EXPECT_EQ(good->tokens, alone(request(25, 12, 4)).tokens);
      EXPECT_NO_THROW(good->require_fine());
      EXPECT_EQ(engine.pages_in_use(), 0);
    }
}

// ---- what is told ----

TEST_F(Scheduling, LogprobsAreThoseOfTheLogits) {
  Request r = request(30, 6);
  r.sampling = {.logit_bias = {{5, 50}}, .temperature = 3};  // which the probabilities ignore
  r.logprobs = 4;
  std::vector<Chosen> chosen;
  r.on_token = [&](const Chosen& c) { chosen.push_back(c); };
  Engine engine(model, small_options());
  runtime::generate(engine, {r});
  ASSERT_EQ(chosen.size(), 6u);
  Ids text = r.prompt;
  for (const Chosen& c : chosen) text.push_back(c.id);
  const auto logits = read_in_pieces(engine, engine.open_slot(), text, {48});
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Logits& row = logits[r.prompt.size() - 1 + i];
    double sum = 0;
    for (const float v : row) sum += std::exp(static_cast<double>(v));
    const auto logprob = [&](int32_t id) {
      return row[static_cast<std::size_t>(id)] - std::log(sum);
    };
    EXPECT_NEAR(chosen[i].logprob, logprob(chosen[i].id), 1e-9);
    ASSERT_EQ(chosen[i].best.size(), 4u);
    EXPECT_EQ(chosen[i].best[0].id, best_of(row));
    for (const auto& [id, value] : chosen[i].best) EXPECT_NEAR(value, logprob(id), 1e-9);
    for (std::size_t k = 1; k < 4; ++k)
      EXPECT_GE(chosen[i].best[k - 1].logprob, chosen[i].best[k].logprob);
  }
}

TEST_F(Scheduling, TheStateSaysWhatRuns) {
  EngineOptions o = small_options();
  o.slots = 2;
  Engine engine(model, o);
  Scheduler scheduler(engine, {.prompt_rows = 20});
  scheduler.submit(request(20, 10));
  scheduler.submit(request(50, 10, 2));
  scheduler.submit(request(8, 10, 3));
  scheduler.step();
  scheduler.step();
  const auto state = scheduler.state();
  ASSERT_EQ(state.slots.size(), 2u);
  EXPECT_EQ(state.slots[0].ticket, 1u);
  EXPECT_FALSE(state.slots[0].reading);
  EXPECT_EQ(state.slots[0].position, 21);
  EXPECT_EQ(state.slots[0].tokens, 2);
  EXPECT_TRUE(state.slots[1].reading);
  EXPECT_EQ(state.slots[1].position, 20);
  EXPECT_EQ(state.slots[1].prompt_tokens, 50);
  EXPECT_EQ(state.slots_total, 2);
  EXPECT_EQ(state.waiting, 1);
  EXPECT_EQ(state.pages_in_use, 4);
  EXPECT_EQ(state.pages_total, 26);
  EXPECT_EQ(state.steps, 2);
  EXPECT_EQ(state.step_rows, 21);
  EXPECT_GT(state.step_seconds, 0);
  EXPECT_EQ(state.prompt_tokens_read, 40);
  EXPECT_EQ(state.tokens_generated, 2);
  finish(scheduler);
  EXPECT_EQ(scheduler.state().tokens_generated, 30);
  EXPECT_EQ(scheduler.state().prompt_tokens_read, 78);
  EXPECT_EQ(scheduler.state().pages_in_use, 0);
  EXPECT_GT(scheduler.state().pages_cached, 4);
}

// A prompt that others are reading is taken over page by page.
TEST_F(Scheduling, RequestsThatComeTogetherReadTheirBeginningOnce) {
  Engine engine(model, small_options());
  Scheduler scheduler(engine, {.prompt_rows = 16});
  std::vector<std::optional<Answer>> answers(4);
  std::vector<Request> all;
  for (std::size_t i = 0; i < 4; ++i) {
    all.push_back(request(100, 5));
    all[i].prompt.push_back(static_cast<int32_t>(i));
    scheduler.submit(told(all[i], answers[i]));
  }
  finish(scheduler);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(answers[i]->tokens, alone(all[i]).tokens);
  EXPECT_LT(scheduler.state().prompt_tokens_read, 2 * 101);
  EXPECT_EQ(scheduler.state().prompt_tokens_read + scheduler.state().prompt_tokens_cached, 4 * 101);
}

// ---- guesses ----

TEST(Drafts, GoOnAsTheTextDidBefore) {
  EXPECT_EQ(drafts_of(Ids{1, 2, 3, 4, 5, 1, 2, 3}, 2), (Ids{4, 5}));
  EXPECT_EQ(drafts_of(Ids{1, 2, 3, 4, 5, 1, 2, 3}, 8), (Ids{4, 5, 1, 2, 3, 4, 5, 1}));
  EXPECT_EQ(drafts_of(Ids{2, 3, 8, 1, 2, 3, 4, 7, 2, 3}, 1), Ids{4});  // the latest
  EXPECT_EQ(drafts_of(Ids{9, 2, 3, 8, 9, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3}, 1), Ids{5});
  EXPECT_EQ(drafts_of(Ids{1, 2, 3, 4, 2, 3, 6, 1, 2, 3}, 1), Ids{4});  // three before two
  EXPECT_EQ(drafts_of(Ids{7, 7, 7}, 3), (Ids{7, 7, 7}));
  EXPECT_EQ(drafts_of(Ids{1, 2, 3, 4}, 3), Ids{});
  EXPECT_EQ(drafts_of(Ids{7, 7, 7}, 0), Ids{});
  EXPECT_EQ(drafts_of(Ids{7}, 3), Ids{});
}

TEST_F(Scheduling, RightGuessesSaveSteps) {
  Engine engine(model, small_options());
  Request r = request(30, 60);
  r.sampling.logit_bias = {{11, 100}};  // always the same: every guess is right
  std::array<int64_t, 2> steps{};
  std::array<Ids, 2> said;
  for (const std::size_t i : {0u, 1u}) {
    r.speculate = i == 0 ? 0 : 5;
    Scheduler scheduler(engine);
    std::optional<Answer> answer;
    scheduler.submit(told(r, answer));
    finish(scheduler);
    steps[i] = scheduler.state().steps;
    said[i] = answer->tokens;
    EXPECT_EQ(answer->accepted > 40, i == 1);
  }
  EXPECT_EQ(said[0], said[1]);
  EXPECT_EQ(steps[0], 60);
  EXPECT_LE(steps[1], 14);
}

}  // namespace
}  // namespace runtime_test
