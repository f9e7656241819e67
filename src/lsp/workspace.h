// The shared state of the server: open documents, the results for each, and the settings. Every
// member may be called from any thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "tilewright/lsp/documents.h"
#include "tilewright/lsp/view.h"

namespace tilewright::lsp {

using StopFlag = std::shared_ptr<std::atomic<bool>>;

class Workspace {
 public:
  Documents documents;

  void configure(std::shared_ptr<const Settings> settings);  // all documents are analysed again
  void set_client(const Client& client);
  std::shared_ptr<const Settings> settings() const;
  Client client() const;

  // The text of a document changed. Stops the current work; the document and its importers are
  // analysed again.
  void changed(const std::string& uri);
  void closed(const std::string& uri);
  // A file on disk changed or was removed: its importers are analysed again.
  void file_changed(const std::string& uri);
  void end();  // stops the current work; no further work is handed out

  // The document to check next, the most recently edited first; null when all are checked.
  struct Job {
    DocumentPtr document;
    DocumentMap open;
    StopFlag stop;
  };
  Job next_check();
  // False when the document has changed meanwhile.
  bool checked(const AnalysisPtr& analysis, const Job& job);

  struct PredictionJob {
    AnalysisPtr analysis;
    PredictionPtr prediction;  // to be explained; null when the prediction itself is to be made
    StopFlag stop;
  };
  PredictionJob next_prediction();
  void predicted(const PredictionPtr& prediction);

  // Whether the newest version of a document has been checked, or predicted.
  bool is_checked(const std::string& uri) const;
  bool is_predicted(const std::string& uri) const;
  bool is_quiet() const;  // no document waits for its check

  // `document` is null when it is not open.
  View view(const std::string& uri) const;

 private:
  struct State {
    uint64_t edit = 0;  // when it was last changed: counts all edits
    bool dirty = true;
    AnalysisPtr latest, good;
    PredictionPtr prediction;
  };
  void mark(const std::string& path);  // the lock must be held
  void stop_all();                     // the same
  bool wants_prediction(const State& s) const;

  mutable std::mutex mutex_;
  std::shared_ptr<const Settings> settings_ = std::make_shared<const Settings>();
  Client client_;
  uint64_t edits_ = 0;
  bool ended_ = false;
  std::map<std::string, State> states_;  // by path
  StopFlag stop_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace tilewright::lsp
