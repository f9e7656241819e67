// Calls of tools in the text that a model writes: the form of its family, and the calls read from
// the text while it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tokens {

// How a family writes a call.
enum class ToolFormat : uint8_t {
  Tagged,  // <tool_call>\n{"name": N, "arguments": A}\n</tool_call>, any number of them: Qwen
  Bare,    // {"name": N, "parameters": A}, perhaps after <|python_tag|>: Llama 3
  Listed,  // [TOOL_CALLS] [{"name": N, "arguments": A}, ...]: Mistral
};

// By the text of the chat template, which must name `tools`: "<tool_call>" in it is Tagged; or else
// "[TOOL_CALLS]" without "[ARGS]" is Listed; or else "<|start_header_id|>" with "parameters" is
// Bare. Nothing for all others.
std::optional<ToolFormat> find_tool_format(std::string_view chat_template);

// True for special tokens that open calls, such as "[TOOL_CALLS]": the parser must see them as
// text, though decoding leaves special tokens out. `piece` is Tokenizer::piece.
bool opens_tool_calls(std::string_view piece);

// What becomes certain of an answer, in the order of the text: content, or a piece of a call. The
// first piece of a call has its id and name, and no arguments; later ones have arguments.
struct ToolDelta {
  std::string content;
  std::optional<std::size_t> call;  // the index of the call; nothing: `content` is text
  std::string id, name;             // of the first piece of a call
  std::string arguments;            // what comes next of the JSON text of the arguments
};

// When the arguments of a call are given away.
enum class ToolArguments : uint8_t {
  AsTheyCome,    // a constraint keeps them well-formed
  WhenComplete,  // nothing does: a call that turns out malformed stays text
};

// One call, {"name": ..., "arguments": {...}}, byte by byte.
class CallReader {
 public:
  enum class Step : uint8_t { More, Done, Malformed };

  explicit CallReader(std::string_view arguments_key) : arguments_key_(arguments_key) {}

  Step read(char c);
  // Complete and decoded once the arguments begin.
  const std::string& name() const { return name_; }
  const std::string& arguments() const { return arguments_; }  // so far, as they are written
  bool in_arguments() const { return !arguments_.empty(); }

 private:
  enum class Want : uint8_t { Open, Key, Colon, Value, CommaOrClose };

  Step read_value(char c);
  Step end_value();

  std::string_view arguments_key_;
  Want want_ = Want::Open;
  bool in_value_ = false;  // of a key, or the key itself
  std::string value_;
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false;
  std::string key_, name_, arguments_;
};

class ToolParser {
 public:
  // The id of call i is `id_prefix` followed by i.
  ToolParser(ToolFormat format, std::string id_prefix, ToolArguments arguments);

  std::vector<ToolDelta> push(std::string_view text);
  std::vector<ToolDelta> finish();  // what was waiting; a call that is not complete is text
  std::size_t calls() const { return calls_; }  // those that began

 private:
  enum class Where : uint8_t {
    Start,   // Bare: nothing yet but white space
    Text,    // looks for the marker that opens calls
    Before,  // white space, and the bracket of a list
    Call,
    After,  // what closes a call or the list
  };

  void read(char c);
  void read_text(char c);
  void read_before(char c);
  void read_call(char c);
  void read_after(char c);
  void open();
  void begin_call();
  void end_call();
  void give_name();
  void fail();  // what is not given away is text
  void add_content(std::string_view text);
  void add_arguments(std::string_view text);

  ToolFormat format_;
  std::string id_prefix_;
  ToolArguments when_;
  Where where_;
  std::string_view marker_;
  CallReader reader_;
  std::string space_, matched_;  // in text: white space, and the beginning of a marker
  std::string raw_;              // what a call is written as so far, to be text if it fails
  bool in_list_ = false, named_ = false;
  std::size_t closing_ = 0;  // bytes of "</tool_call>"
  std::size_t calls_ = 0;
  std::vector<ToolDelta> out_;
};

}  // namespace tilewright::tokens
