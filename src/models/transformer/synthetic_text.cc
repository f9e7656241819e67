#include "tilewright/models/transformer/synthetic_text.h"

#include <fmt/format.h>

#include <array>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/tokens/byte_alphabet.h"

namespace tilewright::models::transformer {
namespace {

constexpr std::array<const char*, 5> kSpecial{"<|endoftext|>", "<|im_start|>", "<|im_end|>",
                                              "<think>", "</think>"};
constexpr int64_t kBytes = 256;
constexpr int64_t kSpecials = kSpecial.size();

// Pairs of pieces that are there by the time they merge; a dot is a space.
constexpr std::array<std::array<const char*, 2>, 24> kMerges{
    {{".", "t"}, {"h", "e"},  {".t", "he"}, {"i", "n"},  {"e", "r"},   {".", "a"},
     {"o", "n"}, {"r", "e"},  {".", "s"},   {"a", "t"},  {"e", "n"},   {"o", "r"},
     {".", "w"}, {"in", "g"}, {"o", "u"},   {".a", "n"}, {".an", "d"}, {"i", "s"},
     {".", "b"}, {"e", "s"},  {".t", "o"},  {"l", "l"},  {".", "o"},   {".o", "f"}}};

constexpr const char* kPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+)";

constexpr const char* kTemplate =
    "{%- for message in messages %}\\n"
    "    {{- '<|im_start|>' + message.role + '\\\\n' + message.content + '<|im_end|>\\\\n' }}\\n"
    "{%- endfor %}\\n"
    "{%- if add_generation_prompt %}\\n"
    "    {{- '<|im_start|>assistant\\\\n' }}\\n"
    "    {%- if enable_thinking is defined and enable_thinking is false %}\\n"
    "        {{- '<think>\\\\n\\\\n</think>\\\\n\\\\n' }}\\n"
    "    {%- endif %}\\n"
    "{%- endif %}";

std::string piece(std::string_view dotted) {
  std::string out;
  for (const char c : dotted)
    out += tokens::character_of_byte(c == '.' ? ' ' : static_cast<uint8_t>(c));
  return out;
}

std::string as_json(const std::string& s) {
  return s == "\"" || s == "\\" ? "\"\\" + s + "\"" : "\"" + s + "\"";
}

std::string vocabulary(int64_t merges) {
  std::string out;
  int64_t id = 0;
  const auto add = [&](const std::string& p) {
    out += fmt::format("{}{}: {}", id ? ", " : "", as_json(p), id);
    ++id;
  };
  for (int b = 0; b < kBytes; ++b) add(tokens::character_of_byte(static_cast<uint8_t>(b)));
  for (int64_t i = 0; i < merges; ++i) {
    const auto& [left, right] = kMerges[static_cast<std::size_t>(i)];
    add(piece(left) + piece(right));
  }
  return "{" + out + "}";
}

std::string merge_list(int64_t merges) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < merges; ++i) {
    const auto& [left, right] = kMerges[static_cast<std::size_t>(i)];
    out.push_back(fmt::format("[\"{}\", \"{}\"]", piece(left), piece(right)));
  }
  return "[" + join(out, ", ") + "]";
}

std::string added_tokens(int64_t first) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < kSpecials; ++i) {
    const std::string_view content = kSpecial[static_cast<std::size_t>(i)];
    out.push_back(
        fmt::format("{{\"id\": {}, \"content\": \"{}\", \"single_word\": false, \"lstrip\": false, "
                    "\"rstrip\": false, \"normalized\": false, \"special\": {}}}",
                    first + i, content, content.starts_with("<|")));
  }
  return "[" + join(out, ",\n    ") + "]";
}

}  // namespace

SyntheticText synthetic_text(int64_t vocab) {
  if (vocab < kBytes + kSpecials)
    user_error("shape", fmt::format("a vocabulary of {}", vocab), "in the shape",
               fmt::format("a tokenizer has {} bytes and {} special tokens", kBytes, kSpecials),
               "choose a larger vocabulary");
  const int64_t merges = std::min<int64_t>(kMerges.size(), vocab - kBytes - kSpecials);
  const int64_t first_special = kBytes + merges;
  const std::string byte_level =
      R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false})";
  SyntheticText text;
  text.stop_ids = {first_special + 2, first_special};  // <|im_end|>, <|endoftext|>
  text.tokenizer = fmt::format(
      "{{\"version\": \"1.0\", \"truncation\": null, \"padding\": null,\n"
      "  \"added_tokens\": {},\n"
      "  \"normalizer\": {{\"type\": \"NFC\"}},\n"
      "  \"pre_tokenizer\": {{\"type\": \"Sequence\", \"pretokenizers\": [\n"
      "    {{\"type\": \"Split\", \"pattern\": {{\"Regex\": \"{}\"}}, \"behavior\": \"Isolated\", "
      "\"invert\": false}},\n"
      "    {}]}},\n"
      "  \"post_processor\": {},\n"
      "  \"decoder\": {},\n"
      "  \"model\": {{\"type\": \"BPE\", \"dropout\": null, \"unk_token\": null, "
      "\"continuing_subword_prefix\": \"\",\n"
      "    \"end_of_word_suffix\": \"\", \"fuse_unk\": false, \"byte_fallback\": false, "
      "\"ignore_merges\": false,\n"
      "    \"vocab\": {},\n"
      "    \"merges\": {}}}}}\n",
      added_tokens(first_special), kPattern, byte_level, byte_level, byte_level, vocabulary(merges),
      merge_list(merges));
  text.tokenizer_config = fmt::format(
      "{{\"tokenizer_class\": \"PreTrainedTokenizerFast\", \"bos_token\": null, \"eos_token\": "
      "\"<|im_end|>\",\n"
      "  \"chat_template\": \"{}\"}}\n",
      kTemplate);
  text.generation_config = fmt::format("{{\"eos_token_id\": {}}}\n", list_text(text.stop_ids));
  return text;
}

}  // namespace tilewright::models::transformer
