// What a request is answered from: the document as it is now, and the last that is known of it.
// While a file is half typed, that is an earlier version.
#pragma once

#include <vector>

#include "tilewright/lsp/analysis.h"
#include "tilewright/lsp/prediction.h"

namespace tilewright::lsp {

// What the client can do, as far as the server asks.
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
  AnalysisPtr latest;            // of the newest version that was looked at; may be null
  AnalysisPtr good;              // the newest whose programs could be built; may be null
  PredictionPtr prediction;      // may be null, and of an older version
  std::vector<AnalysisPtr> all;  // the newest readable one of every open document
  std::shared_ptr<const Settings> settings;
  Client client;
};

// Lines of an older version of a text in the newer one: those before the first change and after the
// last one moved as a whole.
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
