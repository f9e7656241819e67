#include "tilewright/report/line_shares.h"

#include "tilewright/ir/plan.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tilewright::report {

using namespace ir;

namespace {

// Numbers for source lines, so that a sweep over a million instructions compares no file names.
class Lines {
 public:
  std::size_t id(const Place& p) {
    return ids_.try_emplace({p.file, p.line}, ids_.size()).first->second;
  }
  const std::map<std::pair<std::string, uint32_t>, std::size_t>& all() const { return ids_; }

 private:
  std::map<std::pair<std::string, uint32_t>, std::size_t> ids_;
};

// The lines of one kernel's instructions.
class KernelLines {
 public:
  KernelLines(const Kernel& kernel, Lines& lines)
      : lines_(&lines), scope_(lines.id(kernel.place)) {}
  std::size_t scope() const { return scope_; }
  std::size_t of(const Op* op) {
    if (!op || !op->place.known()) return scope_;
    const auto [it, added] = ops_.try_emplace(op, 0);
    if (added) it->second = lines_->id(op->place);
    return it->second;
  }

 private:
  Lines* lines_;
  std::size_t scope_;
  std::unordered_map<const Op*, std::size_t> ops_;
};

// Goes over the moments at which instructions begin and end, and calls spend(line, picoseconds).
template <class Spend>
void sweep(const KernelProfile& profile, KernelLines& lines, Spend&& spend) {
  struct Moment {
    int64_t time;
    bool begins;
    std::size_t line;
  };
  std::vector<Moment> moments;
  moments.reserve(2 * profile.slices.size());
  for (const Slice& s : profile.slices) {
    moments.push_back({s.begin, true, lines.of(s.op)});
    moments.push_back({s.end, false, lines.of(s.op)});
  }
  std::ranges::stable_sort(moments, {}, &Moment::time);
  std::vector<std::size_t> running;  // few: at most one per pipe
  std::size_t last = lines.scope();
  int64_t now = 0;
  const auto until = [&](int64_t time) {
    const auto passed = static_cast<double>(time - now);
    if (running.empty()) spend(last, passed);
    for (std::size_t line : running) spend(line, passed / static_cast<double>(running.size()));
    now = time;
  };
  for (const Moment& m : moments) {
    until(m.time);
    if (m.begins) {
      running.push_back(m.line);
    } else {
      running.erase(std::ranges::find(running, m.line));
      last = m.line;
    }
  }
  until(std::max(now, profile.duration));
}

}  // namespace

std::vector<LineShare> line_shares(const Plan& plan, const RunRecord& record) {
  std::vector<double> exec(record.profiles.size(), 0);  // by profile
  double all = 0;
  for (const TaskRecord& t : record.tasks) {
    exec[t.profile] += static_cast<double>(t.end - t.start);
    all += static_cast<double>(t.end - t.start);
  }
  Lines lines;
  std::vector<KernelLines> of_kernel;
  for (const Kernel& k : plan.kernels) of_kernel.emplace_back(k, lines);
  std::map<std::size_t, LineShare> shares;
  for (std::size_t i = 0; i < record.profiles.size(); ++i) {
    const KernelProfile& p = record.profiles[i];
    if (p.duration == 0 || exec[i] == 0) continue;
    // A task that HBM slowed down is longer than its profile; its parts are stretched evenly.
    const double stretch = exec[i] / static_cast<double>(p.duration);
    sweep(p, of_kernel[p.kernel.index()], [&](std::size_t line, double ps) {
      LineShare& s = shares[line];
      s.busy_us += ps * stretch / 1e6;
      if (std::ranges::find(s.kernels, p.kernel) == s.kernels.end()) s.kernels.push_back(p.kernel);
    });
  }
  std::vector<LineShare> out;
  for (const auto& [line, id] : lines.all()) {
    const auto it = shares.find(id);
    if (it == shares.end()) continue;
    std::tie(it->second.file, it->second.line) = line;
    it->second.share = all > 0 ? it->second.busy_us * 1e6 / all : 0;
    out.push_back(std::move(it->second));
  }
  return out;
}

}  // namespace tilewright::report
