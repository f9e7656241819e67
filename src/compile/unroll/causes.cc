#include "tilewright/compile/unroll/causes.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"

namespace tilewright::compile {

using namespace ir;

std::string_view Passage::name() const {
  if (!op) return "read";
  return op->atomic_add ? "assemble_add" : op_name(op->kind);
}

CauseId Causes::intern(CauseId from, VarId array, const Passage& by, const Rect& hole,
                       bool certain) {
  const auto id = static_cast<CauseId>(steps_.size());
  const Key key{from, array.valid() ? array.value : UINT32_MAX, by.subject(), certain};
  const auto [it, fresh] = index_.try_emplace(key, id);
  if (fresh) {
    steps_.push_back({from, array, by, hole, certain, 1});
  } else {
    ++steps_[it->second].times;
  }
  return it->second;
}

CauseId Causes::never_written(VarId array) { return intern(kNoCause, array, {}, {}, true); }

CauseId Causes::may_be_written(VarId array, const Passage& by) {
  return intern(kNoCause, array, by, {}, false);
}

CauseId Causes::through(CauseId from, const Passage& by, const Rect& hole, bool certain) {
  certain = certain && steps_[from].certain;
  const auto [it, fresh] = next_.try_emplace({from, by.subject(), certain}, kNoCause);
  if (fresh) {
    it->second = taken_before(from, by, certain);
    if (it->second == kNoCause) it->second = intern(from, VarId(), by, hole, certain);
  } else if (steps_[it->second].from == from) {
    ++steps_[it->second].times;
  }
  return it->second;
}

CauseId Causes::taken_before(CauseId from, const Passage& by, bool certain) const {
  for (CauseId at = from; at != kNoCause; at = steps_[at].from)
    if (!begins(at) && steps_[at].by.subject() == by.subject() && steps_[at].certain == certain)
      return at;
  return kNoCause;
}

std::string Causes::beginning(const Step& first, const Rect& hole) const {
  const Var& v = p_[first.array];
  const std::string_view how = p_.param_of(first.array) ? "declared" : "created";
  const std::string made = v.place.known() ? fmt::format(", {} at {}", how, v.place.text()) : "";
  const std::string what = fmt::format("{} of {}{}", hole.text(), v.written_name(), made);
  if (!first.by.subject()) return what;
  return fmt::format("{} and possibly written at {}", what, first.by.place().text());
}

std::vector<CauseId> Causes::shown_path(CauseId id) const {
  std::vector<CauseId> path;
  for (CauseId at = id; at != kNoCause; at = steps_[at].from) path.insert(path.begin(), at);
  constexpr std::size_t kShown = 4;  // of the steps: the first three and the last
  if (path.size() > kShown + 2) {
    path.erase(path.begin() + kShown, path.end() - 1);
    path.insert(path.end() - 1, kNoCause);
  }
  return path;
}

std::string Causes::way(CauseId id, const Rect& where) const {
  const std::vector<CauseId> path = shown_path(id);
  const Rect hole = path.size() > 1 ? steps_[path[1]].hole : where;
  std::string out = beginning(steps_[path[0]], hole);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Passage& by = steps_[path[i]].by;
    out += path[i] == kNoCause ? std::string(" -> ...")
                               : fmt::format(" -> {} at {}", by.name(), by.place().text());
  }
  return out;
}

std::vector<RelatedPlace> Causes::places(CauseId id) const {
  std::vector<RelatedPlace> out;
  for (const CauseId at : shown_path(id)) {
    if (at == kNoCause) continue;
    const Step& step = steps_[at];
    if (begins(at))
      out.push_back({p_[step.array].place, p_.param_of(step.array) ? "declared" : "created"});
    if (step.by.subject())
      out.push_back({step.by.place(), begins(at) ? "possibly written" : std::string(step.by.name())});
  }
  return out;
}

void Causes::blame(CauseId id) {
  for (CauseId at = id; at != kNoCause && blamed_.insert(at).second; at = steps_[at].from) continue;
}

std::vector<const Causes::Step*> Causes::harmless_reads() const {
  std::vector<const Step*> out;
  for (CauseId id = 1; id < steps_.size(); ++id)
    if (!begins(id) && begins(steps_[id].from) && !blamed_.contains(id)) out.push_back(&steps_[id]);
  return out;
}

}  // namespace tilewright::compile
