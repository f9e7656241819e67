// The choice of tokens: what each setting keeps, how often, and that it depends on the seed alone.
#include "tilewright/tokens/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "../temporary_directory.h"
#include "support.h"
#include "tilewright/base/rng.h"
#include "tilewright/tokens/generation.h"
#include "tilewright/tokens/logprobs.h"
#include "tilewright/tokens/quick_total.h"

namespace tokens_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> some_logits(std::size_t n, uint64_t seed = 5) {
  Rng rng(seed);
  std::vector<float> out(n);
  for (float& v : out) v = static_cast<float>(2 * rng.normal());
  return out;
}

// The probability of every id under plain softmax at this temperature.
std::vector<double> softmax(const std::vector<float>& logits, double temperature) {
  const double best = *std::ranges::max_element(logits);
  std::vector<double> p;
  double total = 0;
  for (const float v : logits) total += p.emplace_back(std::exp((v - best) / temperature));
  for (double& v : p) v /= total;
  return p;
}

// How often each id is chosen from the same logits.
std::map<int32_t, int> counts(const SamplingOptions& options, const std::vector<float>& logits,
                              int n) {
  std::map<int32_t, int> out;
  Sampler sampler(options);
  for (int i = 0; i < n; ++i) ++out[sampler.choose(logits)];
  return out;
}

TEST(Sampler, GreedyTakesTheFirstOfTheBest) {
  EXPECT_EQ(Sampler({}).choose(std::vector<float>{1, 3, 3, 2}), 1);
  EXPECT_EQ(Sampler({}).choose(std::vector<float>{-kInfinity, std::nanf(""), -5}), 2);
  EXPECT_EQ(Sampler({}).choose(std::vector<float>{0, kInfinity}), 1);
}

TEST(Sampler, FollowsTheProbabilities) {
  const std::vector<float> logits{0, 1, 2, -1, 0.5f};
  for (const double temperature : {0.5, 1.0, 2.0}) {
    constexpr int kDraws = 40000;
    const auto expected = softmax(logits, temperature);
    auto found = counts({.temperature = temperature, .seed = 3}, logits, kDraws);
    for (int32_t id = 0; id < 5; ++id) {
      const double p = expected[static_cast<std::size_t>(id)];
      const double sigma = std::sqrt(p * (1 - p) / kDraws);
      EXPECT_NEAR(found[id] / static_cast<double>(kDraws), p, 5 * sigma)
          << id << " " << temperature;
    }
  }
}

// The ids that can be chosen, from the definition by full sorting.
std::set<int32_t> kept(const SamplingOptions& o, const std::vector<float>& logits) {
  const auto p = softmax(logits, o.temperature);
  std::vector<int32_t> order(logits.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  const auto of = [&](int32_t id) { return p[static_cast<std::size_t>(id)]; };
  std::ranges::stable_sort(order, std::greater<>(), of);
  if (o.top_k > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(o.top_k)));
  double total = 0, sum = 0;
  for (const int32_t id : order) total += of(id);
  std::set<int32_t> out;
  for (const int32_t id : order) {
    if (!out.empty() && (sum >= o.top_p * total || of(id) < o.min_p * of(order[0]))) break;
    out.insert(id);
    sum += of(id);
  }
  return out;
}

TEST(Sampler, KeepsExactlyWhatTheSettingsSay) {
  const auto logits = some_logits(1000);
  for (const SamplingOptions& o : std::vector<SamplingOptions>{
           {.temperature = 1, .top_k = 5, .seed = 1},
           {.temperature = 0.8, .top_p = 0.3, .seed = 2},
           {.temperature = 2, .top_p = 0.6, .seed = 2},  // more than the first batch of candidates
           {.temperature = 1, .min_p = 0.2, .seed = 3},
           {.temperature = 1.5, .top_k = 20, .top_p = 0.8, .min_p = 0.1, .seed = 4}}) {
    const auto allowed = kept(o, logits);
    const auto found = counts(o, logits, 8000);
    for (const auto& [id, n] : found) EXPECT_TRUE(allowed.contains(id)) << id;
    EXPECT_TRUE(allowed.size() > 100 || found.size() == allowed.size()) << allowed.size();
  }
}

