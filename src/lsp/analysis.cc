#include "tilewright/lsp/analysis.h"

#include <fmt/format.h>

#include <chrono>
#include <mutex>

#include "tilewright/base/stop.h"
#include "tilewright/data/program_file.h"
#include "tilewright/ir/program.h"
#include "tilewright/session/check.h"
#include "tilewright/session/reference.h"

namespace tilewright::lsp {
namespace {

constexpr std::size_t kMostPrograms = 50;  // of one file

Diagnostic bug_diagnostic(const std::string& what, const std::string& path) {
  return {Severity::Error,
          "internal",
          what,
          "in " + path,
          "this is a bug of tilewright, not a mistake of yours",
          "please report it with this file",
          ""};
}

std::string stripped(std::string_view line) {
  const std::size_t from = std::min(line.find_first_not_of(" \t"), line.size());
  return std::string(line.substr(from));
}

// A set of paths that any thread may add to: the threads of a search build programs with other
// constants, and every build reads the modules again.
class PathSet {
 public:
  void add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    paths_.insert(path);
  }
  std::set<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return paths_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> paths_;
};

class Analyser {
 public:
  Analyser(DocumentPtr document, DocumentMap open, const Settings& settings,
           const catalog::Catalog& catalog)
      : out_(std::make_shared<Analysis>()), settings_(settings), catalog_(catalog) {
    out_->document = std::move(document);
    out_->open = std::move(open);
  }

  AnalysisPtr run() {
    const auto start = std::chrono::steady_clock::now();
    out_->tile_program = is_tile_program(out_->document->text());
    if (out_->tile_program) guarded([&] { read_file(); });
    out_->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out_;
  }

 private:
  template <class F>
  void guarded(F&& work) {
    try {
      work();
    } catch (const UserError& e) {
      out_->diagnostics.add(e.diagnostic());
    } catch (const std::bad_alloc&) {
      out_->diagnostics.add(bug_diagnostic("there is not enough memory for this program", path()));
    } catch (const std::exception& e) {
      out_->diagnostics.add(bug_diagnostic(e.what(), path()));
    }
  }

  const std::string& path() const { return out_->document->path; }

  frontend::Reading reading(const std::shared_ptr<PathSet>& looked_for) const {
    frontend::Reading how;
    how.paths = settings_.paths;
    how.looked_for = [looked_for](const std::string& file) { looked_for->add(file); };
    how.open_text = [open = out_->open](const std::string& file) -> std::optional<std::string> {
      const auto it = open.find(file);
      if (it == open.end()) return std::nullopt;
      return it->second->text();
    };
    return how;
  }

  void read_file() {
    const auto looked_for = std::make_shared<PathSet>();
    frontend::Reading how = reading(looked_for);
    const auto log = NameLog::attach(how);
    const frontend::File file = frontend::File::read(path(), std::move(how));
    out_->files = file.files();
    const std::vector<std::string> names = file.programs();
    if (names.empty())
      for (const Diagnostic& d : out_->files[0]->errors()) out_->diagnostics.add(d);
    for (const std::string& name : names) {
      if (out_->programs.size() == kMostPrograms) break;
      stop_if_asked();
      guarded([&] { check_program(file, name, names.size() == 1, *log); });
    }
    log->close();
    out_->files = file.files();
    out_->looked_for = looked_for->all();
  }

  void check_program(const frontend::File& file, const std::string& name, bool only, NameLog& log) {
    const auto args = chosen_args(file, name);
    auto def = std::make_shared<catalog::ProgramDef>(
        data::program_of(only ? path() : fmt::format("{}::{}", path(), name), file, name, args));
    session::use_original(*def, catalog_);
    CheckedProgram program{.name = name, .def = def, .session = nullptr, .names = {}};
    session::CheckResult result = session::check(*def, settings_.request());
    program.session = std::move(result.session);
    program.names = log.take();
    for (const Diagnostic& d : result.diagnostics.list()) add_once(d);
    for (frontend::Argument& a : file.arguments(name, args))
      out_->arguments.push_back(std::move(a));
    out_->programs.push_back(std::move(program));
  }

  // The setting `args` applies to all files, so only arguments that this file or its modules
  // mention are passed on.
  std::map<std::string, std::string> chosen_args(const frontend::File& file,
                                                 const std::string& name) const {
    if (!settings_.args.empty()) file.arguments(name, {});  // reads the modules
    return settings_.args_for(path(), [&](const std::string& wanted) {
      for (const auto& parsed : file.files())
        if (parsed->source().text().find(wanted) != std::string_view::npos) return true;
      return false;
    });
  }

  // Programs of one file may share a function; its errors are reported once.
  void add_once(const Diagnostic& d) {
    if (told_.insert(d.text()).second) out_->diagnostics.add(d);
  }

  std::shared_ptr<Analysis> out_;
  const Settings& settings_;
  const catalog::Catalog& catalog_;
  std::set<std::string> told_;
};

}  // namespace

bool Analysis::built() const {
  for (const CheckedProgram& p : programs)
    if (p.session && p.session->built()) return true;
  return false;
}

bool is_tile_program(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = stripped(std::string_view(text).substr(at, end - at));
    at = end + 1;
    const bool imports = line.starts_with("import ") || line.starts_with("from ");
    if (imports && line.find("pypto") != std::string::npos) return true;
    if (line.starts_with("@pl.")) return true;
  }
  return false;
}

AnalysisPtr analyse(DocumentPtr document, DocumentMap open, const Settings& settings,
                    const catalog::Catalog& catalog) {
  return Analyser(std::move(document), std::move(open), settings, catalog).run();
}

}  // namespace tilewright::lsp
