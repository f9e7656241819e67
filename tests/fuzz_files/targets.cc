#include "targets.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "../checkpoint/support.h"
#include "modules.h"
#include "recordings.h"
#include "requests.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/checkpoint/safetensors.h"
#include "tilewright/checkpoint/shard_index.h"
#include "tilewright/data/npy.h"
#include "tilewright/data/npy_elements.h"
#include "tilewright/tokens/chat.h"
#include "tilewright/tokens/grammar/schema.h"
#include "tilewright/tokens/stream.h"
#include "tilewright/tokens/tokenizer.h"

namespace fuzz_files {
namespace {

using namespace tilewright;
using namespace tilewright::checkpoint;
using checkpoint_test::as_bytes;
using checkpoint_test::small_config;

std::string read_file(const std::string& name) {
  std::ifstream in(std::string(TILEWRIGHT_FIXTURES) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void require(bool condition) {
  if (!condition) std::abort();
}

// First and last row of every tensor that has numbers.
void read_ends(const std::vector<TensorView>& tensors) {
  for (const TensorView& t : tensors) {
    if (t.shape.empty() || t.rows() == 0 || t.cols() == 0 || t.cols() > 1 << 20) continue;
    std::vector<float> row(static_cast<std::size_t>(t.cols()));
    read_row(t, 0, row);
    read_row(t, t.rows() - 1, row);
  }
}

void run_safetensors(const std::string& bytes) {
  auto tensors = read_safetensors(as_bytes(bytes), "f");
  read_ends(tensors);
  bind_weights(small_config(Family::Qwen3, true), Naming::HuggingFace, std::move(tensors), "f");
}

void run_gguf(const std::string& bytes) {
  GgufFile file = read_gguf(as_bytes(bytes), "f");
  read_ends(file.tensors);
  for (const auto& [key, value] : file.values) {
    value.integer();
    value.number();
    value.strings();
    value.numbers();
  }
  const ModelConfig config = config_from_gguf(file, "f");
  bind_weights(config, Naming::Gguf, std::move(file.tensors), "f");
}

void run_config(const std::string& bytes) {
  const ModelConfig c = config_from_json(bytes, "f");
  const ModelConfig again = config_from_json(config_to_json(c, "float32", {1}), "f");
  require(again.hidden == c.hidden && again.rope_theta == c.rope_theta && again.tied == c.tied);
}

ModelConfig scaled_config() {
  ModelConfig c = small_config(Family::Llama, false);
  c.rope = {.type = RopeScaling::Type::Yarn, .factor = 4, .original_positions = 32};
  return c;
}

void run_index(const std::string& bytes) { read_shard_index(bytes, "f"); }

// A tokenizer that loads can spell every text and take it back.
void run_tokenizer(const std::string& bytes) {
  const tokens::Tokenizer t(tokens::read_tokenizer_json(bytes, "f"), "f");
  for (const std::string text :
       {"Hello  world\n", "\xFF\xE4\xBD\xA0 12", "", "<|im_end|> the the"}) {
    const auto ids = t.encode(text);
    t.decode(ids);
    tokens::TextStream stream(t);
    for (const int32_t id : ids) stream.push(id);
    stream.finish();
  }
}

// Texts for a tokenizer that is known to be good.
void run_text(const std::string& bytes) {
  static const tokens::Tokenizer t(tokens::read_tokenizer_json(read_file("small.json"), "f"), "f");
  const auto ids = t.encode(bytes);
  require(t.encode(t.decode(ids)).size() <= t.decode(ids).size());
  require(t.decode(t.encode(bytes, {.surround = true, .special_in_text = false})) == t.decode(ids));
}

void run_template(const std::string& bytes) {
  const tokens::ChatTemplate t(bytes, "f", "<s>", "</s>");
  t.render({{"system", "Be brief."},
            {"user", "Hi"},
            {"assistant", "<think>x</think>Yes"},
            {"user", "?"}});
}

// A schema that compiles never leaves a text without a next token.
void run_schema(const std::string& bytes) {
  static const tokens::Tokenizer t(tokens::read_tokenizer_json(read_file("fallback.json"), "f"),
                                   "f");
  static const int32_t kEnd = 2;  // </s>
  static const auto vocabulary =
      std::make_shared<const tokens::grammar::Vocabulary>(t, std::vector<int32_t>{kEnd});
  const auto constraint = tokens::grammar::compile_schema(bytes, "f", vocabulary)->constraint();
  for (int32_t i = 0; i < 60; ++i) {
    const tokens::TokenSet& allowed = constraint->allowed();
    int32_t id = i * 7919 % t.size();
    for (int32_t k = 0; k < t.size() && !allowed.contains(id); ++k) id = (id + 1) % t.size();
    require(allowed.contains(id));
    if (id == kEnd) return;
    constraint->accept(id);
  }
}

std::vector<std::string> schema_seeds() {
  return {
      R"({"type":"object","properties":{"a":{"type":"integer","minimum":-5,"maximum":120},
          "b":{"enum":["x",1.5,null,{"k":[true]}]}},"required":["a"],"additionalProperties":true})",
      R"({"$defs":{"n":{"anyOf":[{"$ref":"#/$defs/l"},{"type":"null"}]},"l":{"type":"object",
          "properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]}},"$ref":"#/$defs/l"})",
      R"({"type":"array","items":{"oneOf":[{"type":"string","minLength":1,"maxLength":9},
          {"type":"number","exclusiveMinimum":0.5}]},"prefixItems":[true],"minItems":1,"maxItems":4})",
      R"({"allOf":[{"type":["string","null"],"pattern":"^(a|[^b-d\\u00e9]{2,4})+\\d?$"},
          {"title":"t","format":"date"}]})",
      R"({"type":"string","pattern":"^[\\w.]+@(?:x|y){1,3}$"})"};
}

