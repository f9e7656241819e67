// Schemas that are refused: by the name of the keyword, with its path; and hostile ones, in bounded
// time.
#include <chrono>

#include "grammar_support.h"

namespace tokens_test {
namespace {

std::string error(const std::string& schema) {
  return error_of([&] { compiled(schema); });
}

TEST(SchemaErrors, HaveFourLines) {
  EXPECT_EQ(error(R"({"type":"object","properties":{"age":{"type":"integer","multipleOf":5}}})"),
            "error: keyword \"multipleOf\" is not supported\n"
            "  at schema, #/properties/age/multipleOf\n"
            "  a grammar enforces every keyword of its schema; docs/structured.md lists them\n"
            "  help: remove the keyword, and check the documents for what it asks\n");
}

TEST(SchemaErrors, NameWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> all{
      {R"({"properties":{"a/b":{"patternProperties":{}}}})", "#/properties/a~1b/patternProperties"},
      {R"({"maxLenght":3})", "did you mean 'maxLength'?"},
      {R"({"type":"text"})", "a string of \"type\" is not null, boolean"},
      {R"({"minLength":-1})", "a number of \"minLength\" is not a whole number from 0 on"},
      {R"({"exclusiveMinimum":true})",
       "\"exclusiveMinimum\" is not a number of at most 400 digits"},
      {R"({"items":[{}]})", "lists are prefixItems"},
      {R"({"properties":[]})", "an array of \"properties\" is not an object"},
      {R"({"$ref":"#/$defs/x"})", "$ref \"#/$defs/x\" names nothing"},
      {R"({"$ref":"http://x"})", "names nothing"},
      {R"({"$ref":"#"})", "refers to itself"},
      {R"({"anyOf":[{"type":"null"},{"$ref":"#"}]})", "refers to itself"},
      {R"({"oneOf":[{"type":"null"},{"$ref":"#"}]})", "refers to itself"},
      {R"({"anyOf":[]})", "\"anyOf\" is not a list of schemas"},
      {R"({"format":"uri"})", "format \"uri\" is not supported"},
      {R"x({"pattern":"a(?=b)"})x", "a look-ahead at character 4"},
      {R"x({"pattern":"(a)\\1"})x", "a reference to a group"},
      {R"({"pattern":"\\bx"})", "a word boundary"},
      {R"({"pattern":"a**"})", "a repeat of a repeat"},
      {R"({"pattern":"[z-a]"})", "a range that ends before it begins"},
      {R"({"pattern":"(a"})", "a ( without its )"},
      {R"({"pattern":"a","format":"date"})", "two patterns or formats"},
      {R"({"enum":["a"],"minLength":1})", "enum or const stands beside"},
      {R"({"oneOf":[{"type":"integer"},{"type":"number"}]})", "branches 0 and 1 of \"oneOf\""},
      {R"({"oneOf":[{"type":"object","properties":{"a":true}},
                    {"type":"object","properties":{"b":true}}]})",
       "branches 0 and 1"},
      {R"({"type":"string","minLength":3,"maxLength":2})", "no document satisfies the schema"},
      {R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})", "no document"},
      {"false", "no document satisfies the schema"},
      {R"({"enum":[]})", "no document satisfies the schema"},
      {"[]", "an array is not a schema"},
      {"{", "error: the JSON text ends"},
      {R"({"a":1,"a":2})", "the key \"a\" is given twice"},
  };
  for (const auto& [schema, words] : all)
    EXPECT_NE(error(schema).find(words), std::string::npos) << schema << "\n" << error(schema);
}

TEST(SchemaErrors, BranchesOfOneOfThatDifferArePassed) {
  for (const std::string schema :
       {R"({"oneOf":[{"type":"integer"},{"type":"string"},{"type":"null"}]})",
        R"({"oneOf":[{"type":"integer","maximum":3},{"type":"integer","exclusiveMinimum":3}]})",
        R"({"oneOf":[{"const":"a"},{"enum":["b",1]},{"type":"boolean"}]})",
        R"({"oneOf":[{"type":"string","maxLength":2},{"type":"string","minLength":3}]})",
        R"({"oneOf":[{"type":"object","properties":{"a":true},"required":["a"]},
                     {"type":"object","properties":{"b":true},"required":["b"]}]})",
        R"({"oneOf":[{"type":"object","required":["left","op"],"additionalProperties":false,
                      "properties":{"left":{"$ref":"#"},"op":{"const":"+"}}},
                     {"type":"object","required":["left","op"],"additionalProperties":false,
                      "properties":{"left":{"$ref":"#"},"op":{"enum":["-","*"]}}},
                     {"type":"integer"}]})"})
    EXPECT_EQ(error(schema), "") << schema;
}

