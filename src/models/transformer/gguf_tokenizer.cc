#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/base/utf8.h"
#include "tilewright/models/transformer/text.h"
#include "tilewright/tokens/piece_index.h"

namespace tilewright::models::transformer {
namespace {

using checkpoint::GgufFile;
using checkpoint::GgufValue;
using tokens::TokenizerSpec;

// Kinds of tokens, as numbers of the format.
constexpr double kControl = 3, kUserDefined = 4, kPlaceholder = 5;

class GgufTokenizer {
 public:
  GgufTokenizer(const GgufFile& file, const std::string& origin) : file_(file), origin_(origin) {}

  TokenizerSpec read() {
    const std::string model(text("tokenizer.ggml.model"));
    for (const std::string_view piece : need("tokenizer.ggml.tokens").strings().value_or(Views{}))
      spec_.pieces.emplace_back(piece);
    if (spec_.pieces.empty()) refuse("tokenizer.ggml.tokens is not a list of texts");
    read_added();
    if (model == "gpt2") {
      read_byte_level();
    } else if (model == "llama") {
      read_scored();
    } else {
      refuse(fmt::format("tokenizer model {} is not supported", quote(model)));
    }
    if (is_on("tokenizer.ggml.add_bos_token", model == "llama"))
      spec_.in_front.push_back(token("tokenizer.ggml.bos_token_id"));
    return std::move(spec_);
  }

 private:
  using Views = std::vector<std::string_view>;

  [[noreturn]] void refuse(const std::string& what) const {
    user_error("tokenizer", what, "at " + origin_,
               "supported tokenizers are BPE over bytes, and BPE over characters with byte "
               "fallback",
               "choose a model with a supported tokenizer");
  }
  const GgufValue& need(const char* key) const {
    const GgufValue* v = file_.find(key);
    if (!v) refuse(fmt::format("key {} is missing", key));
    return *v;
  }
  std::string_view text(const char* key) const { return need(key).string().value_or(""); }
  bool is_on(const char* key, bool otherwise) const {
    const GgufValue* v = file_.find(key);
    return v ? v->integer().value_or(0) != 0 : otherwise;
  }
  int32_t token(const char* key) const {
    const auto id = need(key).integer();
    if (!id || *id < 0 || *id >= static_cast<int64_t>(spec_.pieces.size()))
      refuse(fmt::format("{} is not one of {} tokens", key, spec_.pieces.size()));
    return static_cast<int32_t>(*id);
  }

  void read_added() {
    const GgufValue* types = file_.find("tokenizer.ggml.token_type");
    if (!types) return;
    const auto numbers = types->numbers();
    if (!numbers || numbers->size() != spec_.pieces.size())
      refuse("tokenizer.ggml.token_type does not have one number per token");
    for (std::size_t id = 0; id < numbers->size(); ++id) {
      const double type = (*numbers)[id];
      if (type == kPlaceholder) spec_.pieces[id].clear();  // a row of the embedding without a text
      if ((type != kControl && type != kUserDefined) || spec_.pieces[id].empty()) continue;
      spec_.added.push_back(
          {static_cast<int32_t>(id), spec_.pieces[id], type == kControl, false, false});
    }
  }

  // These files name the pre-tokeniser instead of spelling it out.
  void read_byte_level() {
    spec_.spelling = tokens::Spelling::ByteLevel;
    const std::string pre(text("tokenizer.ggml.pre"));
    if (pre == "qwen2") {
      spec_.pattern = tokens::Pattern::Qwen2;
      spec_.nfc = true;
    } else if (pre == "llama-bpe" || pre == "llama3" || pre == "llama-v3") {
      spec_.pattern = tokens::Pattern::Llama3;
      spec_.whole_words_first = true;
    } else if (pre == "gpt-2") {
      spec_.pattern = tokens::Pattern::Gpt2;
    } else if (pre == "smollm") {
      spec_.pattern = tokens::Pattern::SmolLm;
    } else {
      refuse(fmt::format("pre-tokenizer {} is not supported", quote(pre)));
    }
    const tokens::PieceIndex index(spec_.pieces);
    for (const std::string_view both : need("tokenizer.ggml.merges").strings().value_or(Views{})) {
      const auto space = both.find(' ', 1);
      if (space == std::string_view::npos)
        refuse("a merge does not consist of two pieces and a space");
      const std::string left(both.substr(0, space)), right(both.substr(space + 1));
      const auto l = index.find(left), r = index.find(right), merged = index.find(left + right);
      if (!l || !r || !merged)
        refuse(fmt::format("a merge of {}, which is not in the vocabulary", quote(both)));
      spec_.merges.push_back({*l, *r, *merged});
    }
  }

  // Pieces merge by the score of what they become: every pair that makes a piece has its rank.
  void read_scored() {
    spec_.spelling = tokens::Spelling::ByteFallback;
    if (is_on("tokenizer.ggml.add_space_prefix", true)) spec_.prefix = tokens::Prefix::Always;
    const auto scores = need("tokenizer.ggml.scores").numbers();
    if (!scores || scores->size() != spec_.pieces.size())
      refuse("tokenizer.ggml.scores does not have one number per token");
    if (std::ranges::any_of(*scores, [](double v) { return std::isnan(v); }))
      refuse("tokenizer.ggml.scores holds something that is not a number");
    const tokens::PieceIndex index(spec_.pieces);
    std::vector<bool> whole(spec_.pieces.size());  // found in text as they are, never merged
    for (const tokens::AddedToken& t : spec_.added) whole[static_cast<std::size_t>(t.id)] = true;
    struct Scored {
      double score;
      TokenizerSpec::Merge merge;
    };
    std::vector<Scored> all;
    constexpr std::size_t kLongest = 256;  // bytes; the work grows with the square
    for (std::size_t id = 0; id < spec_.pieces.size(); ++id) {
      const std::string_view piece = spec_.pieces[id];
      if (whole[id] || piece.size() > kLongest) continue;
      std::vector<TokenizerSpec::Merge> ways;
      for (std::size_t cut = 0; cut < piece.size();) {
        cut += decode_utf8(piece, cut).size;
        const auto l = index.find(piece.substr(0, cut)), r = index.find(piece.substr(cut));
        if (l && r) ways.push_back({*l, *r, static_cast<int32_t>(id)});
      }
      std::ranges::sort(ways, {}, [](const auto& m) { return std::pair(m.left, m.right); });
      for (const auto& m : ways) all.push_back({(*scores)[id], m});
    }
    std::ranges::stable_sort(all,
                             [](const Scored& a, const Scored& b) { return a.score > b.score; });
    for (const Scored& s : all) spec_.merges.push_back(s.merge);
  }

  const GgufFile& file_;
  const std::string& origin_;
  TokenizerSpec spec_;
};

}  // namespace

TokenizerSpec tokenizer_of_gguf(const GgufFile& file, const std::string& origin) {
  return GgufTokenizer(file, origin).read();
}

}  // namespace tilewright::models::transformer
