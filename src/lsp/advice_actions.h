// The advisor's changes as code actions. Searching takes seconds, so it is done once per version of
// a document, when somebody asks for actions, and kept.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tilewright/improve/advice.h"
#include "tilewright/lsp/view.h"

namespace tilewright::lsp {

class AdviceCache {
 public:
  // Whether actions with advice are wanted by a request: asked for by the user, and not of other
  // kinds only.
  static bool is_wanted(const Value& params);

  bool knows(const AnalysisPtr& analysis) const;
  // Searches, unless it is known already. Throws Stopped when this thread is told so.
  void look(const AnalysisPtr& analysis, const Settings& settings);
  // Actions for the document as it is now; none when it is not the version that was looked at.
  std::vector<Value> actions(const View& view) const;
  void forget(const std::string& path);

 private:
  struct Known {
    AnalysisPtr analysis;
    std::vector<std::pair<std::size_t, std::shared_ptr<const improve::Finding>>> findings;
  };
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Known>> known_;  // by path
};

}  // namespace tilewright::lsp
