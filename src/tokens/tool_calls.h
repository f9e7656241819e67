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

// By the text of the chat template: "<tool_call>" in it is Tagged, or else "[TOOL_CALLS]" Listed,
// or else "\"parameters\"" together with "<|start_header_id|>" Bare. Nothing for a template that
// knows no tools.
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

class ToolParser {
 public:
  // The id of call i is `id_prefix` followed by i.
  ToolParser(ToolFormat format, std::string id_prefix, ToolArguments arguments);

  std::vector<ToolDelta> push(std::string_view text);
  std::vector<ToolDelta> finish();  // what was waiting; a call that is not complete is text
  std::size_t calls() const { return calls_; }

 private:
  std::size_t calls_ = 0;
};

}  // namespace tilewright::tokens
