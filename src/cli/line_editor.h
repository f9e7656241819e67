// Lines that somebody types at a terminal: edited with the arrow keys, and kept in a history that
// the next run has, too.
#pragma once

#include <memory>
#include <string>

namespace tilewright::cli {

class LineEditor {
 public:
  // `history` is a file that need not exist; empty = lines are kept for this run only. Lines are
  // read from stdin, prompts and echoes go to stderr.
  LineEditor(std::string prompt, std::string history);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;

  // The next line, without its end. False at the end of the input, which is Ctrl-D on an empty
  // line. Ctrl-C drops the line that is being typed.
  bool read(std::string& line);
  // Keeps a line for the history.
  void remember(const std::string& line);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Where chat keeps its history: below $XDG_STATE_HOME or ~/.local/state. Empty when neither is
// known.
std::string history_file();

}  // namespace tilewright::cli
