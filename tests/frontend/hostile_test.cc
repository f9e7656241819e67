// Files that try to crash the reader, or to keep it busy: each ends in time, in a value or in one
// clear error.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "evaluated.h"
#include "support.h"

namespace frontend_test {
namespace {

// How the message starts. The usual limit takes 10 s to reach.
std::string too_long(int64_t most_steps) {
  return "error: evaluating the file takes more than " + std::to_string(most_steps) +
         " steps\n  at p.py:";
}
const std::string kHelp =
    "  code outside programs is evaluated once, before the programs are read\n"
    "  help: check the loops outside programs\n";

TEST(Hostile, WorkWithoutEndIsGivenUp) {
  const char* const kFiles[] = {
      "while True:\n    pass\n",
      "def f(n):\n    return f(n + 1) + f(n + 1)\nr = f(0)\n",
      "big = list(range(200000))\nkept = []\nwhile True:\n    kept.append(big + [1])\n",
      "import copy\nx = []\nfor i in range(60):\n    x = [x, x]\ny = copy.deepcopy(x)\n",
  };
  for (const std::string file : kFiles) {
    const std::string told = evaluated(file, 1'000'000);
    EXPECT_TRUE(told.starts_with(too_long(1'000'000))) << file << told;
    EXPECT_TRUE(told.ends_with(kHelp)) << file << told;
  }
}

TEST(Hostile, TheLimitOfStepsIsChosen) {
  const std::string counts = "n = 0\nwhile n < 1000:\n    n += 1\nr = n\n";
  EXPECT_EQ(evaluated(counts), "1000");
  EXPECT_TRUE(evaluated(counts, 1000).starts_with(too_long(1000)));
  frontend::File file = frontend::File::parse("p.py", counts + program("y = x\n"));
  EXPECT_NO_THROW((void)file.arguments("", {}));
  file.limit_steps(1000);
  try {
    (void)file.arguments("", {});
    FAIL() << "not given up";
  } catch (const tilewright::UserError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(too_long(1000))) << e.what();
  }
}

TEST(Hostile, UnknownValuesDoNotGrowWithTheWorkDoneOnThem) {
  const auto peak_mb = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
  };
  const auto before = peak_mb();
  const std::string told = evaluated("import somewhere\nx = somewhere.x\nwhile True:\n    x += 3\n", 10'000'000);
  EXPECT_TRUE(told.starts_with(too_long(10'000'000))) << told;
  EXPECT_LT(peak_mb() - before, 100);
}

TEST(Hostile, NestingEndsInAValueOrAnError) {
  const auto expect = [](const std::string& file, const std::string& told) {
    EXPECT_EQ(evaluated(file), told) << file.substr(0, 300);
  };
  // Deeper than the stack: values that hold values.
  expect("x = []\nfor i in range(200000):\n    x = [x]\nr = len(x)\n", "1");
  expect("x = ()\nfor i in range(200000):\n    x = {'k': x}\nr = len(x)\n", "1");
  expect("class N:\n    pass\ntop = N()\nx = top\nfor i in range(100000):\n    n = N()\n"
         "    x.next = n\n    x = n\nr = 1\n",
         "1");
  expect("top = []\nx = top\nfor i in range(100000):\n    y = []\n    x.append(y)\n    x = y\nr = len(top)\n",
         "1");
  expect("x = []\ny = []\nfor i in range(100000):\n    x = [x]\n    y = [y]\nr = x == y\n",
         "('==' of a list and a list (p.py:6:7))");
  expect("x = []\nfor i in range(100000):\n    x = [x]\nr = str(x)\n",
         "(str is not evaluated (p.py:4:5))");
  expect("import copy\nx = []\nfor i in range(100000):\n    x = [x]\nr = copy.deepcopy(x)\n",
         "(expressions and blocks inside each other more than 2000 deep (p.py:5:5))");
  // Wider than can be walked: every level twice.
  expect("x = []\nfor i in range(60):\n    x = [x, x]\nl = []\nl.append(x)\nr = len(l)\n", "1");
  expect("x = []\ny = []\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nr = x == y\n",
         "('==' of a list and a list (p.py:6:7))");
  // Unknown values that are computed with, again and again.
  expect("import somewhere\nx = somewhere.x\nfor i in range(200000):\n    x = x + 1\nr = 1\n", "1");
  // Classes.
  expect("class A:\n    pass\nfor i in range(1000):\n    class A(A):\n        pass\nr = A.missing\n",
         "(a class has no attribute missing (p.py:6:5))");
  expect("class A:\n    pass\nfor i in range(40):\n    class A(A, A):\n        pass\nr = hasattr(A, 'x')\n",
         "False");
}

