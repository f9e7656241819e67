#include "tilewright/report/trace.h"

#include "tilewright/ir/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

namespace tilewright::report {

using namespace ir;

namespace {

// Names are the user's; JSON wants them escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

class Writer {
 public:
  Writer(const Plan& plan, const TaskGraph& graph, const RunRecord& record)
      : plan_(plan), graph_(graph), record_(record), origin_(record.first_dispatch()) {
    text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  }

  std::string run(const TraceOptions& options) {
    std::vector<std::size_t> order(record_.tasks.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::size_t t) { return record_.tasks[t].start; });
    used_.assign(record_.lanes.size() * kTracks, false);
    std::size_t slices = 0;
    for (std::size_t t : order) {
      task(TaskId(t));
      slices += record_.profiles[record_.tasks[t].profile].slices.size();
      if (slices <= options.most_slices) pipes(TaskId(t));
    }
    int cluster = -1;
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (used_[i]) {
        name_track(i);
        name_cluster(record_.lanes[i / kTracks].cluster, cluster);
      }
    text_.resize(text_.size() - 2);  // the last comma
    return text_ + "\n]}\n";
  }

 private:
  static constexpr std::size_t kTracks = kPipes + 1;  // of a core: tasks, then pipes
  static constexpr int64_t kOneNs = 1000;             // in picoseconds

  // Instructions of one kind on one pipe, one after the other.
  struct Run {
    std::string_view name;
    int64_t begin = 0, end = 0;
  };

  // Rounded to nanoseconds, so that adjacent slices stay adjacent.
  double us(int64_t ps) const { return std::round(static_cast<double>(ps - origin_) / 1e3) / 1e3; }

  void slice(std::size_t track, std::string_view name, int64_t begin, int64_t end,
             const std::string& details) {
    used_[track] = true;
    fmt::format_to(
        std::back_inserter(text_),
        "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"ts\":{:.3f},\"dur\":{:.3f}{}}},\n",
        record_.lanes[track / kTracks].cluster, track, escaped(name), us(begin),
        us(end) - us(begin), details);
  }

  void task(TaskId id) {
    const TaskRecord& t = record_.tasks[id.index()];
    const KernelProfile& p = record_.profiles[t.profile];
    const std::string details = fmt::format(
        ",\"args\":{{\"task\":\"{}\",\"ready_us\":{:.3f},\"dispatch_us\":{:.3f},\"finish_us\":{:."
        "3f},"
        "\"gm_read_bytes\":{},\"gm_write_bytes\":{},\"hbm_bytes\":{}}}",
        escaped(task_name(plan_, graph_, id)), us(t.ready), us(t.dispatch), us(t.finish), p.gm_read,
        p.gm_write, t.hbm_bytes);
    for_each_lane(id, [&](std::size_t lane) {  // its details are attached to its own core only
      slice(lane * kTracks, plan_.kernel(graph_.tasks[id.index()].kernel).name, t.start, t.end,
            lane == static_cast<std::size_t>(t.lane) ? details : "");
    });
  }

  // The lane of the record, and for a mixed task the vector cores of its cluster.
  template <class F>
  void for_each_lane(TaskId id, F&& visit) const {
    const auto first = static_cast<std::size_t>(record_.tasks[id.index()].lane);
    visit(first);
    if (plan_.kernel(graph_.tasks[id.index()].kernel).core != CoreKind::Mixed) return;
    for (std::size_t i = 0; i < record_.lanes.size(); ++i)
      if (i != first && record_.lanes[i].cluster == record_.lanes[first].cluster) visit(i);
  }

  // A task that HBM slowed down is longer than its profile; its instructions are stretched evenly.
  void pipes(TaskId id) {
    const TaskRecord& t = record_.tasks[id.index()];
    const KernelProfile& p = record_.profiles[t.profile];
    const double stretch =
        p.duration > 0 ? static_cast<double>(t.end - t.start) / static_cast<double>(p.duration) : 1;
    const auto at = [&](int64_t ps) {
      return t.start + static_cast<int64_t>(static_cast<double>(ps) * stretch);
    };
    for_each_lane(id, [&](std::size_t lane) {
      const bool cube = record_.lanes[lane].kind == CoreKind::Cube;
      std::array<Run, kPipes> runs;
      const auto flush = [&](std::size_t pipe) {
        const Run& r = runs[pipe];
        if (!r.name.empty()) slice(lane * kTracks + 1 + pipe, r.name, at(r.begin), at(r.end), "");
      };
      for (const Slice& s : p.slices) {
        if ((s.side == CoreSide::Cube) != cube) continue;
        const auto pipe = static_cast<std::size_t>(s.pipe);
        const std::string_view name = s.op ? op_name(s.op->kind) : std::string_view("read");
        if (runs[pipe].name == name && s.begin - runs[pipe].end < kOneNs) {
          runs[pipe].end = s.end;
          continue;
        }
        flush(pipe);
        runs[pipe] = {name, s.begin, s.end};
      }
      for (std::size_t pipe = 0; pipe < kPipes; ++pipe) flush(pipe);
    });
  }

  void name_track(std::size_t track) {
    const Lane& lane = record_.lanes[track / kTracks];
    const std::size_t pipe = track % kTracks;
    const std::string name =
        pipe == 0 ? lane.name
                  : fmt::format("{} {}", lane.name, pipe_name(static_cast<Pipe>(pipe - 1)));
    fmt::format_to(std::back_inserter(text_),
                   "{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\","
                   "\"args\":{{\"name\":\"{2}\"}}}},\n"
                   "{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\","
                   "\"args\":{{\"sort_index\":{1}}}}},\n",
                   lane.cluster, track, name);
  }
  // Named once per cluster; tracks are ordered by cluster.
  void name_cluster(int cluster, int& last) {
    if (cluster == last) return;
    last = cluster;
    fmt::format_to(std::back_inserter(text_),
                   "{{\"ph\":\"M\",\"pid\":{0},\"name\":\"process_name\","
                   "\"args\":{{\"name\":\"cluster {0}\"}}}},\n",
                   cluster);
  }

  const Plan& plan_;
  const TaskGraph& graph_;
  const RunRecord& record_;
  const int64_t origin_;
  std::vector<bool> used_;
  std::string text_;
};

}  // namespace

std::string chrome_trace(const Plan& plan, const TaskGraph& graph, const RunRecord& record,
                         const TraceOptions& options) {
  if (record.tasks.empty()) return "{\"traceEvents\": []}\n";
  return Writer(plan, graph, record).run(options);
}

}  // namespace tilewright::report
