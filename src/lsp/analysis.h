// One version of a document, read and checked: its programs, the values of their names, and the
// diagnostics. Made by one thread and read-only afterwards, except that the slow thread lets a
// session make its task order when it simulates.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"
#include "tilewright/frontend/file.h"
#include "tilewright/lsp/documents.h"
#include "tilewright/lsp/name_log.h"
#include "tilewright/lsp/settings.h"
#include "tilewright/session/session.h"

namespace tilewright::lsp {

struct CheckedProgram {
  std::string name;
  std::shared_ptr<const catalog::ProgramDef> def;
  std::shared_ptr<session::Session> session;  // null when the session could not be created
  std::map<std::string, Sightings> names;     // by file

  bool ready() const { return session && session->ready(); }
};

struct Analysis {
  DocumentPtr document;
  DocumentMap open;           // every document that was open at that time, by path
  bool tile_program = false;  // false: a Python file that does not use pl
  std::vector<std::shared_ptr<const frontend::Parsed>> files;  // the document first, then modules
  std::vector<CheckedProgram> programs;
  // Constants of the file, with the places where they are written.
  std::vector<frontend::Argument> arguments;
  Diagnostics diagnostics;
  // Files that were read or searched for; a change of one of them changes the programs.
  std::set<std::string> looked_for;
  double seconds = 0;

  // Whether it can answer requests about names, types and symbols.
  bool readable() const { return !files.empty(); }
  bool built() const;
};
using AnalysisPtr = std::shared_ptr<const Analysis>;

// Whether a text uses pl. The server ignores other Python files.
bool is_tile_program(const std::string& text);

// Throws Stopped when the stop flag of this thread is set (base/stop.h). Every error in the
// document becomes a diagnostic.
AnalysisPtr analyse(DocumentPtr document, DocumentMap open, const Settings& settings,
                    const catalog::Catalog& catalog);

}  // namespace tilewright::lsp