// What is read of a file is what is read of its copy in C order.
void run_npy(const std::string& bytes) {
  std::istringstream file(bytes);
  const data::NpyHeader header = data::read_npy_header(file, "f");
  const DType dtype = header.type.kind == 'f' ? DType::F32 : DType::I64;
  file.seekg(0);
  const HostArray array = data::read_npy(file, "f", dtype, header.shape);
  std::istringstream copy(data::npy_header(data::npy_type(dtype), header.shape) +
                          std::string(reinterpret_cast<const char*>(array.data()),
                                      static_cast<std::size_t>(array.byte_size())));
  require(data::read_npy(copy, "f", dtype, header.shape).same_bits(array));
}

std::vector<std::string> npy_seeds() {
  const std::string zeros(48, '\0');
  std::string fortran = data::npy_header({'i', 8}, {2, 3});
  fortran.replace(fortran.find("False"), 5, "True ");
  return {data::npy_header({'f', 4}, {3, 4}) + zeros, fortran + zeros,
          data::npy_header({'b', 1}, {48}) + zeros,
          data::npy_header({'u', 8}, {}) + zeros.substr(40)};
}

std::vector<std::string> template_seeds() {
  std::vector<std::string> out;
  for (const auto& c : nlohmann::json::parse(read_file("chats.json")))
    if (c["template"].contains("text")) out.push_back(c["template"]["text"]);
  return out;
}

std::vector<std::string> text_seeds() {
  std::vector<std::string> out;
  for (const auto& c : nlohmann::json::parse(read_file("small.cases.json")))
    if (c[0].is_string()) out.push_back(c[0]);
  return out;
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all{
      {"safetensors",
       run_safetensors,
       {checkpoint_test::small_safetensors(small_config(Family::Qwen3, true))}},
      {"gguf",
       run_gguf,
       {checkpoint_test::small_gguf(small_config(Family::Qwen3, true)),
        checkpoint_test::small_gguf(small_config(Family::Llama, false)),
        checkpoint_test::small_gguf(small_config(Family::Qwen3Moe, true))}},
      {"config",
       run_config,
       {config_to_json(small_config(Family::Qwen3, true), "float32", {1, 2}),
        config_to_json(small_config(Family::Mistral, true), "float32", {1, 2}),
        config_to_json(small_config(Family::Qwen3Moe, true), "float32", {1, 2}),
        config_to_json(scaled_config(), "float32", {1, 2})}},
      {"index",
       run_index,
       {R"({"metadata":{"total_size":1},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})"}},
      {"tokenizer", run_tokenizer, {read_file("small.json"), read_file("fallback.json")}},
      {"text", run_text, text_seeds()},
      {"template", run_template, template_seeds()},
      {"schema", run_schema, schema_seeds()},
      {"npy", run_npy, npy_seeds()},
      {"modules", run_modules, module_seeds()},
      {"recording", run_recording, recording_seeds()},
      {"chat_request", run_chat_request, chat_request_seeds()},
      {"text_request", run_text_request, text_request_seeds()},
  };
  return all;
}

}  // namespace fuzz_files
