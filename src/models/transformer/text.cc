#include "tilewright/models/transformer/text.h"

#include <filesystem>

#include "tilewright/checkpoint/mapped_file.h"

namespace tilewright::models::transformer {
namespace {

namespace fs = std::filesystem;
using checkpoint::GgufFile;
using checkpoint::GgufValue;

// The text of the token that a key gives by number.
std::string token_text(const GgufFile& file, const tokens::Tokenizer& t, const char* key) {
  const GgufValue* v = file.find(key);
  const auto id = v ? v->integer() : std::nullopt;
  return id && *id >= 0 && *id < t.size() ? std::string(t.piece(static_cast<int32_t>(*id))) : "";
}

ModelText text_of_gguf(const std::string& path) {
  const checkpoint::MappedFile mapped(path);
  const GgufFile file = checkpoint::read_gguf(mapped.bytes(), path);
  ModelText out;
  out.tokenizer = std::make_unique<tokens::Tokenizer>(tokenizer_of_gguf(file, path), path);
  const GgufValue* source = file.find("tokenizer.chat_template");
  if (source && source->string())
    out.chat.emplace(*source->string(), path,
                     token_text(file, *out.tokenizer, "tokenizer.ggml.bos_token_id"),
                     token_text(file, *out.tokenizer, "tokenizer.ggml.eos_token_id"));
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                          "tokenizer.ggml.eom_token_id"}) {
    const GgufValue* v = file.find(key);
    const auto id = v ? v->integer() : std::nullopt;
    if (id && *id >= 0 && *id < out.tokenizer->size())
      out.defaults.stop_ids.push_back(static_cast<int32_t>(*id));
  }
  return out;
}

}  // namespace

ModelText load_text(const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return text_of_gguf(path);
  ModelText out;
  out.tokenizer = tokens::load_tokenizer(path);
  out.chat = tokens::load_chat_template(path);
  out.defaults = tokens::load_generation_defaults(path);
  return out;
}

}  // namespace tilewright::models::transformer
