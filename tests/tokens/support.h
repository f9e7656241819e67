// Fixtures: tokenizers and what an independent tokenizer makes of texts. fixtures/make.mjs made
// them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/tokens/tokenizer.h"

namespace tokens_test {

using namespace tilewright;
using namespace tilewright::tokens;
namespace fs = std::filesystem;
using Ids = std::vector<int32_t>;

inline const fs::path kFixtures = TILEWRIGHT_FIXTURES;
inline const fs::path kModels = TILEWRIGHT_MODELS;  // what tools/fetch_models fetched, if it did

inline std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Case {
  std::string text;
  Ids ids;
};

inline std::vector<Case> cases(const std::string& name) {
  std::vector<Case> out;
  for (const auto& entry : nlohmann::json::parse(read_file(kFixtures / (name + ".cases.json")))) {
    Case c;
    if (entry[0].is_string()) {
      c.text = entry[0].get<std::string>();
    } else {
      const std::string hex = entry[0]["hex"];
      for (std::size_t i = 0; i < hex.size(); i += 2)
        c.text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    c.ids = entry[1].get<Ids>();
    out.push_back(std::move(c));
  }
  return out;
}

inline std::string json_text(const std::string& name) {
  return read_file(kFixtures / (name + ".json"));
}

inline Tokenizer tokenizer_from(const std::string& json) {
  return {read_tokenizer_json(json, "tokenizer.json"), "tokenizer.json"};
}

inline const Tokenizer& small() {
  static const Tokenizer t = tokenizer_from(json_text("small"));
  return t;
}
inline const Tokenizer& fallback() {
  static const Tokenizer t = tokenizer_from(json_text("fallback"));
  return t;
}

inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const UserError& e) {
    return e.diagnostic().text();
  }
}

}  // namespace tokens_test
