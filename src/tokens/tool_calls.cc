#include "tilewright/tokens/tool_calls.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tilewright/tokens/marker.h"

namespace tilewright::tokens {
namespace {

constexpr std::string_view kTagOpen = "<tool_call>", kTagClose = "</tool_call>";
constexpr std::string_view kList = "[TOOL_CALLS]", kPython = "<|python_tag|>";

std::string_view marker_of(ToolFormat format) {
  switch (format) {
    case ToolFormat::Tagged: return kTagOpen;
    case ToolFormat::Listed: return kList;
    case ToolFormat::Bare: return kPython;
  }
  return {};
}

}  // namespace

std::optional<ToolFormat> find_tool_format(std::string_view chat_template) {
  const auto has = [&](std::string_view word) {
    return chat_template.find(word) != std::string_view::npos;
  };
  if (!has("tools")) return std::nullopt;
  if (has(kTagOpen)) return ToolFormat::Tagged;
  if (has(kList)) return has("[ARGS]") ? std::nullopt : std::optional(ToolFormat::Listed);
  if (has("<|start_header_id|>") && has("parameters")) return ToolFormat::Bare;
  return std::nullopt;
}

bool opens_tool_calls(std::string_view piece) { return piece == kList || piece == kPython; }

CallReader::Step CallReader::read(char c) {
  if (in_value_) return read_value(c);
  if (is_white(c)) return Step::More;
  switch (want_) {
    case Want::Open: want_ = Want::Key; return c == '{' ? Step::More : Step::Malformed;
    case Want::Colon: want_ = Want::Value; return c == ':' ? Step::More : Step::Malformed;
    case Want::CommaOrClose:
      want_ = Want::Key;
      if (c == '}') return in_arguments() ? Step::Done : Step::Malformed;
      return c == ',' ? Step::More : Step::Malformed;
    case Want::Key:
    case Want::Value: break;
  }
  const bool arguments = want_ == Want::Value && key_ == arguments_key_;
  if (c != (arguments ? '{' : '"')) return Step::Malformed;
  if (arguments && name_.empty()) return Step::Malformed;
  in_value_ = true;
  value_.clear();
  return read_value(c);
}

// Strings and objects; what is between their ends is looked at when they are complete.
CallReader::Step CallReader::read_value(char c) {
  value_ += c;
  if (want_ == Want::Value && key_ == arguments_key_) arguments_ += c;
  if (escaped_) {
    escaped_ = false;
  } else if (in_string_) {
    escaped_ = c == '\\';
    in_string_ = c != '"';
  } else if (c == '"') {
    in_string_ = true;
  } else if (c == '{' || c == '[') {
    ++depth_;
  } else if (c == '}' || c == ']') {
    --depth_;
  }
  return depth_ > 0 || in_string_ ? Step::More : end_value();
}

CallReader::Step CallReader::end_value() {
  in_value_ = false;
  const auto value = nlohmann::json::parse(value_, nullptr, false);
  if (value.is_discarded()) return Step::Malformed;
  if (want_ == Want::Key) {
    key_ = value.get<std::string>();
    want_ = Want::Colon;
    const bool again = (key_ == "name" && !name_.empty()) || in_arguments();
    const bool known = key_ == "name" || key_ == arguments_key_ || key_ == "type";
    return known && !again ? Step::More : Step::Malformed;
  }
  want_ = Want::CommaOrClose;
  if (key_ == "name") name_ = value.get<std::string>();
  if (key_ == "name" && name_.empty()) return Step::Malformed;
  return key_ == "type" && value != "function" ? Step::Malformed : Step::More;
}

ToolParser::ToolParser(ToolFormat format, std::string id_prefix, ToolArguments arguments)
    : format_(format),
      id_prefix_(std::move(id_prefix)),
      when_(arguments),
      where_(format == ToolFormat::Bare ? Where::Start : Where::Text),
      marker_(marker_of(format)),
      reader_(format == ToolFormat::Bare ? "parameters" : "arguments") {}

std::vector<ToolDelta> ToolParser::push(std::string_view text) {
  for (const char c : text) read(c);
  return std::exchange(out_, {});
}

std::vector<ToolDelta> ToolParser::finish() {
  if (where_ == Where::Call || where_ == Where::Before ||
      (where_ == Where::After && !raw_.empty())) {
    fail();
  } else {
    add_content((calls_ == 0 ? space_ : "") + matched_);
  }
  return std::exchange(out_, {});
}

void ToolParser::read(char c) {
  switch (where_) {
    case Where::Start:
      if (is_white(c) && matched_.empty()) {
        space_ += c;
      } else if (c == '{' && matched_.empty()) {
        open();
        where_ = Where::Call;
        read(c);
      } else {
        matched_ += c;
        if (marker_.starts_with(matched_)) {
          if (matched_ == marker_) open();
        } else {
          where_ = Where::Text;
          const std::string text = std::exchange(matched_, "");
          add_content(std::exchange(space_, "") + text);
        }
      }
      return;
    case Where::Text: return read_text(c);
    case Where::Before: return read_before(c);
    case Where::Call: return read_call(c);
    case Where::After: return read_after(c);
  }
}

void ToolParser::read_text(char c) {
  if (format_ == ToolFormat::Bare) {
    add_content(std::string_view(&c, 1));
    return;
  }
  if (!match_marker(marker_, c, space_, matched_, [&](const std::string& t) { add_content(t); }))
    return;
  matched_ = marker_;
  open();
}

// White space and marker are text again if the call fails.
void ToolParser::open() {
  raw_ = std::exchange(space_, "") + std::exchange(matched_, "");
  where_ = Where::Before;
  in_list_ = false;
  begin_call();
}

void ToolParser::begin_call() {
  reader_ = CallReader(format_ == ToolFormat::Bare ? "parameters" : "arguments");
  named_ = false;
  closing_ = 0;
}

void ToolParser::read_before(char c) {
  if (is_white(c)) {
    raw_ += c;
  } else if (format_ == ToolFormat::Listed && !in_list_ && c == '[') {
    raw_ += c;
    in_list_ = true;
  } else if (format_ == ToolFormat::Listed && !in_list_) {
    raw_ += c;
    fail();
  } else {
    where_ = Where::Call;
    read_call(c);
  }
}

void ToolParser::read_call(char c) {
  const std::size_t given = reader_.arguments().size();
  const CallReader::Step step = reader_.read(c);
  raw_ += c;
  if (step == CallReader::Step::Malformed) return fail();
  if (when_ == ToolArguments::AsTheyCome && reader_.in_arguments()) {
    give_name();
    add_arguments(std::string_view(reader_.arguments()).substr(given));
  }
  if (step == CallReader::Step::Done) {
    where_ = Where::After;
    if (format_ != ToolFormat::Tagged) end_call();
  }
}

// "</tool_call>"; or a comma or the bracket of a list; or what stands between calls that are bare.
void ToolParser::read_after(char c) {
  raw_ += c;
  if (is_white(c) && closing_ == 0) {
    if (format_ != ToolFormat::Tagged) raw_.clear();
    return;
  }
  switch (format_) {
    case ToolFormat::Tagged:
      if (c != kTagClose[closing_]) return fail();
      if (++closing_ < kTagClose.size()) return;
      end_call();
      where_ = Where::Text;
      return;
    case ToolFormat::Listed:
      if (c == ',') {
        begin_call();
        where_ = Where::Before;
      } else if (c == ']') {
        raw_.clear();
        where_ = Where::Text;
      } else {
        fail();
      }
      return;
    case ToolFormat::Bare:
      if (c != ';') return fail();
      raw_.clear();
      where_ = Where::Start;
      return;
  }
}

void ToolParser::give_name() {
  if (named_) return;
  named_ = true;
  const std::size_t index = calls_++;
  ToolDelta first;
  first.call = index;
  first.id = id_prefix_ + std::to_string(index);
  first.name = reader_.name();
  out_.push_back(std::move(first));
}

void ToolParser::end_call() {
  if (when_ == ToolArguments::WhenComplete) {
    give_name();
    add_arguments(reader_.arguments());
  }
  raw_.clear();
  named_ = false;
}

void ToolParser::fail() {
  where_ = Where::Text;
  // Pieces that were given away cannot be taken back; what is left of the call is dropped.
  if (!named_) add_content(raw_);
  raw_.clear();
}

void ToolParser::add_content(std::string_view text) {
  if (text.empty()) return;
  if (out_.empty() || out_.back().call) out_.emplace_back();
  out_.back().content += text;
}

void ToolParser::add_arguments(std::string_view text) {
  if (text.empty()) return;
  if (out_.empty() || out_.back().call != calls_ - 1 || !out_.back().name.empty()) {
    out_.emplace_back();
    out_.back().call = calls_ - 1;
  }
  out_.back().arguments += text;
}

}  // namespace tilewright::tokens
