// Where `tune` and `advise --apply` leave their result: the keys as JSON, the user's file with
// other constants, a patch for it, or a built-in program as text. The ending of the file's name
// says which.
#pragma once

#include <string>

#include "tilewright/base/files.h"
#include "tilewright/data/tiling_file.h"
#include "tilewright/improve/tune.h"
#include "tilewright/session/request.h"

namespace tilewright::cli {

// Keys of the winner, and those that the request set.
data::TilingFile tiling_of(const catalog::ProgramDef& def, const session::Request& request,
                           const improve::Tuned& tuned);
// The user's files with the constants of the winner; empty for a built-in program.
std::vector<SourceChange> source_changes(const catalog::ProgramDef& def,
                                         const improve::Tuned& tuned);
// Of all these files; `written_to` is the name of the new file when it is another one.
std::string source_diff(const std::vector<SourceChange>& changes,
                        const std::string& written_to = "");

// What a file of -o holds, by the ending of its name.
enum class OutputForm { Keys, Program, Patch };
// UserError for endings other than `endings`, and for a patch where no file can be patched.
OutputForm output_form(const catalog::ProgramDef& def, const std::string& path,
                       std::string_view endings);

class TunedOutput {
 public:
  // UserError when the file cannot be written, or not in the form that its ending asks for.
  TunedOutput(const catalog::ProgramDef& def, const session::Request& request, std::string path);

  // The name of the new file; empty when the user's own file is patched or keys are written.
  std::string program_path() const { return form_ == OutputForm::Program ? path_ : ""; }
  // While the search goes on: only keys, which need no proof.
  void save_so_far(const improve::Tuned& tuned);
  // Writes what is better than the start, and returns what to tell about it.
  std::string save(const improve::Tuned& tuned, const std::string& command);

 private:
  std::string program_text(const improve::Tuned& tuned) const;

  const catalog::ProgramDef& def_;
  const session::Request& request_;
  std::string path_;
  OutputForm form_;
  AtomicFile file_;
  bool written_ = false;  // keys, while the search went on
};

}  // namespace tilewright::cli
