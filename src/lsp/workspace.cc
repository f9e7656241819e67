#include "tilewright/lsp/workspace.h"

#include "tilewright/lsp/uri.h"

namespace tilewright::lsp {

void Workspace::stop_all() {
  *stop_ = true;
  stop_ = std::make_shared<std::atomic<bool>>(false);
}

void Workspace::configure(std::shared_ptr<const Settings> settings) {
  const std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
  stop_all();
  for (auto& [path, state] : states_) {
    state.dirty = true;
    state.prediction = nullptr;
  }
}

void Workspace::set_client(const Client& client) {
  const std::lock_guard lock(mutex_);
  client_ = client;
}

std::shared_ptr<const Settings> Workspace::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

Client Workspace::client() const {
  const std::lock_guard lock(mutex_);
  return client_;
}

void Workspace::mark(const std::string& path) {
  for (auto& [other, state] : states_)
    if (state.latest && state.latest->looked_for.contains(path)) state.dirty = true;
}

void Workspace::changed(const std::string& uri) {
  const std::string path = path_of_uri(uri);
  const std::lock_guard lock(mutex_);
  stop_all();
  mark(path);
  State& s = states_[path];
  s.edit = ++edits_;
  s.dirty = true;
}

void Workspace::closed(const std::string& uri) {
  const std::string path = path_of_uri(uri);
  const std::lock_guard lock(mutex_);
  stop_all();
  states_.erase(path);
  mark(path);
}

void Workspace::file_changed(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  stop_all();
  mark(path_of_uri(uri));
}

void Workspace::end() {
  const std::lock_guard lock(mutex_);
  stop_all();
  ended_ = true;
}

Workspace::Job Workspace::next_check() {
  const std::lock_guard lock(mutex_);
  if (ended_) return {};
  const DocumentMap open = documents.all();
  const State* best = nullptr;
  DocumentPtr document;
  for (const auto& [path, state] : states_) {
    if (!state.dirty || (best && best->edit > state.edit)) continue;
    const auto it = open.find(path);
    if (it == open.end()) continue;
    best = &state;
    document = it->second;
  }
  if (!document) return {};
  return {document, open, stop_};
}

bool Workspace::checked(const AnalysisPtr& analysis, const Job& job) {
  const std::lock_guard lock(mutex_);
  const auto it = states_.find(analysis->document->path);
  if (*job.stop || it == states_.end()) return false;
  State& s = it->second;
  s.dirty = false;
  s.latest = analysis;
  if (analysis->built()) s.good = analysis;
  return true;
}

bool Workspace::wants_prediction(const State& s) const {
  if (s.dirty || !s.latest || s.good != s.latest) return false;
  return !s.prediction || s.prediction->analysis != s.latest || !s.prediction->explained;
}

Workspace::PredictionJob Workspace::next_prediction() {
  const std::lock_guard lock(mutex_);
  if (ended_) return {};
  const State* best = nullptr;
  for (const auto& [path, state] : states_) {
    if (!wants_prediction(state)) continue;
    // First a prediction of every document, then what binds them.
    const bool made = state.prediction && state.prediction->analysis == state.latest;
    if (!best || !made) best = &state;
    if (!made) break;
  }
  if (!best) return {};
  const bool made = best->prediction && best->prediction->analysis == best->latest;
  return {best->latest, made ? best->prediction : nullptr, stop_};
}

void Workspace::predicted(const PredictionPtr& prediction) {
  const std::lock_guard lock(mutex_);
  const auto it = states_.find(prediction->analysis->document->path);
  if (it != states_.end() && it->second.latest == prediction->analysis)
    it->second.prediction = prediction;
}

bool Workspace::is_checked(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  const auto it = states_.find(path_of_uri(uri));
  return it == states_.end() || !it->second.dirty;
}

bool Workspace::is_predicted(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  const auto it = states_.find(path_of_uri(uri));
  if (it == states_.end()) return true;
  const State& s = it->second;
  return !s.dirty && (!wants_prediction(s) || (s.prediction && s.prediction->analysis == s.latest));
}

bool Workspace::is_quiet() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [path, state] : states_)
    if (state.dirty) return false;
  return true;
}

View Workspace::view(const std::string& uri) const {
  View out;
  out.document = documents.find(uri);
  const std::lock_guard lock(mutex_);
  out.settings = settings_;
  out.client = client_;
  for (const auto& [path, state] : states_) {
    if (state.latest && state.latest->readable())
      out.all.push_back(state.latest);
    else if (state.good)
      out.all.push_back(state.good);
  }
  const auto it = out.document ? states_.find(out.document->path) : states_.end();
  if (it == states_.end()) return out;
  out.latest = it->second.latest;
  out.good = it->second.good;
  out.prediction = it->second.prediction;
  return out;
}

}  // namespace tilewright::lsp
