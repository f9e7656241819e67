#include "tilewright/lsp/checking.h"

#include "tilewright/base/stop.h"
#include "tilewright/lsp/diagnostics.h"

namespace tilewright::lsp {

Checking::Checking(Workspace& workspace, Outbox& outbox, Requests& requests,
                   const catalog::Catalog& catalog)
    : workspace_(workspace),
      outbox_(outbox),
      requests_(requests),
      catalog_(catalog),
      slow_([this] { return slow_work(); }),
      fast_([this] { return fast_work(); }) {}

Checking::~Checking() {
  workspace_.end();
  requests_.cancel_all();
  fast_.end();
  slow_.end();
}

bool Checking::fast_work() {
  if (check_one()) return true;
  return requests_.answer_one(Need::Checked);
}

bool Checking::check_one() {
  const Workspace::Job job = workspace_.next_check();
  if (!job.document) return false;
  try {
    const StopScope scope(*job.stop);
    const auto settings = workspace_.settings();
    const AnalysisPtr analysis = analyse(job.document, job.open, *settings, catalog_);
    const auto found = diagnostics_of(*analysis, *settings, workspace_.client().encoding);
    std::map<std::string, int64_t> versions;
    for (const auto& [path, document] : job.open) versions[document->uri] = document->version;
    if (workspace_.checked(analysis, job)) {
      outbox_.publish(job.document->uri, found, versions,
                      [&] { return workspace_.documents.find(job.document->uri) != nullptr; });
      refresh();
    }
  } catch (const Stopped&) {}
  slow_.wake();
  return true;
}

bool Checking::slow_work() {
  if (requests_.answer_one(Need::Predicted)) return true;
  if (predict_one()) return true;
  return requests_.advise_one();
}

bool Checking::predict_one() {
  const Workspace::PredictionJob job = workspace_.next_prediction();
  if (!job.analysis) return false;
  try {
    const StopScope scope(*job.stop);
    workspace_.predicted(job.prediction ? explain(job.prediction) : predict(job.analysis));
    if (workspace_.client().refreshes_lenses) outbox_.ask("workspace/codeLens/refresh");
  } catch (const Stopped&) {
    return false;  // the edit that stopped it leads to a check, which wakes this thread
  }
  return true;
}

void Checking::refresh() {
  if (workspace_.client().refreshes_hints) outbox_.ask("workspace/inlayHint/refresh");
}

}  // namespace tilewright::lsp