TEST(Sampler, DependsOnSeedAndPlaceAlone) {
  const auto logits = some_logits(500);
  const SamplingOptions o{.temperature = 1, .top_k = 40, .seed = 7};
  Sampler a(o), b(o);
  Ids alone, beside;
  for (int i = 0; i < 50; ++i) alone.push_back(a.choose(logits));
  for (int i = 0; i < 50; ++i) {
    Sampler other({.temperature = 1, .seed = 99});  // another sequence in between
    other.choose(some_logits(500, static_cast<uint64_t>(i)));
    beside.push_back(b.choose(logits));
  }
  EXPECT_EQ(alone, beside);
  SamplingOptions different = o;
  different.seed = 8;
  Sampler c(different);
  Ids other;
  for (int i = 0; i < 50; ++i) other.push_back(c.choose(logits));
  EXPECT_NE(alone, other);
}

TEST(Sampler, Penalties) {
  const std::vector<float> logits{2, 1.9f, -1};
  Sampler repetition({.repetition_penalty = 1.5});
  repetition.see_prompt(Ids{0});
  EXPECT_EQ(repetition.choose(logits), 1);  // 2 / 1.5 < 1.9
  EXPECT_EQ(repetition.choose(logits), 0);  // now 1 too; ids are penalised once
  Sampler negative({.repetition_penalty = 2});
  negative.see_prompt(Ids{0});
  EXPECT_EQ(negative.choose(std::vector<float>{-1, -1.5f}), 1);  // -1 * 2 < -1.5
  Sampler presence({.presence_penalty = 0.5});
  presence.see_prompt(Ids{0});
  EXPECT_EQ(presence.choose(logits), 0);  // the prompt does not count
  EXPECT_EQ(presence.choose(logits), 1);
  EXPECT_EQ(presence.choose(logits), 0);
}

