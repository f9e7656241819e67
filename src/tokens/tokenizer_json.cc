// tokenizer.json as the Hugging Face library writes it. The vocabulary and the merges are read in
// place; the small rest becomes a tree, so that its pieces can be looked at in any order.
#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_reader.h"
#include "tilewright/base/text.h"
#include "tilewright/tokens/piece_index.h"
#include "tilewright/tokens/tokenizer_parts.h"

namespace tilewright::tokens {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin)
      : text_(text), origin_(origin), json_(text, origin) {}

  TokenizerSpec read();

 private:
  void read_model();
  void read_vocab();
  void read_merges(JsonReader r);
  std::pair<std::string, std::string> merge_pair(JsonReader& r) const;
  void place_piece(int32_t id, std::string_view piece, const JsonReader& r);
  void read_added();
  AddedToken read_added_token();
  int32_t read_id(JsonReader& r) const;

  std::string_view text_;
  const std::string& origin_;
  JsonReader json_;
  TokenizerSpec spec_;
  ModelFlags flags_;
  bool has_vocab_ = false;
};

// Ids are bounded by the text that lists them: a hostile id allocates nothing large.
int32_t Reader::read_id(JsonReader& r) const {
  const int64_t id = r.integer();
  constexpr int64_t kMost = 1 << 24;
  if (id < 0 || id >= kMost || id >= static_cast<int64_t>(text_.size()))
    r.fail(fmt::format("token id {}", id));
  return static_cast<int32_t>(id);
}

void Reader::place_piece(int32_t id, std::string_view piece, const JsonReader& r) {
  const auto at = static_cast<std::size_t>(id);
  if (at >= spec_.pieces.size()) spec_.pieces.resize(at + 1);
  std::string& slot = spec_.pieces[at];
  if (!slot.empty() && slot != piece) r.fail(fmt::format("token id {} is given twice", id));
  slot = piece;
}

void Reader::read_vocab() {
  has_vocab_ = true;
  json_.begin_object();
  std::string piece;
  while (const auto key = json_.next_key()) {
    piece = *key;
    place_piece(read_id(json_), piece, json_);
  }
}

// "left right" in older files, ["left", "right"] in newer ones, where pieces may hold spaces.
std::pair<std::string, std::string> Reader::merge_pair(JsonReader& r) const {
  if (r.peek() == Json::Kind::String) {
    const std::string both(r.string());
    const auto space = both.find(' ');
    if (space == std::string::npos || both.find(' ', space + 1) != std::string::npos)
      r.fail("a merge does not consist of two pieces and one space");
    return {both.substr(0, space), both.substr(space + 1)};
  }
  std::vector<std::string> parts;
  r.begin_array();
  while (r.next_item()) {
    if (parts.size() == 2) r.fail("a merge does not consist of two pieces");
    parts.emplace_back(r.string());
  }
  if (parts.size() != 2) r.fail("a merge does not consist of two pieces");
  return {parts[0], parts[1]};
}

void Reader::read_merges(JsonReader r) {
  const PieceIndex index(spec_.pieces);
  const auto id_of = [&](const std::string& piece) {
    const auto id = index.find(piece);
    if (!id) r.fail(fmt::format("a merge of {}, which is not in the vocabulary", quote(piece)));
    return *id;
  };
  r.begin_array();
  while (r.next_item()) {
    const auto [left, right] = merge_pair(r);
    spec_.merges.push_back({id_of(left), id_of(right), id_of(left + right)});
  }
}

void Reader::read_model() {
  std::optional<JsonReader> merges;  // they are looked up in the vocabulary, which may come later
  json_.begin_object();
  while (const auto key = json_.next_key()) {
    if (*key == "vocab") {
      read_vocab();
    } else if (*key == "merges") {
      merges.emplace(json_);
      json_.skip();
    } else {
      const std::string name(*key);
      flags_.emplace_back(name, read_tree(json_));
    }
  }
  if (!has_vocab_ || !merges) json_.fail("the model lacks a vocabulary or merges");
  read_merges(*merges);
}

AddedToken Reader::read_added_token() {
  AddedToken token;
  token.id = -1;
  json_.begin_object();
  while (const auto key = json_.next_key()) {
    const std::string name(*key);
    if (name == "id") {
      token.id = read_id(json_);
    } else if (name == "content") {
      token.content = json_.string();
    } else if (name == "special") {
      token.special = json_.boolean();
    } else if (name == "lstrip") {
      token.strip_left = json_.boolean();
    } else if (name == "rstrip") {
      token.strip_right = json_.boolean();
    } else if (name == "single_word") {
      if (json_.boolean()) json_.fail("added tokens with single_word are not supported");
    } else {
      json_.skip();
    }
  }
  if (token.id < 0 || token.content.empty()) json_.fail("an added token lacks its id or content");
  return token;
}

void Reader::read_added() {
  json_.begin_array();
  while (json_.next_item()) spec_.added.push_back(read_added_token());
}

TokenizerSpec Reader::read() {
  Parts parts;
  bool has_model = false;
  json_.begin_object();
  while (const auto key = json_.next_key()) {
    const std::string name(*key);
    if (name == "model") {
      has_model = true;
      read_model();
    } else if (name == "added_tokens") {
      read_added();
    } else if (name == "normalizer") {
      parts.normalizer = read_tree(json_);
    } else if (name == "pre_tokenizer") {
      parts.pre_tokenizer = read_tree(json_);
    } else if (name == "post_processor") {
      parts.post_processor = read_tree(json_);
    } else if (name == "decoder") {
      parts.decoder = read_tree(json_);
    } else {
      json_.skip();  // version, truncation, padding
    }
  }
  json_.finish();
  if (!has_model) json_.fail("the tokenizer lacks its model");
  apply_parts(parts, flags_, origin_, spec_);
  return std::move(spec_);
}

}  // namespace

TokenizerSpec read_tokenizer_json(std::string_view text, const std::string& origin) {
  return Reader(text, origin).read();
}

}  // namespace tilewright::tokens
