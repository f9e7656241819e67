// Encoding: sections between added tokens, words within sections, merges within words.
#include <deque>

#include "tilewright/tokens/tokenizer.h"
#include "tilewright/tokens/unicode.h"

namespace tilewright::tokens {
namespace {

// Words repeat. A word that was seen in this text is copied from where its tokens already stand.
class SeenWords {
 public:
  explicit SeenWords(bool enabled) : slots_(enabled ? kSlots : 0) {}

  struct Word {
    std::string_view text;
    std::size_t first = 0, count = 0;  // its tokens in the output
  };
  // The place of this word; whatever is there may be another word.
  Word* slot(std::string_view text) {
    if (slots_.empty()) return nullptr;
    return &slots_[std::hash<std::string_view>{}(text) % kSlots];
  }

 private:
  static constexpr std::size_t kSlots = 1 << 14;
  std::vector<Word> slots_;
};

constexpr std::size_t kLongText = 2048;  // from here the table pays for itself

}  // namespace

class Tokenizer::Encoding {
 public:
  Encoding(const Tokenizer& tokenizer, std::string_view text)
      : t_(tokenizer), text_(text), seen_(text.size() >= kLongText) {
    out_.reserve(text.size() / 3 + 8);
  }

  std::vector<int32_t> run(EncodeOptions options) {
    if (options.surround) append(t_.spec_.in_front);
    std::size_t at = 0;
    if (options.special_in_text)
      while (const auto match = t_.added_.find(text_, at)) {
        section(text_.substr(at, match->begin - at));
        out_.push_back(match->token->id);
        at = match->end;
      }
    section(text_.substr(at));
    if (options.surround) append(t_.spec_.at_end);
    return std::move(out_);
  }

 private:
  void append(const std::vector<int32_t>& ids) { out_.insert(out_.end(), ids.begin(), ids.end()); }

  bool needs_prefix(std::string_view section) const {
    switch (t_.spec_.prefix) {
      case Prefix::None: return false;
      case Prefix::Always: return true;
      case Prefix::UnlessSpace: return section[0] != ' ';
      case Prefix::FirstUnlessSpace: return section.data() == text_.data() && section[0] != ' ';
    }
    return false;
  }

  // Text without added tokens: normalised, then cut into words.
  void section(std::string_view s) {
    if (s.empty()) return;
    const bool prefix = needs_prefix(s);
    if (t_.spec_.nfc && !is_plainly_nfc(s)) s = kept_.emplace_back(nfc(s));
    if (prefix) s = kept_.emplace_back(" " + std::string(s));
    for (std::size_t at = 0; at < s.size();) {
      const std::size_t end = word_end(t_.spec_.pattern, s, at);
      word(s.substr(at, end - at));
      at = end;
    }
  }

  void word(std::string_view w) {
    if (w.size() == 1 && t_.spec_.spelling == Spelling::ByteLevel) {
      out_.push_back(t_.byte_symbol_[static_cast<unsigned char>(w[0])]);
      return;
    }
    SeenWords::Word* slot = seen_.slot(w);
    if (slot && slot->text == w) {
      for (std::size_t i = 0; i < slot->count; ++i) out_.push_back(out_[slot->first + i]);
      return;
    }
    const std::size_t first = out_.size();
    merge(w);
    if (slot) *slot = {w, first, out_.size() - first};
  }

  void merge(std::string_view w) {
    if (t_.spec_.whole_words_first)
      if (const auto id = t_.by_bytes_.find(w)) {
        out_.push_back(*id);
        return;
      }
    symbols_.clear();
    t_.append_symbols(w, symbols_);
    t_.merges_.apply(symbols_);
    append(symbols_);
  }

  const Tokenizer& t_;
  std::string_view text_;
  std::vector<int32_t> out_;
  std::vector<int32_t> symbols_;  // of the word under way
  SeenWords seen_;
  std::deque<std::string> kept_;  // sections that are not the text's own; words point into them
};

std::vector<int32_t> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  return Encoding(*this, text).run(options);
}

}  // namespace tilewright::tokens
