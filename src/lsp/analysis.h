// One version of a document, read and checked: its programs, what their names stand for, and what
// is wrong with them. Made by one thread, then only looked at.
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
  std::shared_ptr<session::Session> session;  // null when the program could not be started with
  std::map<std::string, Sightings> names;     // by file

  bool ready() const { return session && session->ready(); }
};

struct Analysis {
  DocumentPtr document;
  DocumentMap open;           // every document that was open then, by path
  bool tile_program = false;  // else there is nothing to say
  std::vector<std::shared_ptr<const frontend::Parsed>> files;  // the document first, then modules
  std::vector<CheckedProgram> programs;
  std::vector<frontend::Argument> arguments;  // numbers of the file, with where they are written
  Diagnostics diagnostics;
  std::set<std::string> looked_for;  // paths that decide what the programs are
  double seconds = 0;

  // Whether names, types and symbols can be asked of it.
  bool readable() const { return !files.empty(); }
  bool built() const;
};
using AnalysisPtr = std::shared_ptr<const Analysis>;

// Whether a text uses pl: nothing is said of other Python files.
bool is_tile_program(const std::string& text);

// Throws Stopped when this thread is told so (base/stop.h); anything wrong with the document is a
// diagnostic.
AnalysisPtr analyse(DocumentPtr document, DocumentMap open, const Settings& settings,
                    const catalog::Catalog& catalog);

}  // namespace tilewright::lsp
