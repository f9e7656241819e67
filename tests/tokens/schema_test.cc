// What single keywords mean: documents of a schema and their bad twins, byte by byte.
#include "grammar_support.h"

namespace tokens_test {
namespace {

struct Meaning {
  std::string schema;
  std::vector<std::string> good, bad;
};

void expect(const std::vector<Meaning>& all) {
  for (const Meaning& m : all) {
    const auto g = compiled(m.schema);
    for (const std::string& text : m.good)
      EXPECT_EQ(verdict(*g, text), Verdict::Complete) << m.schema << "\n" << text;
    for (const std::string& text : m.bad)
      EXPECT_NE(verdict(*g, text), Verdict::Complete) << m.schema << "\n" << text;
  }
}

TEST(Schema, Types) {
  const std::vector<std::string> all{"null", "true", "-7", "1.5e3", R"("x")", "[]", "{}"};
  expect({
      {"{}", all, {"", "nul", "01", "1.", "[,]", R"("x)", "{]"}},
      {"true", all, {}},
      {R"({"type":"null"})", {"null"}, {"true", "0"}},
      {R"({"type":"boolean"})", {"true", "false"}, {"null", "TRUE"}},
      {R"({"type":"integer"})", {"0", "-1", "120"}, {"-0", "1.0", "1e3", "01"}},
      {R"({"type":"number"})", {"0", "-0", "-1.50", "1e3", "1E-3"}, {"1.", ".5", "+1", "1e"}},
      {R"({"type":"string"})", {R"("")", R"("a\n\u00e9\ud83D\uDE00")"}, {"\"\n\"", R"("\x")"}},
      {R"({"type":["string","null"]})", {R"("x")", "null"}, {"1"}},
      {R"({"type":"array"})", {"[]", "[1, [2]]", "[\n  1\n]"}, {"[1,]", "{}"}},
      {R"({"type":"object"})", {"{}", R"({"a":{"b":[null]}})"}, {R"({a:1})", R"({"a":1,})"}},
  });
}

TEST(Schema, StringsAreUtf8WithWholeSurrogates) {
  expect({{R"({"type":"string"})",
           {"\"\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x98\x80\"", R"("\ud800\udc00")"},
           {"\"\xC3\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"", "\"\xF5\x80\x80\x80\"", R"("\ud800")",
            R"("\udc00")", R"("\ud800\u0041")"}}});
}

TEST(Schema, LengthsCountCharacters) {
  expect({{R"({"type":"string","minLength":2,"maxLength":3})",
           {R"("ab")", R"("abc")", "\"\xC3\xA9\xC3\xA9\"", R"("\ud83d\ude00b")", R"("\u00e9\n\t")"},
           {R"("a")", R"("abcd")", "\"\xF0\x9F\x98\x80\"", R"("\ud83d\ude00")"}},
          {R"({"type":"string","maxLength":0})", {R"("")"}, {R"("a")", R"("\n")"}},
          {R"({"type":"string","minLength":1})", {R"("a")", R"("abcdefgh")"}, {R"("")"}}});
}

TEST(Schema, WhiteSpaceIsBounded) {
  const std::string schema = R"({"type":"object","properties":{"a":{"type":"array","items":
      {"type":"integer"}},"b":{"type":"null"}},"required":["a"]})";
  expect({{schema,
           {R"({"a":[1,2],"b":null})", R"({ "a": [ 1, 2 ], "b": null })",
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": null\n}", "{\n\t\"a\":[]\n}",
            " {\"a\":[]}", "\n\n{\"a\":[ ]}"},
           {R"({  "a":[]})", R"({"a" :[]})", R"({"a":  []})", R"({"a":[1 ,2]})", "{\n\n\"a\":[]}",
            R"({"a":[]} )", "  {\"a\":[]}", "{\n" + std::string(33, ' ') + "\"a\":[]}",
            "{\"a\":\n[]}", "{\t\"a\":[]}"}}});
}

