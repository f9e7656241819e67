#include "tilewright/lsp/requests.h"

#include <algorithm>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/stop.h"

namespace tilewright::lsp {

void Requests::add(const Value& id, const Feature& feature, const Value& params,
                   const std::string& uri) {
  auto w = std::make_shared<Waiting>(Waiting{id, &feature, params, uri, feature.need});
  const bool actions = feature.method == "textDocument/codeAction";
  if (actions && AdviceCache::is_wanted(params)) w->need = Need::Advice;
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(w));
}

void Requests::refuse(const Waiting& w, ErrorCode code, const std::string& why) {
  outbox_.send(error_response(w.id, code, why));
}

std::vector<Requests::WaitingPtr> Requests::take_all(
    const std::function<bool(const Waiting&)>& fits) {
  const std::lock_guard lock(mutex_);
  std::vector<WaitingPtr> out;
  std::erase_if(waiting_, [&](const WaitingPtr& w) {
    if (!fits(*w)) return false;
    out.push_back(w);
    return true;
  });
  return out;
}

void Requests::cancel(const Value& id) {
  for (const WaitingPtr& w : take_all([&](const Waiting& x) { return x.id == id; }))
    refuse(*w, ErrorCode::RequestCancelled, "cancelled");
  const std::lock_guard lock(mutex_);
  if (advising_ && advising_->id == id) *advising_->stop = true;
}

void Requests::cancel_all() {
  for (const WaitingPtr& w : take_all([](const Waiting&) { return true; }))
    refuse(*w, ErrorCode::RequestCancelled, "the server is shutting down");
  const std::lock_guard lock(mutex_);
  if (advising_) *advising_->stop = true;
}

void Requests::edited() {
  const std::lock_guard lock(mutex_);
  if (!advising_) return;
  advising_->why = ErrorCode::ContentModified;
  *advising_->stop = true;
}

void Requests::closed(const std::string& uri) {
  for (const WaitingPtr& w : take_all([&](const Waiting& x) { return x.uri == uri; }))
    refuse(*w, ErrorCode::ContentModified, "the document was closed");
  edited();
}

bool Requests::is_met(const Waiting& w) const {
  switch (w.need) {
    case Need::Nothing: return true;
    case Need::Checked:
    case Need::Advice: return workspace_.is_checked(w.uri);
    case Need::Predicted: return workspace_.is_predicted(w.uri);
  }
  return true;
}

Requests::WaitingPtr Requests::take(const std::function<bool(const Waiting&)>& fits, bool advise) {
  const std::lock_guard lock(mutex_);
  const auto it = std::ranges::find_if(waiting_, [&](const WaitingPtr& w) { return fits(*w); });
  if (it == waiting_.end()) return nullptr;
  WaitingPtr out = *it;
  waiting_.erase(it);
  if (advise) advising_ = out;
  return out;
}

void Requests::answer(const Waiting& w) {
  try {
    const View view = workspace_.view(w.uri);
    if (!view.document) return refuse(w, ErrorCode::ContentModified, "the document was closed");
    Value result = w.feature->answer(view, w.params);
    if (w.feature->method == "textDocument/codeAction")
      for (Value& action : advice_.actions(view)) result.push_back(std::move(action));
    outbox_.send(response(w.id, std::move(result)));
  } catch (const RpcError& e) {
    refuse(w, e.code(), e.what());
  } catch (const std::exception& e) {
    refuse(w, ErrorCode::InternalError, e.what());
  }
}

bool Requests::answer_one(Need most) {
  const WaitingPtr w = take([&](const Waiting& x) { return x.need <= most && is_met(x); });
  if (!w) return false;
  answer(*w);
  return true;
}

bool Requests::advise_one() {
  const WaitingPtr w =
      take([&](const Waiting& x) { return x.need == Need::Advice && is_met(x); }, true);
  if (!w) return false;
  bool stopped = false;
  try {
    const StopScope scope(*w->stop);
    const View view = workspace_.view(w->uri);
    if (view.good && view.good == view.latest) advice_.look(view.good, *view.settings);
  } catch (const Stopped&) {
    stopped = true;
  } catch (const std::exception&) {  // there is no advice then; the other actions are still there
  }
  {
    const std::lock_guard lock(mutex_);
    advising_ = nullptr;
  }
  if (stopped)
    refuse(*w, w->why, "stopped");
  else
    answer(*w);
  return true;
}

}  // namespace tilewright::lsp
