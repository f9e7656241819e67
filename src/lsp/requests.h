// The queue of requests that wait for a check, a prediction or advice before they can be answered.
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
  void edited();                        // stops the current search for advice: its document changed
  void closed(const std::string& uri);  // refuses the waiting requests about the document

  // Answers one request whose need is met and not above `most`; false when there is none.
  bool answer_one(Need most);
  // Searches for the advice that a request waits for, and answers the request; false when no
  // request waits for advice.
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
  // Removes the first request that fits from the queue. With `advise` it becomes `advising_` under
  // the same lock, so that a cancellation always finds it in the queue or there.
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
