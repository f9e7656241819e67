// Everything the server knows: open documents, what was found out about each, and the settings.
// Every member may be called from any thread.
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

  void configure(std::shared_ptr<const Settings> settings);  // everything is looked at again
  void set_client(const Client& client);
  std::shared_ptr<const Settings> settings() const;
  Client client() const;

  // The document, or a module of others, is another one now: work that goes on is stopped.
  void changed(const std::string& uri);
  void closed(const std::string& uri);
  // A file on disk is another one now, or gone: its importers are looked at again.
  void file_changed(const std::string& uri);
  void end();  // work that goes on is stopped, and there is no more

  // The document that should be checked next, the last that was edited first; null: none.
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
    PredictionPtr prediction;  // to be explained; null: to be made
    StopFlag stop;
  };
  PredictionJob next_prediction();
  void predicted(const PredictionPtr& prediction);

  // Whether the newest version of a document has been looked at so far.
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
  void mark(const std::string& path);  // with the lock held
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
