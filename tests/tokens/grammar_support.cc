#include "grammar_support.h"

namespace tokens_test {
namespace {

TokenizerSpec byte_spec() {
  TokenizerSpec spec;
  spec.spelling = Spelling::ByteFallback;
  for (int b = 0; b < 256; ++b) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    spec.pieces.push_back(std::string("<0x") + kDigits[static_cast<std::size_t>(b / 16)] +
                          kDigits[static_cast<std::size_t>(b % 16)] + ">");
  }
  spec.pieces.push_back("<end>");
  spec.added.push_back({.id = 256, .content = "<end>", .special = true});
  return spec;
}

int32_t end_of(const Tokenizer& t) {
  for (int32_t id = t.size() - 1; id >= 0; --id)
    if (t.is_special(id)) return id;
  return t.size();  // of no token: texts end all the same
}

}  // namespace

Model model_of(const std::string& name, std::shared_ptr<const Tokenizer> tokenizer) {
  auto vocabulary =
      std::make_shared<Vocabulary>(*tokenizer, std::vector<int32_t>{end_of(*tokenizer)});
  return {name, std::move(tokenizer), std::move(vocabulary)};
}

const Model& byte_model() {
  static const Model m = model_of("bytes", std::make_shared<Tokenizer>(byte_spec(), "bytes"));
  return m;
}

const std::vector<Model>& models() {
  static const std::vector<Model> all = [] {
    std::vector<Model> out{byte_model()};
    for (const char* name : {"small", "fallback"})
      out.push_back(
          model_of(name,
                   std::make_shared<Tokenizer>(read_tokenizer_json(json_text(name), name), name)));
    for (const char* name :
         {"stories15M", "minimind2-small", "qwen2.5-tokenizer", "qwen3-tokenizer"})
      if (fs::exists(kModels / name / "tokenizer.json"))
        out.push_back(model_of(name, load_tokenizer((kModels / name).string())));
    return out;
  }();
  return all;
}

std::shared_ptr<const Grammar> compiled(const std::string& schema, const Model& model) {
  return grammar::compile_schema(schema, "schema", model.vocabulary);
}

bool may_end(Constraint& c, const Model& model) {
  return c.allowed().contains(model.vocabulary->end_ids()[0]);
}

Verdict verdict(const Grammar& g, std::string_view text, const Model& model) {
  const auto c = g.constraint();
  for (const char b : text) {
    const auto id = static_cast<int32_t>(static_cast<unsigned char>(b));
    if (!c->allowed().contains(id)) return Verdict::Wrong;
    c->accept(id);
  }
  return may_end(*c, model) ? Verdict::Complete : Verdict::Open;
}

bool is_document(const std::string& schema, std::string_view text) {
  return verdict(*compiled(schema), text) == Verdict::Complete;
}

}  // namespace tokens_test
