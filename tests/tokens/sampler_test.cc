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

TEST(Sampler, RefusesWhatHasNoMeaning) {
  for (const SamplingOptions& o : std::vector<SamplingOptions>{{.temperature = -1},
                                                               {.temperature = std::nan("")},
                                                               {.top_k = -1},
                                                               {.top_p = 1.5},
                                                               {.min_p = -0.1},
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
