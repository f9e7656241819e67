// Vocabularies for grammars, and texts held against constraints.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support.h"
#include "tilewright/tokens/grammar/schema.h"

namespace tokens_test {

namespace grammar = tilewright::tokens::grammar;
using grammar::Grammar;
using grammar::Vocabulary;

// A tokenizer with its vocabulary, and end tokens.
struct Model {
  std::string name;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const Vocabulary> vocabulary;
};

// One token for every byte, and "<end>".
const Model& byte_model();
// The small ones of the fixtures, and those of tools/fetch_models that are there.
const std::vector<Model>& models();
Model model_of(const std::string& name, std::shared_ptr<const Tokenizer> tokenizer);

std::shared_ptr<const Grammar> compiled(const std::string& schema,
                                        const Model& model = byte_model());

enum class Verdict { Wrong, Open, Complete };  // not a beginning; a beginning; a document
// `text` byte by byte.
Verdict verdict(const Grammar& g, std::string_view text, const Model& model = byte_model());
bool is_document(const std::string& schema, std::string_view text);

bool may_end(Constraint& c, const Model& model);

}  // namespace tokens_test
