// Bytes, lines and brackets: files that are no Python get one clear error with line and column, and
// unusual but legal text is read.
#include "support.h"

namespace frontend_test {
namespace {

TEST(Text, LineEndsOfWindowsAndAByteOrderMarkAreRead) {
  std::string text = program("y = pl.assemble(y, x, [0, 0])\nreturn y\n");
  const std::string plain = ir::print(lower(text).program);
  std::string windows = "\xEF\xBB\xBF";
  for (char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(ir::print(lower(windows).program), plain);
}

TEST(Text, CommentsMayHoldAnyCharacter) {
  const std::string text =
      "# \xE2\x94\x80\xE2\x94\x80 \xC3\x97 \xE2\x86\x92\n" + program("return y\n");
  EXPECT_EQ(lower(text).program.name, "P");
}

TEST(Text, ATabInTheIndentation) {
  EXPECT_EQ(complaint("x = 1\nif x:\n\ty = 2\n"),
            "error: a tab in the indentation\n"
            "  at p.py:3:1\n"
            "    3 |  y = 2\n"
            "      | ^\n"
            "  a program file is written in Python\n"
            "  help: indent with spaces; a tab has no fixed width\n");
}

TEST(Text, BytesThatAreNotUtf8) {
  EXPECT_NE(
      complaint("x = 1\ny = \"\xE2\x94\"\n").find("error: byte 0xE2 is not UTF-8\n  at p.py:2:6\n"),
      std::string::npos);
  EXPECT_NE(complaint("# \xFF\n").find("error: byte 0xFF is not UTF-8\n  at p.py:1:3\n"),
            std::string::npos);
  EXPECT_NE(
      complaint(std::string("x = 1\0\n", 7)).find("error: control character 0x00\n  at p.py:1:6\n"),
      std::string::npos);
  EXPECT_NE(complaint("x = 1\ry = 2\n").find("error: control character 0x0D\n  at p.py:1:6\n"),
            std::string::npos);
}

TEST(Text, ColumnsCountCharacters) {
  EXPECT_NE(complaint("s = '\xC3\x97\xC3\x97' $\n")
                .find("at p.py:1:10\n    1 | s = '\xC3\x97\xC3\x97' $\n      |          ^\n"),
            std::string::npos);
}

TEST(Text, MissingBrackets) {
  EXPECT_EQ(complaint("A = (1 +\nB = 2\n"),
            "error: '(' is never closed\n"
            "  at p.py:1:5\n"
            "    1 | A = (1 +\n"
            "      |     ^\n"
            "  a program file is written in Python\n"
            "  help: close the bracket\n");
  EXPECT_NE(complaint("A = (1]\n").find("error: ']' closes '(' of 1:5\n  at p.py:1:7\n"),
            std::string::npos);
  EXPECT_NE(complaint("A = 1)\n").find("error: ')' without '('\n  at p.py:1:6\n"),
            std::string::npos);
  EXPECT_NE(complaint("A = 'x\n").find("error: a string without an end\n  at p.py:1:5\n"),
            std::string::npos);
  EXPECT_NE(complaint("A = \"\"\"x\n\n").find("error: a string without an end\n  at p.py:1:5\n"),
            std::string::npos);
}

TEST(Text, IndentationThatFitsNothing) {
  EXPECT_NE(complaint("if a:\n        b = 1\n    c = 2\n")
                .find("error: indentation of 4 matches no open block\n  at p.py:3:5\n"),
            std::string::npos);
  EXPECT_NE(complaint(kHead + "        with pl.incore():\n        y = x\n")
                .find("error: 'y' where an indented block is expected\n  at p.py:17:9\n"),
            std::string::npos);
}

// At the margin statements that cannot be read are skipped, but their blocks must end.
TEST(Text, AnIndentedLineWithoutABlock) {
  EXPECT_NE(complaint("A = 1\n    B = 2\nC = 3\n")
                .find("error: an indented line without a block\n  at p.py:2:5\n"),
            std::string::npos);
  // A function that is not read is skipped as a whole.
  EXPECT_NE(complaint("def specs():\n    a = 1\n        b = 2\n    c = 3\nD = 4\n")
                .find("error: the file holds no program\n"),
            std::string::npos);
}

TEST(Text, DeepNestingIsRefusedAndNotFollowed) {
  EXPECT_NE(complaint("A = " + repeated("(", 5000) + "1" + repeated(")", 5000) + "\n")
                .find("error: brackets nested more than 100 deep\n  at p.py:1:105\n"),
            std::string::npos);
  std::string blocks;
  for (int i = 0; i < 500; ++i) blocks += repeated(" ", i) + "if a:\n";
  EXPECT_NE(complaint(blocks + repeated(" ", 500) + "pass\n")
                .find("error: blocks nested more than 99 deep\n  at p.py:101:101\n"),
            std::string::npos);
  const std::string deep = "error: an expression nested more than 200 deep\n";
  for (const std::string& value :
       {"1" + repeated(" + 1", 100000), repeated("-", 100000) + "1", repeated("not ", 100000) + "1",
        "a" + repeated(".a", 100000), "f" + repeated("()", 100000),
        repeated("1 if a else ", 100000) + "1"})
    EXPECT_NE(complaint(program("v = " + value + "\n")).find(deep), std::string::npos)
        << value.substr(0, 40);
  std::string branches = "if N == 1:\n    pass\n";
  for (int i = 0; i < 5000; ++i) branches += "elif N == 1:\n    pass\n";
  EXPECT_NE(complaint(program(branches)).find("error: blocks nested more than 100 deep\n"),
            std::string::npos);
}

TEST(Text, AHundredThousandLinesAreRead) {
  std::string body = "with pl.incore():\n    t = pl.slice(x, [16, N], [0, 0])\n";
  for (int i = 0; i < 100000; ++i) body += "    t = pl.add(t, 1.0)\n";
  const frontend::Lowered l = lower(program(body + "    y = pl.assemble(y, t, [0, 0])\n"));
  EXPECT_TRUE(l.program.diagnostics.empty());
  EXPECT_EQ(l.program.body[0].as<ir::Scope>()->body.size(), 100002U);
}

TEST(Text, AFileThatIsTooLarge) {
  EXPECT_NE(complaint(std::string(9u << 20, '\n')).find("error: the file has more than 8 MiB\n  in p.py\n"),
            std::string::npos);
}

TEST(Text, OneErrorPerBadFile) {
  for (const std::string& text :
       {std::string("A = (1]\n\tB = $\n"), std::string("\xFF\xFE(\n\t)")}) {
    const std::string told = complaint(text);
    EXPECT_EQ(told.find("error:", 1), std::string::npos) << told;
  }
}

}  // namespace
}  // namespace frontend_test
