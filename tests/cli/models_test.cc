// Models on the command line: make-model, info, tokenize.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support.h"

namespace tilewright::cli {
namespace {

// A tiny model, made once.
const std::string& tiny_model() {
  static const TemporaryDirectory dir;
  static const std::string path = [] {
    const Outcome o = call("make-model --shape tiny -o " + (dir / "tiny"));
    EXPECT_EQ(o.code, kFine) << o.err;
    EXPECT_EQ(o.out, (dir / "tiny") + ": 426752 parameters, 833.5 KiB\n");
    return dir / "tiny";
  }();
  return path;
}

TEST(Info, CountsTheMemoryOfTheCacheThatIsChosen) {
  const auto per_token = [](const std::string& flags) {
    const Outcome o = call("info --json - -m " + tiny_model() + flags);
    EXPECT_EQ(o.code, kFine) << o.err;
    return Json::parse(o.out)["memory_cache_per_token"];
  };
  EXPECT_EQ(per_token(""), 512);  // 2 layers x 64 numbers x K and V x 2 bytes
  EXPECT_EQ(per_token(" --cache-type f16"), 512);
  EXPECT_EQ(per_token(" --cache-type f32"), 1024);
}

TEST(MakeModel, MayHaveFewerLayers) {
  const TemporaryDirectory dir;
  const Outcome made = call("make-model --shape tiny --layers 1 -o " + (dir / "m"));
  EXPECT_EQ(made.code, kFine) << made.err;
  EXPECT_TRUE(contains(call("info -m " + (dir / "m")).out, "  layers       1, 128 wide"));
}

TEST(Info, SaysWhatAModelIsAndTakes) {
  const Outcome o = call("info -c 1024 -m " + tiny_model());
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(
      contains(o.out,
               tiny_model() +
                   ": qwen3, safetensors in 1 file\n"
                   "  layers       2, 128 wide, MLP 256\n"
                   "  attention    8 heads of 32, 2 for keys and values, q and k normalised\n"
                   "  context      up to 40960 tokens, RoPE theta 1e+06\n"
                   "  vocabulary   512, embeddings tied\n"
                   "  parameters   426752\n"
                   "  weights      833.5 KiB BF16\n"
                   "  tokenizer    285 tokens, chat template present\n"
                   "  stops at     282 <|im_end|>, 280 <|endoftext|>\n"
                   "\n"
                   "memory with a context of 1024 tokens:\n"
                   "  weights      835 KiB in BF16\n"
                   "  KV cache     512 KiB, 512 B per token\n"))
      << o.out;
}

TEST(Info, AsJson) {
  const auto j = nlohmann::json::parse(call("info --json - -m " + tiny_model()).out);
  EXPECT_EQ(j["model_type"], "qwen3");
  EXPECT_EQ(j["weight_bytes"]["BF16"], 426752 * 2);
  EXPECT_EQ(j["memory_cache_per_token"], 512);
  EXPECT_EQ(j["context"], 4096);
}

TEST(Tokenize, ListsTokensOrIds) {
  EXPECT_EQ(call("tokenize -p then -m " + tiny_model()).out,
            "   116 -> 't'\n"
            "   257 -> 'he'\n"
            "   110 -> 'n'\n");
  EXPECT_EQ(call("tokenize --ids --show-count -p <|im_end|> -m " + tiny_model()).out,
            "[282]\ntotal number of tokens: 1\n");
  EXPECT_TRUE(
      contains(call("tokenize --no-parse-special -p <|im_end|> -m " + tiny_model()).out, "'|'"));
}

TEST(Tokenize, TextFromAFile) {
  const TemporaryDirectory dir;
  std::ofstream(dir.path / "text", std::ios::binary) << "the\n\xFF\x01\xE4\xBD\xA0";
  const Outcome o = call("tokenize -f " + (dir / "text") + " -m " + tiny_model());
  EXPECT_EQ(o.code, kFine);
  EXPECT_TRUE(contains(o.out, " -> '\\n'\n"));
  EXPECT_TRUE(contains(o.out, " -> '\\xff'\n"));
  EXPECT_TRUE(contains(o.out, " -> '\\x01'\n"));
}

struct ModelMistake {
  const char* line;  // MODEL stands for the tiny model
  const char* what;
};
class ModelMistakes : public testing::TestWithParam<ModelMistake> {};

TEST_P(ModelMistakes, ExitWithTwoAndFourLines) {
  std::string line = GetParam().line;
  if (const auto at = line.find("MODEL"); at != std::string::npos)
    line.replace(at, 5, tiny_model());
  const Outcome o = call(line);
  EXPECT_EQ(o.code, kMistake);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(contains(o.err, GetParam().what)) << o.err;
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 4) << o.err;
}

// How to obtain one is told: what is small, and what is public; for a repository, how that one is.
TEST(MissingModel, SaysHowToObtainAModel) {
  for (const char* line :
       {"generate -p x", "generate -p x -m qwen3-0.6b", "generate -p x -m ./a/b"}) {
    const std::string said = call(line).err;
    EXPECT_TRUE(contains(said, "tools/fetch_models downloads small models")) << said;
    EXPECT_TRUE(contains(said, "hf download Qwen/Qwen3-0.6B --local-dir Qwen3-0.6B\n")) << said;
  }
  const std::string said = call("generate -p x -m Qwen/Qwen3-4B").err;
  EXPECT_TRUE(contains(said, "hf download Qwen/Qwen3-4B --local-dir Qwen3-4B\n")) << said;
  EXPECT_FALSE(contains(said, "fetch_models")) << said;
}

INSTANTIATE_TEST_SUITE_P(
    All, ModelMistakes,
    testing::Values(
        ModelMistake{"info", "error: info needs a model\n"},
        ModelMistake{"info -m /nonexistent", "error: /nonexistent is not a model\n"},
        ModelMistake{"info -m MODEL -c 50000",
                     "error: a context of 50000 tokens is not supported\n"},
        ModelMistake{"info -m MODEL -c 0", "error: a context of 0 tokens\n"},
        ModelMistake{"info -m /dev/null", "error: /dev/null is not a model\n"},
        ModelMistake{"tokenize -p x", "error: tokenize needs a model\n"},
        ModelMistake{"tokenize -m MODEL", "error: tokenize needs one text\n"},
        ModelMistake{"tokenize -m MODEL -p x -f y", "error: tokenize needs one text\n"},
        ModelMistake{"tokenize -m MODEL -f /nonexistent", "error: cannot read /nonexistent\n"},
        ModelMistake{"tokenize -m /nonexistent -p x", "error: /nonexistent is not a model\n"},
        ModelMistake{"tokenize -m MODEL -f /nonexistent", "error: cannot read /nonexistent: No such file or directory\n"},
        ModelMistake{"tokenize -m /nonexistent -p x",
                     "error: cannot read /nonexistent/tokenizer.json\n"},
        ModelMistake{"make-model --shape tiny", "error: make-model needs --output\n"},
        ModelMistake{"make-model -o x", "error: make-model needs --shape\n"},
        ModelMistake{"make-model --shape tinny -o x", "error: unknown shape \"tinny\"; did you"},
        ModelMistake{"info -m MODEL --cache-type q8_0",
                     "error: unknown type \"q8_0\" of a KV cache\n"},
        ModelMistake{"make-model --shape tiny --layers 0 -o x",
                     "error: --layers 0 of a model of 2\n"},
        ModelMistake{"make-model --shape tiny --layers 3 -o x",
                     "error: --layers 3 of a model of 2\n"},
        ModelMistake{"make-model --shape tiny --type q8 -o x", "error: unknown type \"q8\"\n"},
        ModelMistake{"make-model --shape tiny -o MODEL", " already holds a model\n"},
        ModelMistake{"make-model --shape tiny -o /dev/null/x", "error: cannot make /dev/null/x"}));

}  // namespace
}  // namespace tilewright::cli