TEST(Hostile, RecursionIsNamed) {
  const auto expect = [](const std::string& file, const std::string& told) {
    EXPECT_EQ(evaluated(file), told) << file.substr(0, 300);
  };
  expect("def f(n):\n    return f(n + 1)\nr = f(0)\n",
         "(functions call each other more than 60 deep (p.py:2:12))");
  expect("class C:\n    @property\n    def x(self):\n        return self.x\nr = C().x\n",
         "(functions call each other more than 60 deep (p.py:4:16))");
  // Every call stands at the bottom of a deep expression.
  expect("def f(n):\n    return " + repeated("1 + (", 90) + "f(n + 1)" + repeated(")", 90) +
             "\nr = f(0)\n",
         "(expressions and blocks inside each other more than 2000 deep (p.py:2:14), through "
         "p.py:2:459, p.py:2:454, p.py:2:449, p.py:2:444)");
  std::string blocks = "def f(n):\n";
  for (int i = 1; i < 90; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "if True:\n";
  blocks += std::string(90, ' ') + "return f(n + 1)\nr = f(0)\n";
  expect(blocks,
         "(expressions and blocks inside each other more than 2000 deep (p.py:88:91), through "
         "p.py:88:88)");
}

TEST(Hostile, GrowthIsRefused) {
  const auto expect = [](const std::string& file, const std::string& told) {
    EXPECT_EQ(evaluated(file), told) << file.substr(0, 300);
  };
  expect("x = [0]\nfor i in range(60):\n    x = x + x\nr = len(x)\n",
         "(a value of more than 262144 parts (p.py:3:11), through p.py:3:9, p.py:4:9, p.py:4:5)");
  expect("x = 'ab'\nfor i in range(60):\n    x += x\nr = len(x)\n",
         "(a value of more than 262144 parts (p.py:3:5), through p.py:4:9, p.py:4:5)");
  expect("r = [0] * 10 ** 12\n", "(a value of more than 262144 parts (p.py:1:9))");
  expect("r = 'x' * 9223372036854775807\n", "(a value of more than 262144 parts (p.py:1:9))");
  expect("r = range(10 ** 15)\n", "(a value of more than 262144 parts (p.py:1:5))");
  expect("r = f'{1:99999999}'\n", "(an f-string of an integer (p.py:1:5))");
  expect("r = 99999999999999999999999\n",
         "('99999999999999999999999' is not a number that fits 64 bits (p.py:1:5))");
  expect("r = 1 << 100\n", "(1 << 100 does not fit in 64 bits (p.py:1:7))");
  expect("x = 3\nfor i in range(100):\n    x = x * x\nr = x\n",
         "(an index expression does not fit in 64 bits (p.py:3:11), through p.py:3:9, p.py:4:5)");
  expect("r = 10.0 ** 400\n", "inf");
  expect("r = abs(-9223372036854775807 - 1)\n", "(abs is not evaluated (p.py:1:5))");
  expect("import math\nr = math.gcd(-9223372036854775807 - 1, 0)\n",
         "(math.gcd is not evaluated (p.py:2:5))");
  expect("import math\nr = math.lcm(9223372036854775807, 2)\n",
         "(math.lcm is not evaluated (p.py:2:5))");
  expect("r = (-9223372036854775807 - 1) // -1\n",
         "(an index expression does not fit in 64 bits (p.py:1:32))");
  expect("r = divmod(-9223372036854775807 - 1, -1)\n",
         "(an index expression does not fit in 64 bits (p.py:1:5))");
  expect("r = [1, 2, 3][::9223372036854775807], [1, 2, 3][::-9223372036854775807 - 1]\n",
         "([1], [3])");
  expect("r = [1, 2, 3][-9223372036854775807:9223372036854775807]\n", "[1, 2, 3]");
  expect("r = list(enumerate([1, 2], start=9223372036854775807))\n",
         "(enumerate is not evaluated (p.py:1:10), through p.py:1:5)");
  expect("r = round(1.5, 400)\n", "(round is not evaluated (p.py:1:5))");
}

}  // namespace
}  // namespace frontend_test
