// Random schemas, and random documents of them in the form that docs/structured.md states.
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace tokens_test {

class SchemaGenerator {
 public:
  explicit SchemaGenerator(uint32_t seed) : random_(seed) {}

  nlohmann::ordered_json schema();
  // A document of a schema that this made.
  std::string document(const nlohmann::ordered_json& schema);

  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  using Schema = nlohmann::ordered_json;

  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }
  Schema any_of(int depth);
  Schema typed(int depth);
  std::string name();
  std::string any_value(int depth);
  std::string text_of(const Schema& s, const Schema& root, int depth);
  std::string string_of(const Schema& s);
  std::string any_characters(std::size_t count);
  std::string space();
  std::string list(const std::vector<std::string>& items, char open, char close);

  std::mt19937 random_;
};

}  // namespace tokens_test
