// Every code of the room with its exact message, as docs/errors.md shows it.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "support.h"

namespace frontend_test {
namespace {

struct Case {
  const char* code;
  std::string text;
};

const std::string kNoBody = "@pl.jit\ndef p(x: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n    return x\n";

std::vector<Case> cases() {
  return {
      {"text", "A = 1  # \xE9t\xE9\n"},
      {"syntax", "A = (1 + 2\n"},
      {"unsupported", program("i = 0\ni += 1\n")},
      {"constant",
       program("n = pl.tensor.read(lens, [0])\nt = pl.create_tensor([n, 64], dtype=pl.FP32)\n")},
      {"operator", program("t = x + y\n")},
      {"assert", "assert 1 > 2\n" + kNoBody},
      {"guard",
       "def build(n=40):\n    if n % 16 != 0:\n        raise ValueError(\"n is no multiple of "
       "16\")\n" +
           indented(kNoBody, 4)},
      {"argument", in_scope("t = pl.slice(x, [16, 32], [0, 0], valid=[16, 20])\n")},
      {"dynamic",
       "B = pl.dynamic(\"B\")\n@pl.jit\ndef p(x: pl.InOut[pl.Tensor[[B, 64], pl.FP32]]):\n    "
       "return x\n"},
      {"unpack", program("a, c = x\n")},
      {"annotation", in_scope("t: pl.Tile[[16, 32], pl.FP32] = pl.slice(x, [16, 64], [0, 0])\n")},
      {"parameter", "@pl.jit\ndef p(x):\n    return x\n"},
      {"direction", program("x = pl.assemble(x, z, [0, 0])\n")},
      {"return", program("t = pl.create_tensor([16, 64], dtype=pl.FP32)\nreturn t\n")},
      {"stale-name", program("y2 = pl.assemble(y, x, [0, 0])\nz = pl.assemble(z, y, [0, 0])\n")},
      {"shadow", program("N = 32\n")},
      {"carried",
       program("for i in pl.range(4):\n    z = pl.assemble(z, y, [0, 0])\n    y = x\n")},
      {"branch",
       program("if lens[0] > 1:\n    t = y\nelse:\n    t = b\nz = pl.assemble(z, t, [0, 0])\n")},
      {"barrier", program("with pl.spmd(2):\n    t = pl.exp(x)\n    pl.system.syncall()\n"
                          "    y = pl.assemble(y, t, [0, 0])\n")},
      {"prefetch", program("context = pl.prefetch.make_context()\n")},
      {"order",
       program("with pl.at(level=pl.Level.CORE_GROUP, deps=[x]):\n    z = pl.add(z, x)\n")},
      {"loop", program("for i in range(4):\n    pass\n")},
      {"spmd", program("i = pl.tile.get_block_idx()\n")},
      {"call", program("t = sorted(x)\n")},
      {"attribute", "class Config:\n    hidden = 64\n" + program("n = Config.hiden\n")},
      {"evaluate", "def f(n):\n    return f(n + 1)\n" + program("n = f(0)\n")},
      {"spec",
       kNoBody + "def build_tensor_specs():\n    return [TensorSpec(\"x\", [8], torch.float32)]\n"},
  };
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Errors, EachCodeIsShownAsItIsSaid) {
  const std::string page = read(std::filesystem::path(TILEWRIGHT_SOURCE) / "docs/errors.md");
  for (const Case& c : cases()) {
    const std::string told = complaint(c.text, {}, "layer.py");
    const std::string entry = "### `" + std::string(c.code) + "`\n";
    const std::size_t at = page.find(entry);
    if (at == std::string::npos) {
      ADD_FAILURE() << c.code << " is not in docs/errors.md:\n" << told;
      continue;
    }
    const std::string section = page.substr(at, page.find("\n### ", at) - at);
    EXPECT_NE(section.find("```\n" + told + "```\n"), std::string::npos)
        << c.code << " is told as\n"
        << told;
  }
}

TEST(Errors, WordsOfOtherLibrariesHaveAReplacement) {
  const auto help_of = [](const std::string& word) {
    const std::string told = complaint(in_scope("t = pl." + word + "(x)\n"), {}, "layer.py");
    return told.substr(told.find("  help: "));
  };
  EXPECT_EQ(help_of("reciprocal"), "  help: use pl.recip\n");
  EXPECT_EQ(help_of("tile.reciprocal"), "  help: use pl.recip\n");
  EXPECT_EQ(
      help_of("softmax"),
      "  help: use pl.row_max, pl.row_expand_sub, pl.exp, pl.row_sum and pl.row_expand_div\n");
  EXPECT_EQ(help_of("frobnicate"), "  help: use one of them\n");
}

// The codes that the sources of the room name, except those that other rooms explain, and those of
// several ranks, which have their cases in tests/error.
TEST(Errors, EachCodeOfTheRoomHasACase) {
  std::set<std::string> told{"file",   "program",   "name",          "rank",
                             "pad",    "assign",    "division",      "no-params",
                             "window", "signal",    "shared-window", "ranks",
                             "outside-scope"};
  for (const Case& c : cases()) told.insert(c.code);
  const std::regex pattern("\\b(?:refuse|fail|report)\\([^\";]*?,\\s*\"([a-z0-9-]+)\"");
  const std::filesystem::path room = std::filesystem::path(TILEWRIGHT_SOURCE) / "src/frontend";
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(room)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it, ++found)
      EXPECT_TRUE(told.contains((*it)[1])) << (*it)[1] << " in " << entry.path();
  }
  EXPECT_GT(found, 60U) << "the pattern no longer finds the codes";
}

}  // namespace
}  // namespace frontend_test