TEST(Schema, PropertiesComeInOrder) {
  expect({{R"({"type":"object","properties":{"a":{"type":"integer"},"ab":{"type":"null"},
              "c":{"const":"x"}},"required":["ab"]})",
           {R"({"ab":null})", R"({"a":1,"ab":null})", R"({"ab":null,"c":"x"})",
            R"({"a":1,"ab":null,"c":"x"})"},
           {"{}", R"({"a":1})", R"({"ab":null,"a":1})", R"({"ab":null,"d":1})",
            R"({"ab":null,"ab":null})", R"({"\u0061b":null})", R"({"a":null,"ab":null})"}},
          {R"({"type":"object","properties":{"a":true}})", {"{}", R"({"a":[]})"}, {R"({"b":1})"}},
          {R"({"required":["a","b"]})", {R"({"a":1,"b":2})"}, {R"({"a":1})", "1"}}});
}

TEST(Schema, AdditionalPropertiesHaveOtherNames) {
  expect({{R"({"type":"object","properties":{"a":{"type":"integer"},"n\u00e9":true},
              "required":["a"],"additionalProperties":{"type":"null"}})",
           {R"({"a":1})", R"({"a":1,"b":null})", R"({"a":1,"":null,"aa":null})",
            "{\"a\":1,\"n\xC3\xA8\":null}", "{\"a\":1,\"n\":null}", R"({"a":1,"\n":null})"},
           {R"({"a":1,"a":null})", R"({"a":1,"b":1})", R"({"b":null})", R"({"a":1,"\u0061":null})",
            R"({"b":null,"a":1})", "{\"a\":1,\"b\":null,\"n\xC3\xA9\":null}"}},
          {R"({"type":"object","additionalProperties":false})", {"{}"}, {R"({"a":1})"}},
          {R"({"type":"object","properties":{"a":true},"additionalProperties":true})",
           {R"({"a":1,"b":{"c":2}})", R"({"b":0})"},
           {R"({"b":0,"a":1})"}}});
}

TEST(Schema, Arrays) {
  expect({
      {R"({"items":{"type":"integer"},"minItems":1,"maxItems":3})",
       {"[1]", "[1,2,3]"},
       {"[]", "[1,2,3,4]", "[null]"}},
      {R"({"type":"array","items":{"type":"null"},"minItems":2})",
       {"[null,null]", "[null,null,null,null]"},
       {"[null]", "[]"}},
      {R"({"type":"array","items":false})", {"[]"}, {"[1]"}},
      {R"({"type":"array","maxItems":0})", {"[]", "[ ]"}, {"[1]"}},
      {R"({"prefixItems":[{"type":"integer"},{"type":"null"}]})",
       {"[]", "[1]", "[1,null]"},
       {"[null]", "[1,2]", "[1,null,3]"}},
      {R"({"prefixItems":[{"type":"integer"},{"type":"null"}],"items":{"const":"x"},
           "minItems":2,"maxItems":4})",
       {"[1,null]", R"([1,null,"x"])", R"([1,null,"x","x"])"},
       {"[1]", R"([1,null,"y"])", R"([1,null,"x","x","x"])"}},
      {R"({"prefixItems":[{"type":"integer"},{"type":"null"}],"maxItems":1})",
       {"[]", "[1]"},
       {"[1,null]"}},
      {R"({"prefixItems":[{"type":"integer"}],"minItems":2})", {"[1,[]]", "[1,2,3]"}, {"[1]"}},
  });
}

TEST(Schema, ValuesAreSpelledInOneWay) {
  expect({{R"({"enum":["a","\"\u000a\u0001/\u00e9",1,1.50,null,[1,{"b":2}],{}]})",
           {R"("a")", "\"\\\"\\n\\u0001/\xC3\xA9\"", "1", "1.50", "null", R"([1, {"b": 2}])",
            R"([1,{"b":2}])", "{}", "{ }"},
           {R"("b")", "1.5", "2", R"("\u0061")", "[1]"}},
          {R"({"type":"string","enum":["a",1]})", {R"("a")"}, {"1"}},
          {R"({"type":"integer","enum":[1,5,9],"maximum":5})", {"1", "5"}, {"9"}},
          {R"({"const":{"k":[true]}})", {R"({"k":[true]})"}, {R"({"k":[]})"}}});
}

