// What a grammar costs: making it, and the mask of every token of a document. The tokenizer is that
// of the directory that TILEWRIGHT_MODEL names, or out/models/qwen3-tokenizer.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench.h"
#include "tilewright/tokens/grammar/schema.h"

namespace tilewright::bench {
namespace {

namespace grammar = tokens::grammar;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

struct Case {
  std::string name, schema, document;
};

std::vector<Case> cases() {
  const std::string prose =
      "The quick brown fox jumps over the lazy dog, and says: caf\xC3\xA9, na\xC3\xAFve, "
      "\xE4\xBD\xA0\xE5\xA5\xBD. It was the best of times; it was the worst of times.";
  const std::string person =
      R"({"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer",
         "minimum":0,"maximum":150},"email":{"type":"string","format":"email"},"tags":{"type":
         "array","items":{"enum":["red","green","blue"]},"maxItems":4},"notes":{"type":"string"}},
         "required":["name","age","email","tags","notes"],"additionalProperties":false})";
  const std::string ada = R"({"name": "Ada Lovelace", "age": 36, "email": "ada@example.com", )"
                          R"("tags": ["red", "blue"], "notes": ")" +
                          prose + R"("})";
  return {{"any JSON object", R"({"type":"object"})", ada},
          {"a person", person, ada},
          {"string, maxLength 200", R"({"type":"string","maxLength":200})", '"' + prose + '"'},
          {"string, pattern", R"({"type":"string","pattern":"^[A-Z].*[.]$"})", '"' + prose + '"'}};
}

// The masks of one text, in microseconds.
std::vector<double> mask_times(const grammar::Grammar& g, const std::vector<int32_t>& ids) {
  std::vector<double> times;
  const auto constraint = g.constraint();
  for (const int32_t id : ids) {
    const auto start = Clock::now();
    const bool allowed = constraint->allowed().contains(id);
    constraint->accept(id);
    times.push_back(microseconds_since(start));
    if (!allowed) fmt::print("token {} is not allowed\n", id);
  }
  std::ranges::sort(times);
  return times;
}

void print_times(const std::vector<double>& t) {
  fmt::print(" {:>8.1f} {:>8.1f} {:>8.1f}", t[t.size() / 2], t[t.size() * 9 / 10], t.back());
}

}  // namespace

void bench_grammar(const Setting&) {
  const char* named = std::getenv("TILEWRIGHT_MODEL");
  const std::string directory = named && *named ? named : "out/models/qwen3-tokenizer";
  if (!std::filesystem::exists(directory + "/tokenizer.json")) {
    fmt::print("grammar: skipped, {} has no tokenizer; run tools/fetch_models\n", directory);
    return;
  }
  const auto tokenizer = tokens::load_tokenizer(directory);
  const auto start = Clock::now();
  const auto vocabulary =
      std::make_shared<const grammar::Vocabulary>(*tokenizer,
                                                  std::vector<int32_t>{tokenizer->size() - 1});
  fmt::print("grammars over {} tokens of {}; the tree of tokens is made in {:.0f} ms\n",
             tokenizer->size(), directory, microseconds_since(start) / 1e3);
  fmt::print("{:<24} {:>6} {:>9}  {:^26}  {:^26}\n", "", "", "compile", "mask, first text, us",
             "mask, later texts, us");
  fmt::print("{:<24} {:>6} {:>9}  {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "schema", "tokens", "ms",
             "median", "p90", "max", "median", "p90", "max");
  for (const Case& c : cases()) {
    const auto before = Clock::now();
    const auto g = grammar::compile_schema(c.schema, "schema", vocabulary);
    const double compile = microseconds_since(before) / 1e3;
    const auto ids = tokenizer->encode(c.document, {.surround = false, .special_in_text = false});
    fmt::print("{:<24} {:>6} {:>9.2f} ", c.name, ids.size(), compile);
    print_times(mask_times(*g, ids));
    print_times(mask_times(*g, ids));
    fmt::print("\n");
  }
}

}  // namespace tilewright::bench
