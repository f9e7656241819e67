// Grammars against tokens, both ways: what is allowed always ends in a valid document, and every
// valid document can be written, cut into tokens in any way.
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "../seeds.h"
#include "grammar_support.h"
#include "plain_validator.h"
#include "schema_generator.h"
#include "tilewright/base/utf8.h"
#include "tilewright/tokens/grammar/automaton.h"
#include "tilewright/tokens/grammar/matcher.h"

namespace tokens_test {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMostTokens = 20'000;

std::vector<int32_t> tokens_of_bytes(const Model& m, std::string_view bytes) {
  std::vector<int32_t> out;
  for (int32_t id = 0; id < m.tokenizer->size(); ++id)
    for (const char b : bytes)
      if (!m.tokenizer->is_special(id) && m.tokenizer->bytes(id) == std::string_view(&b, 1))
        out.push_back(id);
  return out;
}

// A random allowed token. Texts would hardly end if their ends were as rare as they are among
// tokens.
class Walk {
 public:
  Walk(const Model& model, uint64_t seed)
      : model_(model),
        closing_(tokens_of_bytes(model, "\"}]")),
        bytes_(tokens_of_bytes(model, "0123456789abcxyz-,:")),
        random_(seed) {}

  // The text of a whole document; nothing when it does not end.
  std::optional<std::string> run(const Grammar& g) {
    const auto c = g.constraint();
    std::string text;
    for (std::size_t i = 0; i < kMostTokens; ++i) {
      const TokenSet& allowed = c->allowed();
      if (may_end(*c, model_) && random_() % 3 == 0) return text;
      const int32_t id = pick(allowed);
      EXPECT_TRUE(allowed.contains(id)) << "a dead end after " << text;
      if (!allowed.contains(id)) return std::nullopt;
      if (id == model_.vocabulary->end_ids()[0]) return text;
      text += model_.tokenizer->bytes(id);
      c->accept(id);
    }
    return std::nullopt;
  }

 private:
  int32_t pick(const TokenSet& allowed) {
    const uint64_t kind = random_() % 8;
    if (kind < 3)
      for (const int32_t id : closing_)
        if (allowed.contains(id)) return id;
    if (kind < 4) {
      const int32_t id = bytes_[random_() % bytes_.size()];
      if (allowed.contains(id)) return id;
    }
    const auto size = static_cast<int32_t>(model_.vocabulary->size()) + 1;
    int32_t id = static_cast<int32_t>(random_() % static_cast<uint64_t>(size));
    for (int32_t i = 0; i < size && !allowed.contains(id); ++i) id = (id + 1) % size;
    return id;
  }

