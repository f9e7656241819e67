// `tokenize`: the tokens of a text, one per line or as a list.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/base/utf8.h"
#include "tilewright/cli/context.h"
#include "tilewright/models/whole/text.h"

namespace tilewright::cli {
namespace {

std::string text_to_cut(const Context& c) {
  if (c.args.has("--prompt") == c.args.has("--file"))
    user_error("command-line", "tokenize needs one text", "",
               "the text is given with -p, or stands in the file given with -f",
               fmt::format("write for example {} tokenize -m DIR -p Hello", c.terminal.name));
  if (c.args.has("--prompt")) return c.args.text("--prompt");
  const std::string path = c.args.text("--file");
  std::ifstream in(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    user_error("model-file", fmt::format("cannot read {}", path), "",
               "the file with the text must be readable", "check the path and its permissions");
  return text.str();
}

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

}  // namespace

int tokenize_command(const Context& c) {
  const std::string path = c.model_path();
  const std::string text = text_to_cut(c);
  const models::whole::ModelText model = models::whole::load_text(path);
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

}  // namespace tilewright::cli
