// The advisor's changes as code actions. A search takes seconds, so it runs once per version of a
// document, on the first request for code actions, and its result is kept.
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
  // Whether a code action request should include advice: the user invoked it, and its filter of
  // kinds (`only`) does not exclude rewrites.
  static bool is_wanted(const Value& params);

  bool knows(const AnalysisPtr& analysis) const;
  // Searches unless the result is kept already. Throws Stopped when the stop flag of this thread is
  // set.
  void look(const AnalysisPtr& analysis, const Settings& settings);
  // Actions for the current version of the document; none when the kept result is for another
  // version.
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
