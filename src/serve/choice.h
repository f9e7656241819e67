// One answer as it is made: tokens in; text, what the model thought, and probabilities out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/runtime/request.h"
#include "tilewright/tokens/reasoning.h"
#include "tilewright/tokens/stop_texts.h"
#include "tilewright/tokens/stream.h"
#include "tilewright/tokens/tokenizer.h"
#include "tilewright/tokens/tool_calls.h"

namespace tilewright::serve {

// A token with its bytes, for answers with probabilities.
struct TokenText {
  struct Other {
    std::string bytes;
    double logprob = 0;
  };
  std::string bytes;
  double logprob = 0;
  std::vector<Other> best;
  std::size_t offset = 0;  // of its text in the answer, in bytes
};

// What became certain with a token. Text that may still become a stop is not, nor are its tokens.
struct Delta {
  std::string content, reasoning;
  std::vector<tokens::ToolDelta> calls;  // pieces of them, without content
  std::vector<TokenText> tokens;
  bool empty() const {
    return content.empty() && reasoning.empty() && calls.empty() && tokens.empty();
  }
};

class Choice {
 public:
  struct Options {
    bool at_start = false;  // the answer begins a text
    bool logprobs = false;
    std::vector<std::string> stops = {};
    bool reasons = false, opened = false;  // thoughts are told apart; the prompt has opened them
    std::optional<tokens::ToolFormat> tools = {};
    std::string call_ids = {};  // what ids of calls begin with
  };
  Choice(const tokens::Tokenizer& tokenizer, const Options& options);

  Delta push(const runtime::Chosen& chosen);
  // A stop is complete: no further token counts.
  bool stopped() const { return stops_.stopped(); }
  // What was waiting.
  Delta finish(const runtime::Answer& answer);
  bool ended() const { return ended_.has_value(); }

  // All of it so far; calls are whole.
  const Delta& all() const { return all_; }
  bool has_logprobs() const { return options_.logprobs; }
  int64_t token_count() const { return token_count_; }
  bool failed() const { return ended_ == runtime::Ended::Failed; }
  // As the API says why an answer ended: "stop", "length" or "tool_calls".
  std::string_view finish_reason() const;

 private:
  // A token whose text begins and ends at these bytes of all that was made.
  struct Waiting {
    TokenText token;
    std::size_t end = 0;
  };
  TokenText text_of(const runtime::Chosen& chosen) const;
  std::string bytes_of(int32_t id) const;
  // What becomes of text that is certain; at the end, of what the readers held back.
  Delta given(const std::string& text, bool at_end);
  void read_thoughts(const std::string& text, bool at_end, Delta& delta);
  void read_calls(const std::string& text, bool at_end, Delta& delta);
  void add(const tokens::ToolDelta& piece, Delta& delta);

  const tokens::Tokenizer& tokenizer_;
  Options options_;
  tokens::TextStream stream_;
  tokens::StopTexts stops_;
  std::optional<tokens::ReasoningSplitter> thoughts_;
  std::optional<tokens::ToolParser> calls_;
  std::vector<Waiting> waiting_;
  std::size_t certain_ = 0;  // bytes of text that no stop takes back
  Delta all_;
  int64_t token_count_ = 0;
  std::size_t made_ = 0;  // bytes of text, also of text that waits
  std::optional<runtime::Ended> ended_;
};

}  // namespace tilewright::serve
