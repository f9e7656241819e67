#include "tilewright/models/transformer/gguf_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/models/transformer/text.h"
#include "tilewright/tokens/model_file.h"

namespace tilewright::models::transformer {
namespace {

using checkpoint::GgufKeys;
using tokens::Pattern;
using tokens::Spelling;
using tokens::TokenizerSpec;

// Kinds of tokens, as numbers of the format.
enum Kind : int32_t { kNormal = 1, kControlToken = 3, kUserToken = 4, kUnused = 5, kByte = 6 };

[[noreturn]] void refuse_tokenizer(const std::string& what, const std::string& origin) {
  user_error("tokenizer", what, "at " + origin,
             "GGUF files name one of few pre-tokenizers and rank merges by scores; a tokenizer is "
             "written only if it reads back the same",
             "use a GGUF file of this model as the source");
}

bool is_byte_piece(std::string_view piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>');
}

void set_pieces(GgufKeys& keys, const TokenizerSpec& spec, int64_t vocab) {
  std::vector<std::string> pieces = spec.pieces;
  if (static_cast<int64_t>(pieces.size()) < vocab) pieces.resize(static_cast<std::size_t>(vocab));
  std::vector<int32_t> kinds(pieces.size(), kNormal);
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (spec.spelling == Spelling::ByteFallback && is_byte_piece(pieces[id])) kinds[id] = kByte;
    if (!pieces[id].empty()) continue;
    pieces[id] = fmt::format("[PAD{}]", id);
    kinds[id] = kUnused;
  }
  for (const tokens::AddedToken& t : spec.added)
    kinds[static_cast<std::size_t>(t.id)] = t.special ? kControlToken : kUserToken;
  keys.strings("tokenizer.ggml.tokens", pieces);
  keys.i32s("tokenizer.ggml.token_type", kinds);
  if (spec.spelling == Spelling::ByteLevel) return;
  // A piece merges as early as its first merge; pieces that are never merged have no rank.
  std::vector<float> scores(pieces.size(), -static_cast<float>(spec.merges.size()) - 1);
  for (std::size_t rank = spec.merges.size(); rank-- > 0;)
    scores[static_cast<std::size_t>(spec.merges[rank].merged)] = -static_cast<float>(rank);
  keys.f32s("tokenizer.ggml.scores", scores);
}

void set_byte_level(GgufKeys& keys, const TokenizerSpec& spec, const std::string& origin) {
  keys.string("tokenizer.ggml.model", "gpt2");
  switch (spec.pattern) {
    case Pattern::Qwen2: keys.string("tokenizer.ggml.pre", "qwen2"); break;
    case Pattern::Llama3: keys.string("tokenizer.ggml.pre", "llama-bpe"); break;
    case Pattern::Gpt2: keys.string("tokenizer.ggml.pre", "gpt-2"); break;
    case Pattern::SmolLm: keys.string("tokenizer.ggml.pre", "smollm"); break;
    case Pattern::Whole: refuse_tokenizer("a tokenizer of bytes without a pattern", origin);
  }
  std::vector<std::string> merges;
  const auto piece = [&](int32_t id) { return spec.pieces[static_cast<std::size_t>(id)]; };
  for (const TokenizerSpec::Merge& m : spec.merges)
    merges.push_back(piece(m.left) + " " + piece(m.right));
  keys.strings("tokenizer.ggml.merges", merges);
}

// The begin token, and up to three tokens that end a text; the end token of templates is the first.
void set_ends(GgufKeys& keys, const TokenizerSpec& spec, const tokens::ChatSource& chat,
              std::vector<int32_t> stops) {
  const auto find = [&](const std::string& text) -> std::optional<int32_t> {
    const auto at = std::ranges::find(spec.pieces, text);
    if (text.empty() || at == spec.pieces.end()) return std::nullopt;
    return static_cast<int32_t>(at - spec.pieces.begin());
  };
  const auto begin = spec.in_front.size() == 1 ? std::optional(spec.in_front[0]) : find(chat.bos);
  if (begin) keys.u32("tokenizer.ggml.bos_token_id", static_cast<uint32_t>(*begin));
  keys.boolean("tokenizer.ggml.add_bos_token", !spec.in_front.empty());
  if (const auto end = find(chat.eos)) {
    std::erase(stops, *end);
    stops.insert(stops.begin(), *end);
  }
  const char* names[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                         "tokenizer.ggml.eom_token_id"};
  for (std::size_t i = 0; i < std::min(stops.size(), std::size(names)); ++i)
    keys.u32(names[i], static_cast<uint32_t>(stops[i]));
}

TokenizerSpec read_back(const GgufKeys& keys, const std::string& origin) {
  const uint32_t version = 3;
  const uint64_t counts[] = {0, keys.count()};  // tensors, keys
  std::string file = "GGUF";
  file.append(reinterpret_cast<const char*>(&version), sizeof version);
  file.append(reinterpret_cast<const char*>(counts), sizeof counts);
  file += keys.encoded();
  const auto parsed = checkpoint::read_gguf(std::as_bytes(std::span(file)), origin);
  return tokenizer_of_gguf(parsed, origin);
}

void check_same(const TokenizerSpec& own, const TokenizerSpec& read, const std::string& origin) {
  const auto same = [&](bool is, const char* what) {
    if (!is) refuse_tokenizer(fmt::format("{} of the tokenizer would change", what), origin);
  };
  same(own.nfc == read.nfc, "the normalisation");
  same(own.pattern == read.pattern, "the pre-tokenizer");
  same(own.whole_words_first == read.whole_words_first, "the treatment of whole words");
  same((own.prefix == tokens::Prefix::None) == (read.prefix == tokens::Prefix::None),
       "the space in front");
  same(own.in_front == read.in_front && own.at_end == read.at_end, "the tokens around a text");
  same(std::ranges::equal(own.merges, read.merges,
                          [](const auto& a, const auto& b) {
                            return a.left == b.left && a.right == b.right && a.merged == b.merged;
                          }),
       "the order of merges");
}

}  // namespace

void set_text_keys(GgufKeys& keys, const std::string& directory, int64_t vocab) {
  const std::string origin = (std::filesystem::path(directory) / "tokenizer.json").string();
  const TokenizerSpec spec = tokens::read_tokenizer_json(tokens::read_model_text(origin), origin);
  const tokens::ChatSource chat = tokens::load_chat_source(directory);
  if (static_cast<int64_t>(spec.pieces.size()) > vocab)
    refuse_tokenizer(fmt::format("{} tokens for a vocabulary of {}", spec.pieces.size(), vocab),
                     origin);
  if (spec.spelling == Spelling::ByteLevel) {
    set_byte_level(keys, spec, origin);
  } else {
    keys.string("tokenizer.ggml.model", "llama");
    keys.string("tokenizer.ggml.pre", "default");
    keys.boolean("tokenizer.ggml.add_space_prefix", spec.prefix != tokens::Prefix::None);
  }
  set_pieces(keys, spec, vocab);
  set_ends(keys, spec, chat, tokens::load_generation_defaults(directory).stop_ids);
  if (chat.text) keys.string("tokenizer.chat_template", *chat.text);
  check_same(spec, read_back(keys, origin), origin);
}

}  // namespace tilewright::models::transformer