// Each would need more than memory and time allow if nothing bounded them.
TEST(SchemaErrors, HostileSchemasEndSoon) {
  std::string branches = "{\"allOf\":[", deep, names = "{\"type\":\"object\",\"properties\":{";
  for (int i = 0; i < 20; ++i)
    branches += std::string(i == 0 ? "" : ",") +
                R"({"anyOf":[{"minLength":1},{"maxLength":9},{"pattern":"x"}]})";
  std::string chain = "{\"$ref\":\"#/$defs/0\",\"$defs\":{", patterns = "{\"anyOf\":[";
  for (int i = 0; i < 5000; ++i) {
    const std::string next = std::to_string(i + 1);
    chain += "\"" + std::to_string(i) + "\":{\"anyOf\":[{\"$ref\":\"#/$defs/" + next + "\"}]},";
    patterns += std::string(i == 0 ? "" : ",") + "{\"pattern\":\"[a-z]*x" + next + "\"}";
  }
  for (int i = 0; i < 60'000; ++i)
    names += (i == 0 ? "\"" : ",\"") + std::to_string(i * 7919) + "\":true";
  const std::vector<std::string> all{branches + "]}",
                                     names + "}}",
                                     std::string(100'000, '['),
                                     chain + "\"5000\":true}}",
                                     patterns + "]}",
                                     R"x({"pattern":"((((){10000}){10000}){10000}){10000}"})x",
                                     R"x({"pattern":"((((a{1000}){1000}){1000}){1000})"})x",
                                     R"x({"pattern":"(a|b)*a(a|b){40}"})x",
                                     R"x({"pattern":"(x+x+)+y","minLength":100000})x",
                                     R"({"type":"array","prefixItems":[)" +
                                         [] {
                                           std::string items = "{\"type\":\"string\"}";
                                           for (int i = 0; i < 120'000; ++i)
                                             items += ",{\"maxLength\":" + std::to_string(i) + "}";
                                           return items;
                                         }() +
                                         "]}"};
  for (const std::string& schema : all) {
    const auto start = std::chrono::steady_clock::now();
    const std::string message = error(schema);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_NE(message, "") << schema.substr(0, 80);
    EXPECT_LT(seconds, 10) << schema.substr(0, 80);
    RecordProperty(schema.substr(0, 20), std::to_string(seconds));
    std::printf("%6.2f s  %s\n", seconds, message.substr(0, message.find('\n')).c_str());
  }
}

// Large, but no reason to refuse.
TEST(SchemaErrors, LargeSchemasPass) {
  std::string values = "{\"enum\":[\"first\"", properties;
  for (int i = 0; i < 5000; ++i) values += ",\"value number " + std::to_string(i) + "\"";
  for (int i = 0; i < 400; ++i)
    properties += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":{\"type\":\"string\"}";
  EXPECT_EQ(error(values + "]}"), "");
  EXPECT_EQ(error("{\"type\":\"object\",\"properties\":{" + properties + "}}"), "");
  EXPECT_EQ(error(R"({"type":"string","minLength":100000,"maxLength":2000000})"), "");
  EXPECT_EQ(error(R"({"type":"array","minItems":100000,"maxItems":2000000})"), "");
}

}  // namespace
}  // namespace tokens_test
