// Text to token ids and back. Immutable, so that threads may share one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/tokens/added_tokens.h"
#include "tilewright/tokens/merges.h"
#include "tilewright/tokens/piece_index.h"
#include "tilewright/tokens/spec.h"

namespace tilewright::tokens {

struct EncodeOptions {
  bool surround = true;         // put the file's begin and end tokens around the text
  bool special_in_text = true;  // "<|im_end|>" in the text is that token, not its letters
};

class Tokenizer {
 public:
  // Throws UserError when pieces that the spelling needs are missing. `origin` names the file.
  Tokenizer(TokenizerSpec spec, const std::string& origin);
  Tokenizer(const Tokenizer&) = delete;  // the index points into the pieces
  Tokenizer& operator=(const Tokenizer&) = delete;

  std::vector<int32_t> encode(std::string_view text, EncodeOptions options = {}) const;
  // The exact bytes; ids without a piece give nothing. Special tokens are left out when asked.
  std::string decode(std::span<const int32_t> ids, bool skip_special = false) const;

  int32_t size() const { return static_cast<int32_t>(bytes_.size()); }
  // What one token adds to a text that is under way; empty for ids without a piece.
  std::string_view bytes(int32_t id) const;
  std::string_view piece(int32_t id) const;  // as the file spells it
  bool is_special(int32_t id) const;
  std::optional<int32_t> find(std::string_view piece) const { return index_.find(piece); }
  // True when a text's first space is not its own: decoding drops it.
  bool drops_first_space() const { return spec_.prefix != Prefix::None; }

 private:
  class Encoding;  // one call of encode

  bool in_range(int32_t id) const { return id >= 0 && id < size(); }
  void make_bytes(const std::string& origin);
  void make_symbols(const std::string& origin);
  void append_symbols(std::string_view word, std::vector<int32_t>& out) const;
  void append_character(std::string_view character, std::vector<int32_t>& out) const;

  TokenizerSpec spec_;
  PieceIndex index_;
  std::vector<std::string> bytes_;  // by id
  PieceIndex by_bytes_;             // only when whole words come first
  std::vector<bool> special_;       // by id
  Merges merges_;
  AddedTokens added_;
  std::array<int32_t, 256> byte_symbol_{};  // the piece of a byte; -1 = none
};

// Reads DIR/tokenizer.json.
std::unique_ptr<const Tokenizer> load_tokenizer(const std::string& directory);

}  // namespace tilewright::tokens
