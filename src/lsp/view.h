// The data that a request is answered from: the current document and the newest results about it.
// While a file is half typed, these results are of an earlier version.
#pragma once

#include <vector>

#include "tilewright/lsp/analysis.h"
#include "tilewright/lsp/prediction.h"

namespace tilewright::lsp {

// The client's capabilities that the server uses.
struct Client {
  Encoding encoding = Encoding::Utf16;
  bool refreshes_lenses = false, refreshes_hints = false;
  bool creates_files = false;    // in a workspace edit
  bool versioned_edits = false;  // documentChanges
  bool nested_symbols = false;
  bool action_literals = false;
};

struct View {
  DocumentPtr document;
  AnalysisPtr latest;            // of the newest version that was analysed; may be null
  AnalysisPtr good;              // the newest whose programs could be built; may be null
  PredictionPtr prediction;      // may be null, and of an older version
  std::vector<AnalysisPtr> all;  // the newest readable one of every open document
  std::shared_ptr<const Settings> settings;
  Client client;
};

// Maps lines of an older version of a text to the newer one. Lines before the first change keep
// their numbers; lines after the last change are shifted together.
class LineMap {
 public:
  LineMap(const Lines& from, const Lines& to);
  // Lines from 0; -1 when the line was changed.
  int64_t forward(int64_t line) const { return mapped(line, from_count_, to_count_); }
  int64_t backward(int64_t line) const { return mapped(line, to_count_, from_count_); }

 private:
  int64_t mapped(int64_t line, int64_t from, int64_t to) const;

  int64_t from_count_, to_count_;
  int64_t before_ = 0, after_ = 0;  // lines that are equal at the beginning and at the end
};

}  // namespace tilewright::lsp
