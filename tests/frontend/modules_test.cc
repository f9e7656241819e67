// Modules: where imports find their files, what they bring, and what is said when they cannot.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../temporary_directory.h"
#include "evaluated.h"
#include "support.h"

namespace frontend_test {
namespace {

namespace fs = std::filesystem;

using Files = std::vector<std::pair<std::string, std::string>>;

struct Folder {
  TemporaryDirectory directory;

  explicit Folder(const Files& files) {
    for (const auto& [name, text] : files) {
      fs::create_directories(fs::path(directory / name).parent_path());
      std::ofstream(directory / name) << text;
    }
  }
  // Messages without the name of the directory.
  std::string without_directory(std::string text) const {
    const std::string prefix = directory.path.string() + "/";
    for (std::size_t at; (at = text.find(prefix)) != std::string::npos;)
      text.erase(at, prefix.size());
    return text;
  }
  std::string value_of(const std::string& name, const std::string& file = "main.py",
                       const std::vector<std::string>& paths = {}) const {
    using namespace tilewright::frontend;
    return without_directory(
        evaluated(Parsed::parse(Source::read(directory / file)), paths, name));
  }
  std::string complaint(const std::vector<std::string>& paths = {}) const {
    try {
      const auto file = tilewright::frontend::File::read(directory / "main.py", paths);
      return without_directory(file.lower("", {}).program.diagnostics.text());
    } catch (const UserError& e) {
      return without_directory(e.what());
    }
  }
};

const std::string kProgram =
    "@pl.jit\ndef p(x: pl.InOut[pl.Tensor[[N], pl.FP32]]):\n    return x\n";

TEST(Modules, EveryWayToImport) {
  const Folder f({{"main.py",
                   "import a\nimport a as renamed\nimport pkg.inner\nimport pkg.inner as deep\n"
                   "from a import N, N as M\nfrom a import *\nfrom pkg import inner, SIZE\n"
                   "from pkg.inner import DEPTH\n"
                   "r = [a.N, renamed.N, pkg.SIZE, pkg.inner.DEPTH, deep.DEPTH, N, M, K, inner.DEPTH, "
                   "SIZE, DEPTH]\n"
                   "hidden = _private\n"},
                  {"a.py", "N = 1\nK = 2\n_private = 3\n"},
                  {"pkg/__init__.py", "from .inner import DEPTH\nSIZE = DEPTH * 2\n"},
                  {"pkg/inner.py", "from ..a import N\nfrom . import side\nDEPTH = N + side.S\n"},
                  {"pkg/side.py", "S = 4\n"}});
  EXPECT_EQ(f.value_of("r"), "[1, 1, 10, 5, 5, 1, 1, 2, 5, 10, 5]");
  EXPECT_EQ(f.value_of("hidden"), "(unknown name _private (main.py:10:10))");
}

// f = pl.inline(g._func): the same function under a second name.
TEST(Modules, AFunctionMayHaveASecondName) {
  const auto l = lower(
      "import pypto.language as pl\n@pl.jit.inline\ndef g(x):\n    return x\n"
      "f = pl.inline(g._func)\n@pl.jit\ndef p(y: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n"
      "    y = f(y)\n    return y\n");
  EXPECT_EQ(l.program.diagnostics.text(), "");
}

TEST(Modules, StarImportsFollowAll) {
  const Folder f({{"main.py", "from a import *\nr = _kept\ns = dropped\n"},
                  {"a.py", "__all__ = [\"_kept\"]\n_kept = 1\ndropped = 2\n"}});
  EXPECT_EQ(f.value_of("r"), "1");
  EXPECT_EQ(f.value_of("s"), "(unknown name dropped (main.py:3:5))");
}

TEST(Modules, AreRunOnceAndShared) {
  const Folder f({{"main.py", "import a\nimport b\nr = a.log\n"},
                  {"a.py", "import c\nlog = c.log\nlog.append('a')\n"},
                  {"b.py", "import c\nc.log.append('b')\n"},
                  {"c.py", "log = ['c']\n"}});
  EXPECT_EQ(f.value_of("r"), "['c', 'a', 'b']");
}

TEST(Modules, AreFoundAlongThePath) {
  const Folder f({{"main.py",
                   "import sys, os\nfrom pathlib import Path\n"
                   "sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))\n"
                   "sys.path.append(str(Path(__file__).resolve().parent / 'more'))\n"
                   "import in_lib, in_more\nr = in_lib.V, in_more.V\n"},
                  {"lib/in_lib.py", "V = 1\n"},
                  {"more/in_more.py", "V = 2\n"},
                  {"elsewhere/given.py", "V = 3\n"},
                  {"needs.py", "import given\nr = given.V\n"},
                  {"models/deep/layer.py", "from common.sizes import V\nr = V\n"},
                  {"common/sizes.py", "V = 4\n"}});
  EXPECT_EQ(f.value_of("r"), "(1, 2)");
  EXPECT_EQ(f.value_of("r", "needs.py", {f.directory / "elsewhere"}), "3");
  EXPECT_EQ(f.value_of("r", "needs.py"),
            "(module given is not found; --path DIR names a directory to look in (needs.py:1:8), "
            "through needs.py:2:5)");
  // Packages are also looked for in the directories above the file.
  EXPECT_EQ(f.value_of("r", "models/deep/layer.py"), "4");
}

TEST(Modules, CirclesSeeWhatIsThere) {
  const Folder f({{"main.py", "import a\nr = a.X, a.b.Y\n"},
                  {"a.py", "X = 1\nimport b\n"},
                  {"b.py", "import a\nY = a.X + 1\n"}});
  EXPECT_EQ(f.value_of("r"), "(1, 2)");
  const Folder g({{"main.py", "from a import X\nr = X\n"},
                  {"a.py", "from b import Y\nX = Y\n"},
                  {"b.py", "from a import X\nY = X\n"}});
  EXPECT_EQ(g.value_of("r"),
            "(a and its importers import each other in a circle, and X is not defined yet "
            "(b.py:1:15), through b.py:2:5, a.py:2:5, main.py:2:5)");
  const Folder self(Files{{"main.py", "import main\nN = main.N\n"}});
  EXPECT_EQ(self.value_of("N"),
            "(main and its importers import each other in a circle, and N is not defined yet "
            "(main.py:2:5))");
}

// Python would stop at the first `pl.` of such a file.
TEST(Modules, TheLanguageIsImported) {
  const std::string import = "import pypto.language as pl\n";
  const std::string text = in_scope("t = pl.load(x, [0, 0], [16, 64])\npl.store(t, [0, 0], y)\n");
  const auto with = [&](const std::string& other) {
    std::string file = text;
    file.replace(file.find(import), import.size(), other);
    return lower(file).program.diagnostics.text();
  };
  EXPECT_EQ(with(import), "");
  EXPECT_EQ(with("from pypto import language as pl\n"), "");
  EXPECT_EQ(with("try:\n    import pypto.language as pl\nexcept ImportError:\n    pass\n"), "");
  EXPECT_EQ(with("\n"), "");
  EXPECT_TRUE(with("import pypto.langauge as pl\n")
                  .starts_with("warning: pl is pypto.langauge, not pypto.language\n  at p.py:1:1"));
  EXPECT_TRUE(with("import numpy as pl\n").starts_with("warning: pl is numpy, not pypto.language"));
  EXPECT_TRUE(with("import nowhere as pl\n")
                  .starts_with("warning: pl cannot be used: module nowhere is not found"));
}

// A name that no module gives is a mistake where the program uses it: one error, with the way.
TEST(Modules, WhatIsMissingIsToldOnce) {
  const auto told = [](const std::string& import, const Files& modules = {}) {
    Files files{{"main.py", import + kProgram}};
    files.insert(files.end(), modules.begin(), modules.end());
    return Folder(files).complaint();
  };
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(told("from config import N\n")),
            "error: N cannot be used: module config is not found; --path DIR names a directory to "
            "look in (main.py:1:1)");
  EXPECT_EQ(first_line(told("from confg import N\n", {{"config.py", "N = 4\n"}})),
            "error: N cannot be used: module confg is not found; did you mean 'config'? --path DIR "
            "names a directory to look in (main.py:1:1)");
  EXPECT_EQ(first_line(told("from .config import N\n")),
            "error: N cannot be used: module .config is not found next to main.py (main.py:1:1)");
  EXPECT_EQ(first_line(told("from config import N\n", {{"config.py", "NN = 4\n"}})),
            "error: N cannot be used: module config has no N; did you mean 'NN'? (main.py:1:20)");
  EXPECT_EQ(first_line(
                told("from config import N\n", {{"config.py", "raise ValueError(\"no\")\n"}})),
            "error: N cannot be used: module config cannot be used: a check in the file rejects "
            "these sizes: raise ValueError(\"no\"), at config.py:1:1 (main.py:1:1)");
  EXPECT_EQ(first_line(told("from config import N\n", {{"config.py", "N = (4\n"}})),
            "error: N cannot be used: module config cannot be used: '(' is never closed, at "
            "config.py:1:5 (main.py:1:1)");
  EXPECT_EQ(first_line(told("from config import N\n", {{"config.py", "N = \"\xFF\"\n"}})),
            "error: N cannot be used: module config cannot be used: byte 0xFF is not UTF-8, at "
            "config.py:1:6 (main.py:1:1)");
}

// A parameter that needs a missing name ends the program, so what else it mentions is told with it:
// one name for each cause, also of functions that it calls.
TEST(Modules, AllFieldsThatAConfigLacksAreToldAtOnce) {
  const Folder folder(Files{
      {"config.py",
       "from dataclasses import dataclass\n@dataclass\nclass Config:\n    rows: int\nC = Config(16)\n"},
      {"main.py",
       "import pypto.language as pl\nfrom config import C\nROWS = C.rows\nCOLS = C.cols\n"
       "BATCH = C.batch\nTRIPS = BATCH // 16\nSTEPS = C.step\nUNUSED = C.unused\n"
       "@pl.jit.inline\ndef scaled(x: pl.Tensor):\n    return pl.mul(x, STEPS)\n"
       "@pl.jit\ndef p(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):\n"
       "    for i in pl.range(TRIPS):\n        UNUSED = i\n        y = scaled(x)\n    return y\n"}});
  EXPECT_EQ(folder.complaint(),
            "error: COLS, TRIPS, STEPS cannot be used: Config has no attribute cols; did you mean "
            "'rows'? (main.py:4:8); Config has no attribute batch (main.py:5:9); Config has no "
            "attribute step (main.py:7:9)\n"
            "  at main.py:13:27, program p\n"
            "    13 | def p(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], "
            "pl.FP32]]):\n"
            "       |                           ^\n"
            "  a program uses values that can be evaluated from its file and its modules\n"
            "  help: make them constants, or name their module directory with --path DIR\n");
}

TEST(Modules, AConstantThatCannotBeEvaluatedCanBeGiven) {
  const auto file = frontend::File::parse(
      "p.py",
      "import pypto.language as pl\nimport elsewhere\nN = elsewhere.n\n"
      "@pl.jit\ndef p(x: pl.InOut[pl.Tensor[[16, N], pl.FP32]]):\n    return x\n");
  EXPECT_TRUE(file.lower("", {}).program.diagnostics.has_errors());
  const auto given = file.lower("", {{"N", "32"}});
  EXPECT_EQ(given.program.diagnostics.text(), "");
  EXPECT_EQ(given.program[*given.program.find("x")].shape, (Shape{16, 32}));
}

TEST(Modules, ALongRowOfImportsIsRefused) {
  Files files{{"main.py", "import m0\n" + kProgram}};
  for (int i = 0; i < 100; ++i)
    files.emplace_back("m" + std::to_string(i) + ".py",
                       "import m" + std::to_string(i + 1) + "\nN = 4\n");
  const std::string told = Folder(files).complaint();
  EXPECT_EQ(told.substr(0, told.find("\n  at ")),
            "error: more than 40 modules import each other in a row, or 500 in all");
}

TEST(Modules, AHundredThousandLinesAreReadInTime) {
  std::string config;
  for (int i = 0; i < 100000; ++i)
    config += "C" + std::to_string(i) + " = " + std::to_string(i) + " + 1\n";
  const Folder f({{"main.py", "from config import C99999 as N\nfrom config import *\n" + kProgram},
                  {"config.py", config}});
  EXPECT_EQ(f.complaint(), "");
  EXPECT_EQ(f.value_of("N"), "100000");
}

}  // namespace
}  // namespace frontend_test
