#include "tilewright/device/records_file.h"

#include <fmt/format.h>

#include <map>

#include "tilewright/device/json_fields.h"
#include "tilewright/device/ticks.h"

namespace tilewright::device {
namespace {

// Of a file with microseconds, which knows only the cores that ran. Cube cores have the lower
// numbers.
class CoresThatRan {
 public:
  void add(JsonReader& json, int core, ir::CoreKind kind) {
    const auto [it, added] = kinds_.try_emplace(core, kind);
    if (!added && it->second != kind)
      json.fail(fmt::format("core {} is both a cube and a vector core", core));
  }
  std::vector<ir::CoreKind> all() const {
    int first_vector = 0;
    for (const auto& [core, kind] : kinds_)
      if (kind == ir::CoreKind::Cube) first_vector = core + 1;
    std::vector<ir::CoreKind> out;
    if (!kinds_.empty()) out.resize(static_cast<std::size_t>(kinds_.rbegin()->first) + 1);
    for (int c = 0; c < std::ssize(out); ++c) {
      const auto it = kinds_.find(c);
      const bool cube = it != kinds_.end() ? it->second == ir::CoreKind::Cube : c < first_vector;
      out[static_cast<std::size_t>(c)] = cube ? ir::CoreKind::Cube : ir::CoreKind::Vector;
    }
    return out;
  }

 private:
  std::map<int, ir::CoreKind> kinds_;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin) : json_(text, origin) {}

  RecordsFile read() {
    json_.begin_object();
    while (const auto key = json_.next_key()) member(std::string(*key));
    json_.finish();
    require_known_form();
    settle_clock();
    settle_cores();
    return std::move(file_);
  }

 private:
  void member(const std::string& key) {
    if (key == "chip_swimlane_level" || key == "l2_swimlane_level" || key == "l2_perf_level")
      level();
    else if (key == "version")
      version();
    else if (key == "metadata")
      metadata();
    else if (key == "aicore_tasks")
      each_item([&] { file_.executions.push_back(read_core_row(json_)); });
    else if (key == "aicpu_tasks")
      each_item([&] { file_.scheduled.push_back(read_scheduler_row(json_)); });
    else if (key == "tasks")
      tasks();
    else if (key == "core_to_thread")
      core_to_thread();
    else if (key == "aicpu_scheduler_phases")
      each_item([&] {
        each_item([&] { phase(); });
        ++file_.threads;
      });
    else if (key == "aicpu_orchestrator_phases" || key == "host_orchestrator_phases")
      submits();
    else
      json_.skip();
  }

  template <class F>
  void each_item(F&& read) {
    json_.begin_array();
    while (json_.next_item()) read();
  }

  void level() {
    constexpr int64_t kLast = 4;
    file_.level = json_.integer();
    if (*file_.level < 1 || *file_.level > kLast)
      json_.fail(fmt::format("level {} is not known; 1 to {} are", *file_.level, kLast));
    known_ = true;
  }

  // Until 18 May 2026 it told files with phases from files without, and then for some days it was
  // the level. What the file holds says more than either.
  void version() {
    constexpr int64_t kLast = 4;
    const int64_t version = json_.integer();
    if (version < 1 || version > kLast)
      json_.fail(fmt::format("version {} is not known; 1 to {} are", version, kLast));
    known_ = true;
  }

  void metadata() {
    json_.begin_object();
    while (const auto key = json_.next_key()) {
      if (*key == "clock_freq_hz") {
        file_.ticks_per_second = read_unsigned(json_);
        if (file_.ticks_per_second == 0) json_.fail("a clock of 0 Hz");
      } else if (*key == "core_types") {
        each_item([&] { file_.cores.push_back(read_core_kind(json_)); });
      } else if (*key == "core_to_thread") {
        core_to_thread();
      } else if (*key == "host_capture") {
        host_capture();
      } else {
        json_.skip();
      }
    }
  }

  // -1: a core that no thread serves.
  void core_to_thread() {
    each_item([&] {
      if (const int64_t thread = json_.integer(); thread >= 0) file_.serving.insert(thread);
    });
  }

  void host_capture() {
    json_.begin_object();
    while (const auto key = json_.next_key()) {
      if (*key == "status")
        file_.lost = json_.string() != "complete";
      else
        json_.skip();
    }
  }

  void tasks() {
    file_.in_us = true;
    each_item([&] {
      WholeRow whole = read_whole_row(json_);
      cores_.add(json_, whole.row.core, whole.kind);
      file_.executions.push_back(whole.row);
      if (!whole.consumers) return;
      if (!file_.fanout) file_.fanout.emplace();
      for (uint64_t consumer : *whole.consumers)
        file_.fanout->emplace_back(whole.row.task, consumer);
    });
  }

  void phase() {
    file_.phases.push_back(read_phase(json_, file_.threads));
    file_.in_us = file_.in_us || file_.phases.back().when.in_us;
  }

  void submits() {
    std::size_t thread = 0;
    each_item([&] {
      each_item([&] {
        file_.submits.push_back(read_submit(json_, thread));
        file_.in_us = file_.in_us || file_.submits.back().when.in_us;
      });
      ++thread;
    });
  }

  void require_known_form() {
    if (!known_ && !file_.in_us)
      json_.fail(
          "no chip_swimlane_level, l2_swimlane_level, l2_perf_level or version: not a file of task "
          "records");
  }

  void settle_clock() {
    if (file_.in_us && file_.ticks_per_second != 0)
      json_.fail("times both in ticks of a clock and in microseconds");
    if (file_.in_us)
      file_.ticks_per_second = kPsPerSecond;
    else if (file_.ticks_per_second == 0)
      json_.fail("no clock_freq_hz in metadata, so ticks cannot become microseconds");
  }

  void settle_cores() {
    if (file_.in_us) file_.cores = cores_.all();
    const auto require = [&](int c) {
      if (static_cast<std::size_t>(c) >= file_.cores.size())
        json_.fail(fmt::format("core {} is not in core_types", c));
    };
    for (const CoreRow& r : file_.executions) require(r.core);
    for (const SchedulerRow& r : file_.scheduled) require(r.core);
  }

  JsonReader json_;
  RecordsFile file_;
  CoresThatRan cores_;
  bool known_ = false;  // a key says what the file is
};

}  // namespace

RecordsFile read_records(std::string_view text, const std::string& origin) {
  return Reader(text, origin).read();
}

}  // namespace tilewright::device