TEST(Sampler, FrequencyCountsEveryTime) {
  const std::vector<float> logits{2, 1.5f, 0.9f};
  Sampler frequency({.frequency_penalty = 0.4});
  frequency.see_prompt(Ids{0, 0, 0});
  Ids chosen;
  for (int i = 0; i < 8; ++i) chosen.push_back(frequency.choose(logits));
  // 2 - 0.4 n against 1.5 - 0.4 n and 0.9 - 0.4 n
  EXPECT_EQ(chosen, (Ids{0, 0, 1, 0, 1, 2, 0, 1}));
  Sampler rewards({.frequency_penalty = -1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rewards.choose(std::vector<float>{0, 1}), 1);
}

// Bias comes before penalties: a logit that it makes positive is divided, not multiplied.
TEST(Sampler, BiasIsAddedFirst) {
  const std::vector<float> logits{-1, 1.6f, 0};
  EXPECT_EQ(Sampler({.logit_bias = {{0, 3}}}).choose(logits), 0);
  EXPECT_EQ(Sampler({.logit_bias = {{1, -100}}}).choose(logits), 2);
  EXPECT_EQ(Sampler({.logit_bias = {{1, 100}, {7, 5}, {-1, 5}}}).choose(logits), 1);
  Sampler both({.logit_bias = {{0, 3}}, .repetition_penalty = 1.5});
  both.see_prompt(Ids{0});
  EXPECT_EQ(both.choose(logits), 1);  // (-1 + 3) / 1.5 < 1.6
  Sampler less({.logit_bias = {{0, 4}}, .repetition_penalty = 1.5});
  less.see_prompt(Ids{0});
  EXPECT_EQ(less.choose(std::vector<float>{-1, 2.2f}), 1);  // 3 / 1.5 = 2, not -1.5 + 4 = 2.5
}

TEST(Sampler, ChoosesOnlyWhatIsAllowed) {
  const auto logits = some_logits(1000);
  TokenSet allowed(1000);
  for (int32_t id = 3; id < 1000; id += 7) allowed.add(id);
  std::vector<float> masked(1000, -kInfinity);
  for (int32_t id = 3; id < 1000; id += 7)
    masked[static_cast<std::size_t>(id)] = logits[static_cast<std::size_t>(id)];
  for (const SamplingOptions& o :
       std::vector<SamplingOptions>{{},
                                    {.temperature = 1, .seed = 1},
                                    {.temperature = 8, .top_k = 50, .seed = 2},
                                    {.temperature = 8, .top_p = 0.9, .seed = 3},
                                    {.temperature = 8, .min_p = 0.1, .seed = 4},
                                    {.presence_penalty = 1, .temperature = 3, .seed = 5}}) {
    Sampler with(o), reference(o);
    for (int i = 0; i < 300; ++i) {
      const int32_t id = with.choose(logits, &allowed);
      EXPECT_TRUE(allowed.contains(id));
      EXPECT_EQ(id, reference.choose(masked));
    }
  }
}

// The total of all tokens is summed quickly where that decides; what is kept is as if it were
// summed exactly, also where top_p is the very share of some tokens.
TEST(Sampler, TopPIsExact) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    auto logits = some_logits(static_cast<std::size_t>(rng.integer(1, 3000)), rng.next());
    if (round % 7 == 0) logits[logits.size() / 2] = std::nanf("");
    if (round % 5 == 0) logits[0] = -kInfinity;
    if (logits.size() == 1) logits[0] = 1;
    const double temperature = round % 11 == 0 ? 1e-35 : 0.2 + 3 * rng.uniform();
    // The definition: exp in the order of ids for the total, and in descending order for the sums.
    std::vector<int32_t> order;
    for (std::size_t i = 0; i < logits.size(); ++i)
      if (logits[i] > -kInfinity) order.push_back(static_cast<int32_t>(i));
    const auto logit = [&](int32_t id) { return logits[static_cast<std::size_t>(id)]; };
    std::ranges::stable_sort(order, std::greater<>(), logit);
    const float best = logit(order[0]);
    const auto weight = [&](float v) {
      return v == best ? 1 : std::exp((static_cast<double>(v) - best) / temperature);
    };
    double total = 0;
    for (const float v : logits)
      if (!std::isnan(v)) total += weight(v);
    std::vector<double> sums;
    for (const int32_t id : order)
      sums.push_back((sums.empty() ? 0 : sums.back()) + weight(logit(id)));
    const auto some = static_cast<std::size_t>(rng.integer(0, static_cast<int64_t>(order.size())));
    const double top_p = round % 2 == 0 ? rng.uniform() : std::min(1.0, sums[some] / total);
    if (top_p >= 1) continue;
    std::size_t kept = 0;
    while (kept + 1 < order.size() && sums[kept] < top_p * total) ++kept;
    // The worst that is kept is drawn sooner or later, and nothing behind it ever.
    const SamplingOptions o{.temperature = temperature, .top_p = top_p, .seed = rng.next()};
    Sampler sampler(o);
    std::size_t worst = 0;
    for (int i = 0; i < 40; ++i) {
      const int32_t id = sampler.choose(logits);
      worst =
          std::max(worst, static_cast<std::size_t>(std::ranges::find(order, id) - order.begin()));
    }
    EXPECT_LE(worst, kept) << "round " << round;
    // The same numbers, drawn from exactly these.
    double left = Rng(Rng(o.seed).next()).uniform() * sums[kept];
    std::size_t expected = 0;
    while (expected < kept && (left -= weight(logit(order[expected]))) >= 0) ++expected;
    EXPECT_EQ(Sampler(o).choose(logits), order[expected]) << "round " << round;
  }
}

TEST(QuickTotal, IsWithinItsError) {
  Rng rng(9);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::size_t>(rng.integer(1, 5000));
    std::vector<float> logits(n);
    const double spread = std::pow(10, 4 * rng.uniform() - 1);
    for (float& v : logits) v = static_cast<float>(spread * rng.normal());
    const float best = *std::ranges::max_element(logits);
    for (const double temperature : {0.05, 0.7, 1.0, 20.0}) {
      double exact = 0;
      for (const float v : logits) exact += std::exp((static_cast<double>(v) - best) / temperature);
      EXPECT_NEAR(quick_total(logits, best, temperature) / exact, 1, kQuickError / 3)
          << n << " tokens, spread " << spread << ", temperature " << temperature;
    }
  }
  EXPECT_EQ(quick_total(std::vector<float>{1, 2}, 2, 1e-35), 0);
}

