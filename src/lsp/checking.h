// The two threads of the server. The fast one checks documents as they are typed and answers what
// needs no more than that; the slow one predicts times and looks for advice. An edit stops both.
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
  ~Checking();  // gives up what is going on

  // Waits until documents are checked and requests answered, at most so long.
  void settle(std::chrono::duration<double> most) {
    // The fast lane wakes the slow one, never the other way round.
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
