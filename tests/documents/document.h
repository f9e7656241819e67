// A Markdown document as its tests see it: fenced blocks with the marks that stand above them.
//
// A block of language `console` holds commands, each a line that begins with "$ ", and below a
// command what it prints. These comments on the lines right above a block change what is done with
// it:
//
//   <!-- not run: REASON -->                 only for the commands listed in documents_test.cc
//   <!-- one machine: CPU -->                numbers of the output may differ; the text names the
//   CPU
//   <!-- exit code 1 -->                     what the last command of the block ends with
//   <!-- ended by Ctrl-C -->                 the last command is interrupted after some seconds
//   <!-- file: PATH, saved as NAME -->       the block is the file, which later commands find as
//   NAME
//   <!-- part of: PATH, saved as NAME -->    the block is some lines of the file, one after the
//   other
//
// In an output a line "..." stands for any number of lines, and without any output nothing is
// compared.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilewright::documents {

struct Block {
  std::string language;
  std::map<std::string, std::string> marks;  // "exit code" -> "1"
  std::vector<std::string> lines;
  std::size_t first_line = 0;  // of the document, counted from 1
  std::string text_above;      // the paragraph before it

  bool has(const std::string& mark) const { return marks.contains(mark); }
  std::string text() const;
};

struct Command {
  std::string line;                 // without "$ "
  std::vector<std::string> output;  // as the document has it
  std::size_t first_line = 0;       // of the command in the document
};

struct Document {
  std::filesystem::path path;
  std::vector<std::string> lines;
  std::vector<Block> blocks;

  // What stands outside of blocks.
  std::vector<std::pair<std::size_t, std::string>> prose() const;
};

Document read_document(const std::filesystem::path& path);
std::vector<Command> commands_of(const Block& block);
std::string read_file(const std::filesystem::path& path);
std::vector<std::string> lines_of(const std::string& text);

}  // namespace tilewright::documents
