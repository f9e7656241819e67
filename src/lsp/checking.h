// The two threads of the server. The fast thread checks documents while they are typed and answers
// the requests that need only a check. The slow thread predicts times and searches for advice. An
// edit stops the current work of both.
#pragma once

#include "tilewright/lsp/lane.h"
#include "tilewright/lsp/outbox.h"
#include "tilewright/lsp/requests.h"
#include "tilewright/lsp/workspace.h"

namespace tilewright::lsp {

class Checking {
 public:
  Checking(Workspace& workspace, Outbox& outbox, Requests& requests,
           const catalog::Catalog& catalog);
  ~Checking();  // stops the current work and waits for both threads

  // Waits until all documents are checked and all requests answered, for at most `most` per thread.
  void settle(std::chrono::duration<double> most) {
    // In this order: the fast thread wakes the slow one, never the other way round.
    fast_.settle(most);
    slow_.settle(most);
  }
  void wake() {
    fast_.wake();
    slow_.wake();
  }

 private:
  bool fast_work();
  bool slow_work();
  bool check_one();
  bool predict_one();
  void refresh();

  Workspace& workspace_;
  Outbox& outbox_;
  Requests& requests_;
  const catalog::Catalog& catalog_;
  Lane slow_, fast_;  // last: they use the rest
};

}  // namespace tilewright::lsp