TEST(Schema, BoundsOfNumbersAreExact) {
  for (const auto& [low, high] : std::vector<std::pair<int, int>>{
           {0, 0}, {1, 9}, {-3, 12}, {95, 1203}, {-120, -99}, {-1, 1}, {7, 7}}) {
    const std::string range = "{\"type\":\"integer\",\"minimum\":" + std::to_string(low) +
                              ",\"maximum\":" + std::to_string(high) + "}";
    const auto g = compiled(range);
    for (int i = -1500; i <= 1500; ++i)
      EXPECT_EQ(verdict(*g, std::to_string(i)) == Verdict::Complete, low <= i && i <= high)
          << range << " " << i;
  }
  const std::string big = "123456789012345678901234567890";
  expect({
      {"{\"type\":\"integer\",\"minimum\":" + big + "}",
       {big, "123456789012345678901234567891", "1000000000000000000000000000000"},
       {"123456789012345678901234567889", "99999999999999999999999999999", "-" + big, "0"}},
      {R"({"type":"integer","exclusiveMinimum":-2,"exclusiveMaximum":2.5})",
       {"-1", "0", "2"},
       {"-2", "3", "-0"}},
      {R"({"type":"number","minimum":0.25,"exclusiveMaximum":10})",
       {"0.25", "0.250", "0.3", "1", "9.999", "1.0"},
       {"0.2", "0", "10", "10.0", "-1", "1e0", "0.249"}},
      {R"({"type":"number","exclusiveMinimum":0})", {"0.001", "5"}, {"0", "0.0", "-1", "-0.0"}},
      {R"({"type":"number","maximum":-1.5})",
       {"-1.5", "-1.50", "-2", "-1.6", "-10"},
       {"-1", "-1.4", "0", "1"}},
      {R"({"minimum":1e2,"maximum":1.02E2})", {"100", "101.5", "102.0"}, {"99", "102.1"}},
  });
}

TEST(Schema, Patterns) {
  expect({
      {R"({"type":"string","pattern":"^[a-c]+\\d{2}$"})",
       {R"("a12")", R"("abc00")"},
       {R"("12")", R"("a1")", R"("a123")", R"("xa12")"}},
      {R"({"pattern":"ab|^x"})",
       {R"("ab")", R"("cabd")", R"("x")", R"("xyz")"},
       {R"("yx")", R"("a b")", R"("")"}},
      {R"({"pattern":"b$"})", {R"("b")", R"("ab")"}, {R"("ba")"}},
      {R"({"pattern":""})", {R"("")", R"("any")"}, {}},
      {R"({"pattern":"^(?:a|b(c|d)?){1,2}$"})",
       {R"("a")", R"("bcbd")", R"("bb")"},
       {R"("")", R"("aaa")", R"("c")"}},
      {R"({"pattern":"^[^a-z]$"})",
       {R"("A")", "\"\xE4\xBD\xA0\"", R"("\"")", R"("\n")"},
       {R"("a")", R"("AB")", "\"\n\""}},
      {R"({"pattern":"^.$"})", {"\"\xF0\x9F\x98\x80\"", R"("\t")"}, {R"("\n")", R"("")"}},
      {R"({"pattern":"^[\\u4e00-\\u9fff]+$"})", {"\"\xE4\xBD\xA0\""}, {R"("a")"}},
      {R"({"pattern":"^[\\w.-]+@\\S+$"})", {R"("a.b@c")"}, {R"("a b@c")"}},
      {R"({"pattern":"^a*$","minLength":2,"maxLength":3})",
       {R"("aa")", R"("aaa")"},
       {R"("a")", R"("aaaa")"}},
      {R"({"pattern":"a","maxLength":2})", {R"("ab")", R"("ca")"}, {R"("bbb")", R"("bba")"}},
  });
}

