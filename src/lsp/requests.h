// Requests that wait for the check, the prediction or the advice that they are answered from.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "tilewright/lsp/advice_actions.h"
#include "tilewright/lsp/features.h"
#include "tilewright/lsp/outbox.h"
#include "tilewright/lsp/workspace.h"

namespace tilewright::lsp {

class Requests {
 public:
  Requests(Workspace& workspace, Outbox& outbox) : workspace_(workspace), outbox_(outbox) {}

  void add(const Value& id, const Feature& feature, const Value& params, const std::string& uri);
  void cancel(const Value& id);
  void cancel_all();
  void edited();                        // advice that is being looked for is of no use any more
  void closed(const std::string& uri);  // requests about it cannot be answered

  // Answers one request whose need is at most `most` and met; false when there is none.
  bool answer_one(Need most);
  // Looks for advice that a request waits for, and answers it; false when there is none.
  bool advise_one();

 private:
  struct Waiting {
    Value id;
    const Feature* feature;
    Value params;
    std::string uri;
    Need need;
    StopFlag stop = std::make_shared<std::atomic<bool>>(false);
    ErrorCode why = ErrorCode::RequestCancelled;  // when stopped
  };
  using WaitingPtr = std::shared_ptr<Waiting>;

  bool is_met(const Waiting& w) const;
  // Takes the first that fits; it is at once the one that is being advised on, if `advise`, so that
  // a cancellation finds it in one place or the other.
  WaitingPtr take(const std::function<bool(const Waiting&)>& fits, bool advise = false);
  void answer(const Waiting& w);
  void refuse(const Waiting& w, ErrorCode code, const std::string& why);
  std::vector<WaitingPtr> take_all(const std::function<bool(const Waiting&)>& fits);

  Workspace& workspace_;
  Outbox& outbox_;
  AdviceCache advice_;
  std::mutex mutex_;
  std::deque<WaitingPtr> waiting_;
  WaitingPtr advising_;
};

}  // namespace tilewright::lsp
