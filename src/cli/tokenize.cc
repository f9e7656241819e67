// `tokenize`: the tokens of a text, one per line or as a list.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/base/utf8.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/model_run.h"

namespace tilewright::cli {
namespace {

// Bytes as a person can read them: what is not a printable character is written in hexadecimal.
std::string readable(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Char c = decode_utf8(bytes, at);
    if (c.code == '\n') {
      out += "\\n";
    } else if (c.code == '\t') {
      out += "\\t";
    } else if (c.code < 0x20 || c.code == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[at]));
    } else {
      out += bytes.substr(at, c.size);
    }
    at += c.size;
  }
  return out;
}

int run_tokenize(const Context& c) {
  const std::string path = c.model_path();
  const std::string text = given_text(c);
  const models::transformer::ModelText model = models::transformer::load_text(path);
  const std::vector<int32_t> ids =
      model.tokenizer->encode(text, {.surround = !c.args.has("--no-bos"),
                                     .special_in_text = !c.args.has("--no-parse-special")});
  if (c.args.has("--ids")) {
    c.out << list_text({ids.begin(), ids.end()}) << "\n";
  } else {
    for (const int32_t id : ids)
      c.out << fmt::format("{:>6} -> '{}'\n", id, readable(model.tokenizer->bytes(id)));
  }
  if (c.args.has("--show-count")) c.out << fmt::format("total number of tokens: {}\n", ids.size());
  return kFine;
}

constexpr Flag kIds{"", "--ids", "", "prints only the token ids, as a list"};
constexpr Flag kShowCount{"", "--show-count", "", "also prints the number of tokens"};
constexpr Flag kNoBos{"", "--no-bos", "", "omits the begin-of-text token of the model"};
constexpr Flag kNoSpecial{"", "--no-parse-special", "", "treats special tokens in the text as plain text"};

}  // namespace

const Command& tokenize_command() {
  static const Command kCommand{
      .name = "tokenize",
      .operand = "",
      .summary = "prints the tokens of a text",
      .flags = {kModel, kPrompt, kTextFile, kIds, kShowCount, kNoBos, kNoSpecial, kHelp},
      .examples = {"tokenize -m qwen3-0.6b -p 'Hello, world!'",
                   "tokenize -m qwen3-0.6b -f story.txt --ids"},
      .run = run_tokenize,
  };
  return kCommand;
}

}  // namespace tilewright::cli