// Where rounding leaves something of the random number, the last candidate takes it: it must be one
// that can be chosen at all.
TEST(Sampler, NeverTakesWhatCannotBe) {
  std::vector<float> logits(50, -kInfinity);
  for (std::size_t i = 0; i < 9; ++i) logits[i] = 0.1f * static_cast<float>(i);
  for (uint64_t seed = 0; seed < 5000; ++seed)
    ASSERT_LT(Sampler({.temperature = 1, .seed = seed}).choose(logits), 9) << seed;
  logits.assign(50, -1e6f);  // no probability in double precision
  logits[0] = 0;
  for (const int64_t top_k : {0, 20})
    for (uint64_t seed = 0; seed < 100; ++seed)
      ASSERT_EQ(Sampler({.temperature = 1, .top_k = top_k, .seed = seed}).choose(logits), 0);
}

TEST(Logprobs, AreALogSoftmax) {
  const auto logits = some_logits(777);
  const auto p = softmax(logits, 1);
  const Logprobs told = logprobs_of(logits, 123, 5);
  EXPECT_NEAR(told.chosen, std::log(p[123]), 1e-12);
  ASSERT_EQ(told.best.size(), 5u);
  std::vector<double> sorted = p;
  std::ranges::sort(sorted, std::greater<>());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(told.best[i].logprob, std::log(sorted[i]), 1e-12);
    EXPECT_NEAR(told.best[i].logprob, std::log(p[static_cast<std::size_t>(told.best[i].id)]),
                1e-12);
  }
  EXPECT_TRUE(logprobs_of(logits, 0, 0).best.empty());
  EXPECT_EQ(logprobs_of(logits, 0, 2000).best.size(), 777u);
}

TEST(Logprobs, OfWhatIsNoNumber) {
  const std::vector<float> logits{0, std::nanf(""), -kInfinity, 0};
  EXPECT_EQ(logprobs_of(logits, 3, 0).chosen, -std::log(2));
  EXPECT_EQ(logprobs_of(logits, 1, 0).chosen, -kInfinity);
  EXPECT_EQ(logprobs_of(logits, 2, 0).chosen, -kInfinity);
  EXPECT_EQ(logprobs_of(logits, 0, 9).best,
            (std::vector<TokenLogprob>{{0, -std::log(2)}, {3, -std::log(2)}}));
  const std::vector<float> infinite{kInfinity, 0, kInfinity};
  EXPECT_EQ(logprobs_of(infinite, 2, 0).chosen, -std::log(2));
  EXPECT_EQ(logprobs_of(infinite, 1, 0).chosen, -kInfinity);
}

TEST(Sampler, RefusesWhatHasNoMeaning) {
  for (const SamplingOptions& o : std::vector<SamplingOptions>{{.temperature = -1},
                                                               {.temperature = std::nan("")},
                                                               {.top_k = -1},
                                                               {.top_p = 1.5},
                                                               {.min_p = -0.1},
                                                               {.frequency_penalty = 101},
                                                               {.logit_bias = {{3, -101}}},
                                                               {.repetition_penalty = 0}})
    EXPECT_TRUE(error_of([&] { Sampler{o}; }).find("is not between") != std::string::npos);
  EXPECT_TRUE(error_of([] {
                Sampler({}).choose(std::vector<float>{std::nanf("")});
              }).starts_with("error: none of the 1 logits is a number\n"));
}

TEST(Generation, DefaultsComeFromTheFiles) {
  const TemporaryDirectory dir;
  EXPECT_TRUE(load_generation_defaults(dir.path.string()).stop_ids.empty());
  std::ofstream(dir / "config.json") << R"({"eos_token_id": 2})";
  std::ofstream(dir / "generation_config.json")
      << R"({"eos_token_id": [7, 2], "do_sample": true, "temperature": 0.6, "top_k": 20, "top_p": 0.95})";
  const GenerationDefaults d = load_generation_defaults(dir.path.string());
  EXPECT_EQ(d.stop_ids, (Ids{7, 2}));
  EXPECT_EQ(d.sampling.temperature, 0.6);
  EXPECT_EQ(d.sampling.top_k, 20);
  EXPECT_EQ(d.sampling.top_p, 0.95);
}

}  // namespace
}  // namespace tokens_test
