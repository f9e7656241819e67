// Names of tasks in program files: what each form of them becomes, and that it is read back.
#include "support.h"

namespace frontend_test {
namespace {

const std::string kWrite =
    "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"a\") as first:\n"
    "    y = pl.assemble(y, pl.slice(x, [16, N], [0, 0]), [0, 0])\n";
const std::string kRead = "    z = pl.assemble(z, pl.slice(y, [16, N], [0, 0]), [0, 0])\n";

// The lines of the listing that are about tasks.
std::string task_lines(const std::string& body) {
  const auto l = lower(program(body));
  EXPECT_EQ(l.program.diagnostics.error_count(), 0U) << l.program.diagnostics.text();
  const std::string text = ir::print(l.program);
  const ir::Program again = lower(text).program;
  EXPECT_EQ(again.diagnostics.text(), "");
  EXPECT_EQ(ir::print(again), text);
  std::istringstream in(listing(l.program));
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (line.find("slice") == std::string::npos && line.find("assemble") == std::string::npos)
      out += line + "\n";
  return out;
}

const char* const kFirst = "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"a\") as first:\n";

TEST(Task, ANameIsWaitedFor) {
  EXPECT_EQ(task_lines(kWrite + "with pl.at(level=pl.Level.CORE_GROUP, deps=[first]):\n" + kRead),
            std::string(kFirst) + "with pl.at(level=pl.Level.CORE_GROUP, deps=[first]):\n");
}

TEST(Task, NoneIsNoTaskAndListsAreFlat) {
  EXPECT_EQ(task_lines(kWrite +
                       "both = [first, None]\n"
                       "with pl.at(level=pl.Level.CORE_GROUP, deps=[None, both]):\n" +
                       kRead),
            std::string(kFirst) + "with pl.at(level=pl.Level.CORE_GROUP, deps=[first]):\n");
}

TEST(Task, ArraysHaveEntriesAndAreWaitedForAsAWhole) {
  EXPECT_EQ(task_lines("ids = pl.array.create(4, pl.TASK_ID)\n" + kWrite +
                       "ids[2] = first\n"
                       "for i in pl.range(4):\n"
                       "    with pl.at(level=pl.Level.CORE_GROUP, deps=[ids[i], ids]):\n" +
                       indented(kRead, 4)),
            "ids = pl.array.create(4, pl.TASK_ID)\n" + std::string(kFirst) +
                "ids[2] = first\n"
                "for i in pl.range(4):\n"
                "    with pl.at(level=pl.Level.CORE_GROUP, deps=[ids[i], ids]):\n");
}

TEST(Task, AComprehensionListsEntries) {
  EXPECT_EQ(task_lines("ids = pl.array.create(2, pl.TASK_ID)\n"
                       "with pl.at(level=pl.Level.CORE_GROUP, deps=[ids[k] for k in range(2)]):\n" +
                       kRead),
            "ids = pl.array.create(2, pl.TASK_ID)\n"
            "with pl.at(level=pl.Level.CORE_GROUP, deps=[ids[0], ids[1]]):\n");
}

TEST(Task, ADummyJoins) {
  EXPECT_EQ(task_lines(kWrite +
                       "late = pl.system.task_dummy(deps=[first])\n"
                       "with pl.at(level=pl.Level.CORE_GROUP, deps=[late]):\n" +
                       kRead),
            std::string(kFirst) +
                "late = pl.system.task_dummy(deps=[first])\n"
                "with pl.at(level=pl.Level.CORE_GROUP, deps=[late]):\n");
}

TEST(Task, ALaunchIsOneTask) {
  EXPECT_EQ(task_lines("with pl.spmd(4, name_hint=\"s\", allow_early_resolve=True) as grid:\n"
                       "    i = pl.tile.get_block_idx()\n"
                       "    y = pl.assemble(y, pl.slice(x, [4, N], [i * 4, 0]), [i * 4, 0])\n"
                       "for j in pl.spmd(4, name_hint=\"t\", deps=[grid]):\n"
                       "    z = pl.assemble(z, pl.slice(y, [4, N], [j * 4, 0]), [j * 4, 0])\n"),
            "with pl.spmd(4, name_hint=\"s\", allow_early_resolve=True) as grid:"
            "  # tilewright: block block\n"
            "for j in pl.spmd(4, name_hint=\"t\", deps=[grid]):\n");
}

TEST(Task, ManualScopesAndTensorsThatAreNotTracked) {
  EXPECT_EQ(task_lines(
                "t = pl.create_tensor([16, N], dtype=pl.FP32, manual_dep=True)\n"
                "with pl.manual_scope():\n" +
                indented(kWrite, 4) +
                "    with pl.at(level=pl.Level.CORE_GROUP, deps=[first], no_dep_args=[y]):\n" +
                indented(kRead, 4)),
            "t = pl.create_tensor([16, 64], dtype=pl.FP32, manual_dep=True)\n"
            "with pl.manual_scope():\n"
            "    with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"a\") as first:\n"
            "with pl.manual_scope():\n"
            "    with pl.at(level=pl.Level.CORE_GROUP, deps=[first], no_dep_args=[y]):\n");
}

TEST(Task, ALoopCarriesAName) {
  EXPECT_EQ(task_lines("last = pl.system.task_dummy(deps=[])\n"
                       "for i in pl.range(4):\n"
                       "    with pl.at(level=pl.Level.CORE_GROUP, deps=[last]) as last:\n" +
                       indented(kRead, 4)),
            "last = pl.system.task_dummy(deps=[])\n"
            "last_1 = pl.system.task_dummy(deps=[last])\n"
            "for i in pl.range(4):\n"
            "    with pl.at(level=pl.Level.CORE_GROUP, deps=[last_1]) as last_1:\n");
}

TEST(Task, ALoopMayStartWithNone) {
  EXPECT_EQ(task_lines("last = None\n"
                       "for i in pl.range(4):\n"
                       "    with pl.at(level=pl.Level.CORE_GROUP, deps=[last]) as last:\n" +
                       indented(kRead, 4)),
            "last = pl.system.task_dummy(deps=[])\n"
            "for i in pl.range(4):\n"
            "    with pl.at(level=pl.Level.CORE_GROUP, deps=[last]) as last:\n");
}

TEST(Task, ALoopCarriesItAsState) {
  EXPECT_EQ(task_lines("start = pl.system.task_dummy(deps=[])\n"
                       "for i, (last,) in pl.range(4, init_values=(start,)):\n"
                       "    with pl.at(level=pl.Level.CORE_GROUP, deps=[last]) as now:\n" +
                       indented(kRead, 4) + "    last = pl.yield_(now)\n"),
            "start = pl.system.task_dummy(deps=[])\n"
            "last = pl.system.task_dummy(deps=[start])\n"
            "for i in pl.range(4):\n"
            "    with pl.at(level=pl.Level.CORE_GROUP, deps=[last]) as now:\n"
            "    last = pl.system.task_dummy(deps=[now])\n");
}

TEST(Task, ALoopCarriesArraysAsState) {
  EXPECT_EQ(task_lines("ids = pl.array.create(2, pl.TASK_ID)\n"
                       "for i, (before,) in pl.range(4, init_values=(ids,)):\n"
                       "    after = pl.array.create(2, pl.TASK_ID)\n"
                       "    with pl.at(level=pl.Level.CORE_GROUP, deps=[before]) as now:\n" +
                       indented(kRead, 4) +
                       "    after[1] = now\n"
                       "    ids = pl.yield_(after)\n"),
            "ids = pl.array.create(2, pl.TASK_ID)\n"
            "before = ids\n"
            "for i in pl.range(4):\n"
            "    after = pl.array.create(2, pl.TASK_ID)\n"
            "    with pl.at(level=pl.Level.CORE_GROUP, deps=[before]) as now:\n"
            "    after[1] = now\n"
            "    before = after\n");
}

TEST(Task, ACopyKeepsItsTaskWhenTheNameIsUsedAgain) {
  EXPECT_EQ(task_lines(kWrite + "before = first\n" + kWrite +
                       "with pl.at(level=pl.Level.CORE_GROUP, deps=[before, first]):\n" + kRead),
            std::string(kFirst) +
                "before = pl.system.task_dummy(deps=[first])\n"
                "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"a\") as first_1:\n"
                "with pl.at(level=pl.Level.CORE_GROUP, deps=[before, first_1]):\n");
}

TEST(Task, BothSidesOfAnIfSetOneName) {
  EXPECT_EQ(task_lines("if lens[0] > 1:\n"
                       "    t = pl.system.task_dummy(deps=[])\n"
                       "else:\n" +
                       indented(kWrite, 4) +
                       "    t = first\n"
                       "with pl.at(level=pl.Level.CORE_GROUP, deps=[t]):\n" +
                       kRead),
            "lens_value = pl.tensor.read(lens, [0])\n"
            "if lens_value > 1:\n"
            "    t = pl.system.task_dummy(deps=[])\n"
            "else:\n"
            "    with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"a\") as first:\n"
            "    t = pl.system.task_dummy(deps=[first])\n"
            "with pl.at(level=pl.Level.CORE_GROUP, deps=[t]):\n");
}

TEST(Task, FunctionsTakeAndReturnThem) {
  const std::string text =
      "import pypto.language as pl\n"
      "@pl.jit.inline\n"
      "def stage(y, x, late: pl.Scalar[pl.TASK_ID], done: pl.Array[1, pl.TASK_ID]):\n"
      "    with pl.at(level=pl.Level.CORE_GROUP, deps=[late]) as mine:\n"
      "        y = pl.assemble(y, pl.slice(x, [16, 64], [0, 0]), [0, 0])\n"
      "    done[0] = mine\n"
      "    return y, mine\n"
      "@pl.jit\n"
      "def p(x: pl.Tensor[[16, 64], pl.FP32], y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):\n"
      "    done = pl.array.create(1, pl.TASK_ID)\n"
      "    y, tid = stage(y, x, pl.system.task_dummy(deps=[]), done)\n"
      "    y, other = stage(y, x, tid, done)\n"
      "    return y\n";
  const auto l = lower(text);
  EXPECT_EQ(l.program.diagnostics.error_count(), 0U) << l.program.diagnostics.text();
  const std::string out = listing(l.program);
  EXPECT_NE(out.find("deps=[tasks]) as mine:"), std::string::npos) << out;
  EXPECT_NE(out.find("deps=[mine]) as mine_1:"), std::string::npos) << out;
  EXPECT_NE(out.find("done[0] = mine_1"), std::string::npos) << out;
}

TEST(Task, ASubmissionHasAResultAndAName) {
  const std::string text =
      "import pypto.language as pl\n"
      "@pl.program\n"
      "class P:\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def row(self, x: pl.Tensor[[16, 64], pl.FP32],\n"
      "            y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):\n"
      "        i = pl.tile.get_block_idx()\n"
      "        y = pl.assemble(y, pl.slice(x, [4, 64], [i * 4, 0]), [i * 4, 0])\n"
      "        return y\n"
      "    @pl.function(type=pl.FunctionType.InCore)\n"
      "    def all(self, x: pl.Tensor[[16, 64], pl.FP32],\n"
      "            y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):\n"
      "        y = pl.assemble(y, pl.neg(pl.slice(x, [16, 64], [0, 0])), [0, 0])\n"
      "        return y\n"
      "    @pl.function(type=pl.FunctionType.Orchestration)\n"
      "    def p(self, x: pl.Tensor[[16, 64], pl.FP32],\n"
      "          y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):\n"
      "        with pl.manual_scope():\n"
      "            y, rows = pl.spmd_submit(self.row, x, y, core_num=4)\n"
      "            y, done = pl.submit(self.all, pl.no_dep(x), y, deps=[rows])\n"
      "        return y\n";
  const auto l = lower(text);
  EXPECT_EQ(l.program.diagnostics.error_count(), 0U) << l.program.diagnostics.text();
  const std::string out = listing(l.program);
  EXPECT_NE(out.find("    with pl.spmd(4, name_hint=\"row\") as tasks:"), std::string::npos) << out;
  EXPECT_NE(out.find("name_hint=\"all\", deps=[tasks], no_dep_args=[x]) as tasks_1:"),
            std::string::npos)
      << out;
}

TEST(Task, WordsDateAFile) {
  const auto day = [](const std::string& body) { return lower(program(body)).program.dialect; };
  EXPECT_EQ(day("z = pl.assemble(z, x, [0, 0])\n"), "");
  EXPECT_EQ(day(kWrite), "2026-05-15");
  EXPECT_EQ(day("with pl.at(level=pl.Level.CORE_GROUP, allow_early_resolve=True):\n" + kRead),
            "2026-06-19");
}

TEST(Task, WhatIsNoTaskIsRefused) {
  const auto first_line = [](const std::string& body) {
    const std::string text = complaint(program(body));
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line("with pl.at(level=pl.Level.CORE_GROUP, deps=[x]):\n" + kRead),
            "error: deps contains a tensor");
  EXPECT_EQ(first_line("ids = pl.array.create(2, pl.TASK_ID)\nids[2] = None\n"),
            "error: entry 2 of an array of 2 task ids");
  EXPECT_EQ(first_line("t = pl.system.task_dummy(deps=[])\nu = t[0]\n"),
            "error: a task id is subscripted");
  EXPECT_EQ(first_line("with pl.at(level=pl.Level.CORE_GROUP):\n"
                       "    t = pl.system.task_dummy(deps=[])\n"),
            "error: a task id is set inside a scope");
}

}  // namespace
}  // namespace frontend_test