TEST(Schema, Formats) {
  const auto of = [](const std::string& format) {
    return "{\"type\":\"string\",\"format\":\"" + format + "\"}";
  };
  expect({
      {of("date"),
       {R"("2024-02-29")", R"("2000-02-29")", R"("1999-12-31")"},
       {R"("2023-02-29")", R"("1900-02-29")", R"("2024-04-31")", R"("2024-13-01")"}},
      {of("time"),
       {R"("23:59:59Z")", R"("00:00:00.123+05:30")"},
       {R"("24:00:00Z")", R"("12:00:00")"}},
      {of("date-time"),
       {R"("2024-02-29T12:00:00Z")"},
       {R"("2024-02-30T12:00:00Z")", R"("2024-02-29")"}},
      {of("duration"),
       {R"("P1Y2M3DT4H5M6S")", R"("PT5M")", R"("P2W")"},
       {R"("P")", R"("P1YT")", R"("1D")"}},
      {of("uuid"),
       {R"("123e4567-e89b-12d3-a456-426614174000")"},
       {R"("123e4567e89b12d3a456426614174000")"}},
      {of("ipv4"), {R"("255.0.10.1")"}, {R"("256.0.0.1")", R"("01.2.3.4")", R"("1.2.3")"}},
      {of("ipv6"),
       {R"("::")", R"("1:2:3:4:5:6:7:8")", R"("fe80::1")", R"("::ffff:1.2.3.4")", R"("1::")"},
       {R"("1:2:3")", R"(":::")", R"("1:2:3:4:5:6:7:8:9")", R"("1::2::3")"}},
      {of("email"), {R"("a.b+c@example.com")"}, {R"("a@")", R"("@b.c")", R"("a b@c.d")"}},
      {of("hostname"), {R"("a-1.example.com")"}, {R"("-a")", R"("a..b")"}},
  });
}

TEST(Schema, Alternatives) {
  expect({
      {R"({"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"null"}},
                    {"type":"array","items":{"type":"integer"}}]})",
       {"1", "[null,null]", "[1,2]", "[]"},
       {"[1,null]", "[null,1]"}},
      {R"({"type":"object","properties":{"k":{"type":"string"}},"required":["k"],
           "anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},
                    {"properties":{"b":{"type":"integer"}},"required":["b"]}]})",
       {R"({"k":"","a":1})", R"({"k":"","b":1})"},
       {R"({"k":""})", R"({"k":"","a":1,"b":1})", R"({"a":1})"}},
      {R"({"oneOf":[{"type":"object","properties":{"t":{"const":"a"},"x":{"type":"integer"}},
              "required":["t","x"]},
            {"type":"object","properties":{"t":{"const":"b"},"x":{"type":"null"}},
              "required":["t","x"]}]})",
       {R"({"t":"a","x":1})", R"({"t":"b","x":null})"},
       {R"({"t":"a","x":null})", R"({"t":"c","x":1})"}},
      {R"({"allOf":[{"type":"object","properties":{"a":{"minimum":1}}},
                    {"properties":{"a":{"maximum":2},"b":{"type":"null"}},"required":["a"]}]})",
       {R"({"a":1})", R"({"a":2,"b":null})"},
       {R"({"a":0})", R"({"a":3})", "{}"}},
      {R"({"allOf":[{"enum":[1,2,3]},{"enum":[2.0,3,4]},{"minimum":3}]})", {"3"}, {"2", "4"}},
      {R"({"allOf":[{"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"null"}},
                    {"items":{"enum":[1,null]},"maxItems":2}]})",
       {"[1]", "[1,null]"},
       {"[2]", "[1,1]", "[1,null,null]"}},
  });
}

TEST(Schema, References) {
  expect({
      {R"({"$ref":"#/$defs/n~1~0%25","$defs":{"n/~%":{"type":"null"}}})", {"null"}, {"1"}},
      {R"({"$defs":{"t":{"type":"object","properties":{"v":{"type":"integer"},
             "n":{"anyOf":[{"$ref":"#/$defs/t"},{"type":"null"}]}},"required":["v","n"]}},
           "$ref":"#/$defs/t"})",
       {R"({"v":1,"n":null})", R"({"v":1,"n":{"v":2,"n":{"v":3,"n":null}}})"},
       {R"({"v":1})", R"({"v":1,"n":{"v":2}})"}},
      {R"({"type":"array","items":{"$ref":"#"}})", {"[]", "[[],[[]]]"}, {"[1]", "[[]"}},
  });
}

TEST(Schema, DocumentsThatCannotEndAreNoAlternative) {
  // The second branch needs itself without end.
  expect({{R"({"$defs":{"loop":{"type":"object","properties":{"a":{"$ref":"#/$defs/loop"}},
               "required":["a"]}},
              "anyOf":[{"type":"null"},{"$ref":"#/$defs/loop"}]})",
           {"null"},
           {"{"}}});
  EXPECT_EQ(verdict(*compiled(R"({"anyOf":[{"type":"null"},
      {"type":"object","properties":{"a":false},"required":["a"]}]})"),
                    "{"),
            Verdict::Wrong);
}

}  // namespace
}  // namespace tokens_test
