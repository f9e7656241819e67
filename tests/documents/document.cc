#include "document.h"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace tilewright::documents {
namespace {

const std::regex kMark(
    "^<!-- (not run|one machine|exit code|ended by Ctrl-C|file|part of)(:? ([^>]*))? -->$");

// Above `fence`: marks first, then the paragraph.
void read_above(const std::vector<std::string>& lines, std::size_t fence, Block& block) {
  std::size_t at = fence;
  for (std::smatch m; at > 0 && std::regex_match(lines[at - 1], m, kMark); --at)
    block.marks[m[1]] = m[3];
  while (at > 0 && lines[at - 1].empty()) --at;
  for (; at > 0 && !lines[at - 1].empty(); --at)
    block.text_above = lines[at - 1] + " " + block.text_above;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string Block::text() const {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

Document read_document(const std::filesystem::path& path) {
  Document d{path, lines_of(read_file(path)), {}};
  for (std::size_t i = 0; i < d.lines.size(); ++i) {
    if (!d.lines[i].starts_with("```")) continue;
    Block block;
    block.language = d.lines[i].substr(3);
    block.first_line = i + 2;
    read_above(d.lines, i, block);
    for (++i; i < d.lines.size() && d.lines[i] != "```"; ++i) block.lines.push_back(d.lines[i]);
    d.blocks.push_back(std::move(block));
  }
  return d;
}

std::vector<std::pair<std::size_t, std::string>> Document::prose() const {
  std::vector<std::pair<std::size_t, std::string>> out;
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool fence = lines[i].starts_with("```");
    if (!fence && !inside && !lines[i].starts_with("<!--")) out.emplace_back(i + 1, lines[i]);
    if (fence) inside = !inside;
  }
  return out;
}

std::vector<Command> commands_of(const Block& block) {
  std::vector<Command> commands;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const std::string& line = block.lines[i];
    if (line.starts_with("$ ")) {
      commands.push_back({line.substr(2), {}, block.first_line + i});
    } else if (!commands.empty() && commands.back().output.empty() &&
               commands.back().line.ends_with('\\')) {
      commands.back().line += "\n" + line;  // goes on
    } else if (!commands.empty()) {
      commands.back().output.push_back(line);
    }
  }
  for (Command& c : commands)  // an empty line before the next command is for the eye
    while (!c.output.empty() && c.output.back().empty()) c.output.pop_back();
  return commands;
}

}  // namespace tilewright::documents