  const Model& model_;
  std::vector<int32_t> closing_, bytes_;
  std::mt19937_64 random_;
};

// A number that JSON allows and no double holds.
bool has_huge_number(const std::string& text) {
  static const std::regex kHuge(R"([eE][+-]?\d{3}|\d{300})");
  return std::regex_search(text, kHuge);
}

TEST(GrammarProperty, WhatIsAllowedEndsInValidDocuments) {
  for (const Model& m : models()) {
    const bool large = m.vocabulary->size() > 100'000;
    Walk walk(m, first_seed());
    SchemaGenerator generate(static_cast<uint32_t>(first_seed()));
    int huge = 0;
    for (int i = 0; i < (large ? 40 : 150); ++i) {
      const ordered_json schema = generate.schema();
      const auto g = compiled(schema.dump(), m);
      for (int k = 0; k < 3; ++k) {
        const auto text = walk.run(*g);
        ASSERT_TRUE(text) << m.name << " " << schema << " does not end";
        const json document = json::parse(*text, nullptr, false);
        if (document.is_discarded() && has_huge_number(*text)) {
          ++huge;
          continue;
        }
        ASSERT_FALSE(document.is_discarded()) << m.name << " " << schema << "\n" << *text;
        ASSERT_TRUE(satisfies(document, schema, schema)) << m.name << " " << schema << "\n"
                                                         << *text;
      }
    }
    EXPECT_LT(huge, 10) << m.name;
  }
}

TEST(GrammarProperty, ValidDocumentsAreAllowedInAnyTokens) {
  for (const Model& m : models()) {
    const bool large = m.vocabulary->size() > 100'000;
    SchemaGenerator generate(static_cast<uint32_t>(first_seed()) + 1);
    // Tokens by their bytes, so that any that fit can be found.
    std::map<std::string, int32_t, std::less<>> by_bytes;
    for (int32_t id = 0; id < m.tokenizer->size(); ++id)
      if (!m.tokenizer->is_special(id)) by_bytes.emplace(m.tokenizer->bytes(id), id);
    for (int i = 0; i < (large ? 40 : 200); ++i) {
      const ordered_json schema = generate.schema();
      const std::string text = generate.document(schema);
      ASSERT_TRUE(satisfies(json::parse(text), schema, schema)) << schema << "\n" << text;
      const auto g = compiled(schema.dump(), m);
      for (int k = 0; k < 3; ++k) {
        const auto c = g->constraint();
        std::string cut;
        for (std::size_t at = 0; at < text.size();) {
          std::vector<int32_t> fitting;
          for (std::size_t size = 1; size <= std::min<std::size_t>(12, text.size() - at); ++size)
            if (const auto t = by_bytes.find(std::string_view(text).substr(at, size));
                t != by_bytes.end())
              fitting.push_back(t->second);
          ASSERT_FALSE(fitting.empty());
          for (const int32_t id : fitting)
            ASSERT_TRUE(c->allowed().contains(id)) << m.name << " " << schema << "\n"
                                                   << cut << "|" << m.tokenizer->bytes(id);
          const int32_t id = fitting[generate.below(fitting.size())];
          cut += std::string(m.tokenizer->bytes(id)) + "|";
          at += m.tokenizer->bytes(id).size();
          c->accept(id);
        }
        ASSERT_TRUE(may_end(*c, m)) << m.name << " " << schema << "\n" << text;
      }
    }
  }
}

// The mask against every token of the vocabulary, symbol by symbol.
TEST(GrammarProperty, MasksAreWhatTheirBytesSay) {
  for (const Model& m : models()) {
    const bool large = m.vocabulary->size() > 100'000;
    SchemaGenerator generate(static_cast<uint32_t>(first_seed()) + 2);
    for (int i = 0; i < (large ? 2 : 15); ++i) {
      const ordered_json schema = generate.schema();
      const std::string text = generate.document(schema);
      const auto g = compiled(schema.dump(), m);
      const auto c = g->constraint();
      grammar::Matcher matcher(g->automaton());
      grammar::Position position = matcher.start();
      const auto single = [&](char b) {
        const auto found = tokens_of_bytes(m, std::string_view(&b, 1));
        return found.at(0);
      };
      const std::size_t stride = large ? text.size() / 3 + 1 : text.size() / 20 + 1;
      for (std::size_t at = 0; at <= text.size(); ++at) {
        if (at % stride == 0) {
          const TokenSet& allowed = c->allowed();
          for (int32_t id = 0; id < m.tokenizer->size(); ++id) {
            if (id == m.vocabulary->end_ids()[0]) {
              ASSERT_EQ(allowed.contains(id), position.complete);
              continue;
            }
            const auto symbols = m.vocabulary->symbols(id);
            grammar::Position next = position;
            for (std::size_t k = 0; k < symbols.size() && next.possible(); ++k)
              next = matcher.after(next, symbols[k]);
            const bool possible = !symbols.empty() && next.possible();
            ASSERT_EQ(allowed.contains(id), possible)
                << m.name << " " << schema << "\n"
                << text.substr(0, at) << "|" << m.tokenizer->bytes(id);
          }
        }
        if (at == text.size()) break;
        position = matcher.after(position, static_cast<unsigned char>(text[at]));
        c->accept(single(text[at]));
      }
    }
  }
}

// Of a few documents, all beginnings and all tokens.
TEST(GrammarProperty, FiniteSchemasAreExact) {
  std::vector<std::string> words;
  for (const char* w : {"yes", "yesterday", "no", "\xE4\xBD\xA0\xE5\xA5\xBD", "\xE4\xBD\xA0", "",
                        "the cat", "caf\xC3\xA9", "cafe", "\xF0\x9F\x98\x80"})
    words.push_back('"' + std::string(w) + '"');
  std::vector<std::string> numbers;
  for (int i = -12; i <= 345; ++i) numbers.push_back(std::to_string(i));
  std::string all_words = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) all_words += "," + words[i];
  const std::vector<std::pair<std::string, std::vector<std::string>>> finite{
      {"{\"enum\":[" + all_words + "]}", words},
      {R"({"type":"integer","minimum":-12,"maximum":345})", numbers},
      {R"({"type":"string","pattern":"^(yes|yesterday|no|the cat|cafe?)$"})",
       {"\"yes\"", "\"yesterday\"", "\"no\"", "\"the cat\"", "\"caf\"", "\"cafe\""}}};
  for (const Model& m : models())
    for (const auto& [schema, documents] : finite) {
      const auto g = compiled(schema, m);
      std::set<std::string> beginnings, whole;
      for (const std::string& d : documents)
        for (const std::string space : {"", " ", "\n", "\n\n"}) {
          whole.insert(space + d);
          for (std::size_t size = 0; size <= (space + d).size(); ++size)
            beginnings.insert((space + d).substr(0, size));
        }
      // By tokens from the first; every text that can be reached is looked at once.
      std::set<std::string> seen{""};
      std::vector<std::pair<std::string, std::vector<int32_t>>> work{{"", {}}};
      int looked = 0;
      while (!work.empty() && looked++ < (m.vocabulary->size() > 100'000 ? 3 : 20)) {
        const auto [text, ids] = work.back();
        work.pop_back();
        const auto c = g->constraint();
        for (const int32_t id : ids) c->accept(id);
        ASSERT_EQ(may_end(*c, m), whole.contains(text)) << m.name << " " << schema << " " << text;
        for (int32_t id = 0; id < m.tokenizer->size(); ++id) {
          if (m.tokenizer->is_special(id) || m.tokenizer->bytes(id).empty()) continue;
          const std::string next = text + std::string(m.tokenizer->bytes(id));
          ASSERT_EQ(c->allowed().contains(id), beginnings.contains(next))
              << m.name << " " << schema << " " << text << "|" << m.tokenizer->bytes(id);
          if (!beginnings.contains(next) || !seen.insert(next).second) continue;
          work.emplace_back(next, ids);
          work.back().second.push_back(id);
        }
      }
    }
}

}  // namespace
}  // namespace tokens_test
