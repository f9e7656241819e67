#include "tilewright/tokens/tokenizer_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::tokens {
namespace {

class PartReader {
 public:
  PartReader(const std::string& origin, TokenizerSpec& spec) : origin_(origin), spec_(spec) {}

  void flags(const ModelFlags& flags);
  void normalizer(const Json& j);
  void pre_tokenizer(const Json& j);
  void post_processor(const Json& j);
  void check_decoder(const Json& j) const;
  void finish();

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    user_error("tokenizer", what, "at " + origin_,
               "supported tokenizers are BPE over bytes, and BPE over characters with byte "
               "fallback",
               "choose a model with a supported tokenizer.json");
  }
  std::string type(const Json& j, const char* part) const {
    const Json* t = j.find("type");
    if (!t || t->kind != Json::Kind::String) refuse(fmt::format("a {} without a type", part));
    return t->string;
  }
  std::string text(const Json& j, std::string_view key) const {
    const Json* v = j.find(key);
    return v && v->kind == Json::Kind::String ? v->string : "";
  }
  bool is_on(const Json& j, std::string_view key, bool otherwise) const {
    const Json* v = j.find(key);
    return v && v->kind == Json::Kind::Bool ? v->boolean : otherwise;
  }
  // Calls `each` on the parts of a Sequence, or on the part itself.
  template <class F>
  void for_each(const Json& j, const char* part, std::string_view list, F each) const {
    if (j.kind == Json::Kind::Null) return;
    if (type(j, part) != "Sequence") return each(j);
    const Json* items = j.find(list);
    if (!items || items->kind != Json::Kind::Array) refuse(fmt::format("an empty {}", part));
    for (const Json& item : items->items) each(item);
  }
  void split(const Json& j);
  void metaspace(const Json& j);
  void template_processing(const Json& j);
  std::vector<int32_t> special_ids(const Json& j, const std::string& name) const;

  const std::string& origin_;
  TokenizerSpec& spec_;
  bool byte_level_ = false, byte_fallback_ = false, marks_spaces_ = false;
  bool digits_apart_ = false;
};

void PartReader::flags(const ModelFlags& flags) {
  for (const auto& [name, value] : flags) {
    const bool on = value.kind == Json::Kind::Bool && value.boolean;
    if (name == "type" && value.string != "BPE")
      refuse(fmt::format("tokenizer model {} is not supported", quote(value.string)));
    if (name == "byte_fallback") byte_fallback_ = on;
    if (name == "ignore_merges") spec_.whole_words_first = on;
    const bool affix = name == "continuing_subword_prefix" || name == "end_of_word_suffix";
    if (affix && !value.string.empty()) refuse(fmt::format("{} is not supported", name));
    if (name == "dropout" && value.number > 0) refuse("dropout is not supported");
  }
}

void PartReader::normalizer(const Json& j) {
  for_each(j, "normalizer", "normalizers", [&](const Json& part) {
    const std::string kind = type(part, "normalizer");
    const Json* pattern = part.find("pattern");
    if (kind == "NFC") {
      spec_.nfc = true;
    } else if (kind == "Prepend" && text(part, "prepend") == kSpaceMark) {
      spec_.prefix = Prefix::Always;
    } else if (kind == "Replace" && pattern && text(*pattern, "String") == " " &&
               text(part, "content") == kSpaceMark) {
      marks_spaces_ = true;
    } else {
      refuse(fmt::format("normalizer {} is not supported", quote(kind)));
    }
  });
}

void PartReader::split(const Json& j) {
  if (digits_apart_) refuse("pre-tokenizer Digits in front of a pattern");
  const Json* pattern = j.find("pattern");
  const std::string regex = pattern ? text(*pattern, "Regex") : "";
  const auto known = find_pattern(regex);
  if (!known || text(j, "behavior") != "Isolated" || is_on(j, "invert", false))
    refuse(fmt::format("the pre-tokenizer pattern {} is not supported", quote(regex)));
  spec_.pattern = *known;
}

void PartReader::metaspace(const Json& j) {
  const std::string scheme = text(j, "prepend_scheme");
  if (text(j, "replacement") != kSpaceMark || is_on(j, "split", true))
    refuse("pre-tokenizer Metaspace is supported with U+2581 and split off");
  marks_spaces_ = true;
  if (scheme == "first") {
    spec_.prefix = Prefix::FirstUnlessSpace;
  } else if (scheme != "never") {
    spec_.prefix = Prefix::UnlessSpace;
  }
}

