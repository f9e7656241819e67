#include "tilewright/tokens/tokenizer.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/utf8.h"
#include "tilewright/tokens/byte_alphabet.h"
#include "tilewright/tokens/model_file.h"

namespace tilewright::tokens {
namespace {

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  user_error("tokenizer", what, "at " + origin, "the vocabulary must have a token for every byte",
             "download the file again, or choose a model with a complete vocabulary");
}

std::string with_spaces(std::string_view piece) {
  std::string out(piece);
  for (std::size_t at = 0; (at = out.find(kSpaceMark, at)) != std::string::npos; ++at)
    out.replace(at, kSpaceMark.size(), " ");
  return out;
}

// <0xNN>
std::optional<uint8_t> byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  const int high = digit(piece[3]), low = digit(piece[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<uint8_t>(high * 16 + low);
}

}  // namespace

Tokenizer::Tokenizer(TokenizerSpec spec, const std::string& origin)
    : spec_(std::move(spec)),
      index_(spec_.pieces),
      special_(spec_.pieces.size()),
      merges_(spec_.merges.size()),
      added_(spec_.added) {
  for (const TokenizerSpec::Merge& m : spec_.merges) merges_.add(m.left, m.right, m.merged);
  make_bytes(origin);
  make_symbols(origin);
  if (spec_.whole_words_first) by_bytes_ = PieceIndex(bytes_);
}

void Tokenizer::make_bytes(const std::string& origin) {
  bytes_.resize(spec_.pieces.size());
  std::vector<bool> added(spec_.pieces.size());
  for (const AddedToken& t : spec_.added) {
    const auto at = static_cast<std::size_t>(t.id);
    added[at] = true;
    special_[at] = t.special;
    bytes_[at] = t.content;
  }
  for (std::size_t id = 0; id < bytes_.size(); ++id) {
    if (added[id] || spec_.pieces[id].empty()) continue;
    if (spec_.spelling == Spelling::ByteLevel) {
      auto bytes = bytes_of_piece(spec_.pieces[id]);
      if (!bytes) refuse(origin, fmt::format("piece {} is not spelled in bytes", id));
      bytes_[id] = std::move(*bytes);
    } else if (const auto byte = byte_of(spec_.pieces[id])) {
      bytes_[id] = std::string(1, static_cast<char>(*byte));
    } else {
      bytes_[id] = with_spaces(spec_.pieces[id]);
    }
  }
}

void Tokenizer::make_symbols(const std::string& origin) {
  for (int b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    const std::string piece = spec_.spelling == Spelling::ByteLevel ? character_of_byte(byte)
                                                                    : fmt::format("<0x{:02X}>", b);
    const auto id = index_.find(piece);
    if (!id) refuse(origin, fmt::format("the vocabulary has no piece for the byte 0x{:02X}", b));
    byte_symbol_[byte] = *id;
  }
}

void Tokenizer::append_character(std::string_view character, std::vector<int32_t>& out) const {
  if (const auto id = index_.find(character)) {
    out.push_back(*id);
  } else {
    for (const char c : character) out.push_back(byte_symbol_[static_cast<unsigned char>(c)]);
  }
}

void Tokenizer::append_symbols(std::string_view word, std::vector<int32_t>& out) const {
  if (spec_.spelling == Spelling::ByteLevel) {
    for (const char c : word) out.push_back(byte_symbol_[static_cast<unsigned char>(c)]);
    return;
  }
  for (std::size_t at = 0; at < word.size();) {
    const Utf8Char c = decode_utf8(word, at);
    if (c.code < 0) {
      out.push_back(byte_symbol_[static_cast<unsigned char>(word[at])]);
    } else {
      append_character(c.code == ' ' ? kSpaceMark : word.substr(at, c.size), out);
    }
    at += c.size;
  }
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special) const {
  std::string out;
  for (const int32_t id : ids)
    if (!(skip_special && is_special(id))) out += bytes(id);
  if (drops_first_space() && out.starts_with(' ')) out.erase(0, 1);
  return out;
}

std::string_view Tokenizer::bytes(int32_t id) const {
  return in_range(id) ? std::string_view(bytes_[static_cast<std::size_t>(id)]) : "";
}

std::string_view Tokenizer::piece(int32_t id) const {
  return in_range(id) ? std::string_view(spec_.pieces[static_cast<std::size_t>(id)]) : "";
}

bool Tokenizer::is_special(int32_t id) const {
  return in_range(id) && special_[static_cast<std::size_t>(id)];
}

std::unique_ptr<const Tokenizer> load_tokenizer(const std::string& directory) {
  const std::string path = directory + "/tokenizer.json";
  return std::make_unique<Tokenizer>(read_tokenizer_json(read_model_text(path), path), path);
}

}  // namespace tilewright::tokens
