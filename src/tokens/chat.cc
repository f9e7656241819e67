#include "tilewright/tokens/chat.h"

#include <fmt/format.h>

#include <filesystem>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json.h"
#include "tilewright/tokens/jinja/evaluate.h"
#include "tilewright/tokens/model_file.h"

namespace tilewright::tokens {
namespace {

namespace fs = std::filesystem;

// A token is written as its text, or as an object with its text in "content".
std::string token_text(const Json& config, std::string_view key) {
  const Json* token = config.find(key);
  if (token && token->kind == Json::Kind::Object) token = token->find("content");
  return token && token->kind == Json::Kind::String ? token->string : "";
}

// Some models have several; the one called "default" is for conversations.
std::optional<std::string> template_in(const Json& config) {
  const Json* source = config.find("chat_template");
  if (!source) return std::nullopt;
  if (source->kind == Json::Kind::String) return source->string;
  for (const Json& named : source->items) {
    const Json* name = named.find("name");
    const Json* text = named.find("template");
    if (name && text && name->string == "default") return text->string;
  }
  return std::nullopt;
}

}  // namespace

ChatTemplate::ChatTemplate(std::string_view source, const std::string& origin, std::string bos,
                           std::string eos)
    : source_(source),
      origin_(origin),
      bos_(std::move(bos)),
      eos_(std::move(eos)),
      statements_(jinja::parse_template(source, origin)) {}

std::string ChatTemplate::run(jinja::Dict variables) const {
  jinja::Scope scope;
  scope.names["bos_token"] = jinja::Value(bos_);
  scope.names["eos_token"] = jinja::Value(eos_);
  for (auto& [name, value] : variables.items) scope.names[name] = std::move(value);
  return jinja::Evaluator(origin_).run(statements_, scope);
}

std::string ChatTemplate::render(const std::vector<Message>& messages,
                                 const ChatOptions& options) const {
  jinja::List list;
  for (const Message& m : messages) {
    jinja::Dict dict;
    dict.set("role", jinja::Value(m.role));
    dict.set("content", jinja::Value(m.content));
    list.emplace_back(std::move(dict));
  }
  jinja::Dict variables;
  variables.set("messages", std::move(list));
  variables.set("add_generation_prompt", options.open_answer);
  if (options.thinking) variables.set("enable_thinking", *options.thinking);
  return run(std::move(variables));
}

std::string ChatTemplate::render_json(std::string_view variables, const std::string& origin) const {
  JsonReader reader(variables, origin);
  const jinja::Value v = jinja::from_json(reader);
  reader.finish();
  if (!v.dict()) reader.fail("an object with the template's variables is expected");
  return run(*v.dict());
}

ChatSource load_chat_source(const std::string& directory) {
  const fs::path own = fs::path(directory) / "chat_template.jinja";
  const fs::path config = fs::path(directory) / "tokenizer_config.json";
  ChatSource out;
  Json root;
  if (fs::exists(config)) root = parse_json(read_model_text(config), config.string());
  out.bos = token_text(root, "bos_token");
  out.eos = token_text(root, "eos_token");
  if (fs::exists(own)) {
    out.text = read_model_text(own);
    out.origin = own.string();
  } else {
    out.text = template_in(root);
    out.origin = config.string();
  }
  return out;
}

std::optional<ChatTemplate> load_chat_template(const std::string& directory) {
  const ChatSource source = load_chat_source(directory);
  if (!source.text) return std::nullopt;
  return ChatTemplate(*source.text, source.origin, source.bos, source.eos);
}

}  // namespace tilewright::tokens
