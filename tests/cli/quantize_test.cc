// `quantize`, and what the other commands say of its files.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support.h"

namespace tilewright::cli {
namespace {

// A tiny model, made once: rows of 128 and 256.
struct Made {
  TemporaryDirectory dir;
  std::string model = dir / "tiny";
  Made() { EXPECT_EQ(call("make-model --shape tiny --seed 3 -o " + model).code, kFine); }
};
const Made& quantize_source() {
  static const Made made;
  return made;
}

TEST(Quantize, SaysWhatWasWritten) {
  const TemporaryDirectory dir;
  const std::string& model = quantize_source().model;
  const Outcome o = call("quantize -m " + model + " -o " + (dir / "m.gguf") + " --type Q8_0");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_TRUE(contains(o.out, "type  tensors    bytes  relative RMS error\n")) << o.out;
  EXPECT_TRUE(contains(o.out, "Q8_0       15  442 KiB             0.3")) << o.out;
  EXPECT_TRUE(contains(o.out, "F32         9    3 KiB             0.000 %\n")) << o.out;
  EXPECT_TRUE(contains(o.out, " of weights; relative RMS error 0.3")) << o.out;
  EXPECT_FALSE(contains(o.out, "another type")) << o.out;

  const Outcome info = call("info -m " + (dir / "m.gguf"));
  EXPECT_EQ(info.code, kFine) << info.err;
  EXPECT_TRUE(contains(info.out, "qwen3, GGUF in 1 file\n")) << info.out;
  EXPECT_TRUE(contains(info.out, "Q8_0")) << info.out;
  EXPECT_TRUE(contains(info.out, "512 tokens, chat template present\n")) << info.out;
  EXPECT_TRUE(contains(info.out, "stops at     282 <|im_end|>, 280 <|endoftext|>\n")) << info.out;
}

TEST(Quantize, FilesRun) {
  const TemporaryDirectory dir;
  const std::string& model = quantize_source().model;
  const std::string flags = " -p then -n 9 --temp 0 --ignore-eos";
  const std::string expected = call("generate -m " + model + flags).out;
  for (const char* type : {"bf16", "Q8_0", "Q6_K", "Q4_K_M", "Q3_K", "IQ4_NL"}) {
    const std::string path = dir / (std::string(type) + ".gguf");
    EXPECT_EQ(call("quantize -m " + model + " -o " + path + " --type " + type).code, kFine);
    const Outcome o = call("generate -m " + path + flags);
    EXPECT_EQ(o.code, kFine) << o.err;
    EXPECT_TRUE(o.out.starts_with("then")) << o.out;
    if (std::string(type) == "bf16") {
      EXPECT_EQ(o.out, expected);
    }
  }
}

TEST(Quantize, RowsThatBlocksDoNotDivideAndJson) {
  const TemporaryDirectory dir;
  const std::string line =
      "quantize -m " + quantize_source().model + " -o " + (dir / "m.gguf") + " --type Q4_K_M -t 2";
  const Outcome o = call(line);
  EXPECT_TRUE(contains(o.out,
                       "11 tensors of another type than asked for: blocks do not divide "
                       "their rows\n"))
      << o.out;
  const Outcome again = call(line + " --json -");  // the file is replaced
  EXPECT_EQ(again.code, kFine) << again.err;
  const auto j = nlohmann::json::parse(again.out);
  EXPECT_EQ(j["type"], "Q4_K_M");
  EXPECT_EQ(j["fallbacks"], 11);
  EXPECT_EQ(j["file_bytes"], fs::file_size(dir.path / "m.gguf"));
  EXPECT_GT(j["types"][0]["relative_rms_error"], 0.01);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path), fs::directory_iterator{}), 1);
}

TEST(Quantize, Mistakes) {
  const TemporaryDirectory dir;
  const std::string& model = quantize_source().model;
  std::ofstream(dir.path / "bad.gguf") << "no model";
  const std::string from = "quantize -m " + model, to = " -o " + (dir / "m.gguf");
  const std::pair<std::string, std::string> kMistakes[] = {
      {"quantize -o x.gguf --type Q8_0", "error: quantize needs a model\n"},
      {from + " --type Q8_0", "error: quantize needs --output\n"},
      {from + to, "error: quantize needs --type\n"},
      {from + to + " --type Q4_KM", "error: unknown type \"Q4_KM\"; did you mean 'Q4_K_M'?\n"},
      {from + to + " --type Q8_0 -t 2000", "error: --threads 2000 is not a number from 1 to 256\n"},
      {from + " -o " + (dir / "m.bin") + " --type Q8_0", "m.bin does not end in .gguf\n"},
      {from + " -o /nonexistent/m.gguf --type Q8_0", "error: cannot write \"/nonexistent/m.gguf\""},
      {"quantize -m /nonexistent" + to + " --type Q8_0", "error: /nonexistent is not a model\n"},
      {"quantize -m " + (dir / "bad.gguf") + to + " --type Q8_0", "error: the file is not GGUF\n"},
  };
  for (const auto& [line, what] : kMistakes) {
    const Outcome o = call(line);
    EXPECT_EQ(o.code, kMistake) << line;
    EXPECT_EQ(o.out, "") << line;
    EXPECT_TRUE(contains(o.err, what)) << o.err;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 4) << o.err;
  }
  EXPECT_EQ(call(from + to + " --type F32").code, kFine);
  const Outcome same = call("quantize -m " + (dir / "m.gguf") + to + " --type Q8_0");
  EXPECT_EQ(same.code, kMistake);
  EXPECT_TRUE(contains(same.err, " is the model that is read\n")) << same.err;
}

}  // namespace
}  // namespace tilewright::cli