void PartReader::pre_tokenizer(const Json& j) {
  for_each(j, "pre_tokenizer", "pretokenizers", [&](const Json& part) {
    const std::string kind = type(part, "pre_tokenizer");
    if (kind == "Split") {
      split(part);
    } else if (kind == "ByteLevel") {
      byte_level_ = true;
      if (is_on(part, "use_regex", true)) {
        if (spec_.pattern != Pattern::Whole) refuse("two pre-tokenizer patterns");
        spec_.pattern = digits_apart_ ? Pattern::SmolLm : Pattern::Gpt2;
      }
      if (is_on(part, "add_prefix_space", true)) spec_.prefix = Prefix::UnlessSpace;
    } else if (kind == "Metaspace") {
      metaspace(part);
    } else if (kind == "Digits" && is_on(part, "individual_digits", false)) {
      if (spec_.pattern != Pattern::Whole) refuse("pre-tokenizer Digits behind another pattern");
      digits_apart_ = true;
    } else {
      refuse(fmt::format("pre-tokenizer {} is not supported", quote(kind)));
    }
  });
}

std::vector<int32_t> PartReader::special_ids(const Json& j, const std::string& name) const {
  const Json* all = j.find("special_tokens");
  const Json* one = all ? all->find(name) : nullptr;
  const Json* ids = one ? one->find("ids") : nullptr;
  if (!ids || ids->kind != Json::Kind::Array)
    refuse(fmt::format("the post-processor does not say what {} is", quote(name)));
  std::vector<int32_t> out;
  for (const Json& id : ids->items) {
    if (!(id.number >= 0 && id.number < static_cast<double>(spec_.pieces.size())))
      refuse(fmt::format("the post-processor's {} has the id {}", quote(name), id.number));
    out.push_back(static_cast<int32_t>(id.number));
  }
  return out;
}

void PartReader::template_processing(const Json& j) {
  const Json* single = j.find("single");
  if (!single || single->kind != Json::Kind::Array) refuse("a TemplateProcessing without single");
  bool seen_text = false;
  for (const Json& item : single->items) {
    if (item.find("Sequence")) {
      seen_text = true;
    } else if (const Json* special = item.find("SpecialToken")) {
      const auto ids = special_ids(j, text(*special, "id"));
      auto& where = seen_text ? spec_.at_end : spec_.in_front;
      where.insert(where.end(), ids.begin(), ids.end());
    }
  }
}

void PartReader::post_processor(const Json& j) {
  for_each(j, "post_processor", "processors", [&](const Json& part) {
    const std::string kind = type(part, "post_processor");
    if (kind == "TemplateProcessing") {
      template_processing(part);
    } else if (kind != "ByteLevel") {
      refuse(fmt::format("post-processor {} is not supported", quote(kind)));
    }
  });
}

// Decoding follows from the spelling; a decoder that does something else is refused.
void PartReader::check_decoder(const Json& j) const {
  static const std::vector<std::string> kBytes{"ByteLevel"};
  static const std::vector<std::string> kFallback{"Replace", "ByteFallback", "Fuse", "Strip",
                                                  "Metaspace"};
  for_each(j, "decoder", "decoders", [&](const Json& part) {
    const std::string kind = type(part, "decoder");
    if (std::ranges::find(byte_level_ ? kBytes : kFallback, kind) ==
        (byte_level_ ? kBytes : kFallback).end())
      refuse(fmt::format("decoder {} is not supported here", quote(kind)));
  });
}

void PartReader::finish() {
  if (digits_apart_ && spec_.pattern != Pattern::SmolLm)
    refuse("pre-tokenizer Digits without the pattern of ByteLevel");
  if (byte_level_ == (byte_fallback_ && marks_spaces_))
    refuse("the vocabulary is spelled neither in bytes nor in characters with byte fallback");
  spec_.spelling = byte_level_ ? Spelling::ByteLevel : Spelling::ByteFallback;
}

}  // namespace

Json read_tree(JsonReader& r) {
  Json j;
  j.kind = r.peek();
  switch (j.kind) {
    case Json::Kind::Null: r.null(); break;
    case Json::Kind::Bool: j.boolean = r.boolean(); break;
    case Json::Kind::Number: j.number = r.number(); break;
    case Json::Kind::String: j.string = r.string(); break;
    case Json::Kind::Array:
      r.begin_array();
      while (r.next_item()) j.items.push_back(read_tree(r));
      break;
    case Json::Kind::Object:
      r.begin_object();
      while (const auto key = r.next_key()) {
        j.keys.emplace_back(*key);
        j.items.push_back(read_tree(r));
      }
      break;
  }
  return j;
}

void apply_parts(const Parts& parts, const ModelFlags& flags, const std::string& origin,
                 TokenizerSpec& spec) {
  PartReader reader(origin, spec);
  // Added tokens are pieces too, also those beyond the vocabulary.
  for (const AddedToken& t : spec.added) {
    const auto at = static_cast<std::size_t>(t.id);
    if (at >= spec.pieces.size()) spec.pieces.resize(at + 1);
    if (spec.pieces[at].empty()) spec.pieces[at] = t.content;
  }
  reader.flags(flags);
  reader.normalizer(parts.normalizer);
  reader.pre_tokenizer(parts.pre_tokenizer);
  reader.post_processor(parts.post_processor);
  reader.finish();
  reader.check_decoder(parts.decoder);
}

}  // namespace tilewright::tokens
