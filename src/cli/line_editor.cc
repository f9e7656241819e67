#include "tilewright/cli/line_editor.h"

#include <histedit.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <filesystem>
#include <utility>

#include "tilewright/base/files.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kLines = 1000;  // of the history

// Multibyte characters are edited as such only in a locale that has them.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

// Keys that the terminal's description often lacks: Home, End, Delete, and words with Ctrl.
constexpr std::pair<const char*, const char*> kKeys[] = {
    {"\033[H", "ed-move-to-beg"},       {"\033[1~", "ed-move-to-beg"},
    {"\033OH", "ed-move-to-beg"},       {"\033[F", "ed-move-to-end"},
    {"\033[4~", "ed-move-to-end"},      {"\033OF", "ed-move-to-end"},
    {"\033[3~", "ed-delete-next-char"}, {"\033[1;5C", "em-next-word"},
    {"\033[1;5D", "ed-prev-word"},      {"^R", "em-inc-search-prev"}};

volatile std::sig_atomic_t line_dropped = 0, continued = 0;

// While a line is read, Ctrl-C drops it instead of ending the process, and a process that was
// stopped by Ctrl-Z knows that it goes on. libedit's own handlers are not used: they send the
// signal again, which may then reach another thread while a read that was interrupted is tried
// again.
class ReadSignals {
 public:
  ReadSignals() {
    struct sigaction on_signal = {};
    on_signal.sa_handler = [](int signal) { (signal == SIGINT ? line_dropped : continued) = 1; };
    ::sigaction(SIGINT, &on_signal, &interrupt_);
    ::sigaction(SIGCONT, &on_signal, &continue_);
  }
  ~ReadSignals() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGCONT, &continue_, nullptr);
  }
  ReadSignals(const ReadSignals&) = delete;

 private:
  struct sigaction interrupt_ = {}, continue_ = {};
};

// The next character: 1, 0 at the end of the input, -1 when the line is dropped or on an error.
int next_character(EditLine* line, wchar_t* out) {
  std::mbstate_t state = {};
  while (true) {
    char byte = 0;
    const ssize_t n = ::read(STDIN_FILENO, &byte, 1);
    if (n == 0) return 0;
    if (n < 0) {
      if (errno != EINTR || line_dropped) return -1;
      if (continued) {  // the shell has had the terminal meanwhile
        continued = 0;
        el_set(line, EL_PREP_TERM, 0);
        el_set(line, EL_PREP_TERM, 1);
        el_set(line, EL_REFRESH);
      }
      continue;
    }
    const std::size_t length = std::mbrtowc(out, &byte, 1, &state);
    if (length == static_cast<std::size_t>(-2)) continue;  // more bytes of it to come
    if (length != static_cast<std::size_t>(-1)) return 1;
    state = {};  // no character: it is skipped
  }
}

}  // namespace

struct LineEditor::Parts {
  std::string prompt, file;
  EditLine* line;
  History* history;
  HistEvent event = {};

  static char* prompt_of(EditLine* line) {
    void* parts = nullptr;
    el_get(line, EL_CLIENTDATA, &parts);
    return static_cast<Parts*>(parts)->prompt.data();
  }

  Parts(std::string p, std::string h) : prompt(std::move(p)), file(std::move(h)) {
    use_utf8();
    line = el_init("tilewright", stdin, stderr, stderr);
    history = history_init();
    ::history(history, &event, H_SETSIZE, kLines);
    ::history(history, &event, H_SETUNIQUE, 1);
    if (!file.empty()) ::history(history, &event, H_LOAD, file.c_str());
    el_set(line, EL_CLIENTDATA, this);
    el_set(line, EL_PROMPT, &prompt_of);
    el_set(line, EL_EDITOR, "emacs");
    el_set(line, EL_GETCFN, &next_character);
    el_set(line, EL_HIST, ::history, history);
    for (const auto& [key, does] : kKeys) el_set(line, EL_BIND, key, does, nullptr);
    el_source(line, nullptr);  // ~/.editrc
  }
  ~Parts() {
    history_end(history);
    el_end(line);
  }

  // A history that cannot be kept is no reason to end a conversation. What is typed is private.
  void save() {
    if (file.empty()) return;
    std::error_code ignored;
    fs::create_directories(fs::path(file).parent_path(), ignored);
    const fs::path beside = temporary_beside(file);
    if (::history(history, &event, H_SAVE, beside.c_str()) < 0) return;
    fs::permissions(beside, fs::perms::owner_read | fs::perms::owner_write, ignored);
    fs::rename(beside, file, ignored);
    if (ignored) fs::remove(beside, ignored);
  }
};

LineEditor::LineEditor(std::string prompt, std::string history)
    : parts_(std::make_unique<Parts>(std::move(prompt), std::move(history))) {}

LineEditor::~LineEditor() = default;

bool LineEditor::read(std::string& line) {
  const ReadSignals signals;
  el_resize(parts_->line);
  while (true) {
    int count = 0;
    line_dropped = 0;
    const char* typed = el_gets(parts_->line, &count);
    if (typed && count > 0) {
      line.assign(typed, static_cast<std::size_t>(count));
      while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
      return true;
    }
    std::fputs("\n", stderr);
    if (!line_dropped) return false;  // the end; in a search, Ctrl-C looks like one
    el_reset(parts_->line);
  }
}

void LineEditor::remember(const std::string& line) {
  history(parts_->history, &parts_->event, H_ENTER, line.c_str());
  parts_->save();
}

std::string history_file() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  fs::path state = variable("XDG_STATE_HOME");
  if (!state.is_absolute()) {
    const fs::path home = variable("HOME");
    if (!home.is_absolute()) return "";
    state = home / ".local/state";
  }
  return state / "tilewright/chat_history";
}

}  // namespace tilewright::cli
