#include "tilewright/device/records_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tilewright/base/json_reader.h"
#include "tilewright/base/text.h"
#include "tilewright/device/json_fields.h"
#include "tilewright/device/ticks.h"

namespace tilewright::device {
namespace {

constexpr int kMostCores = 4096;  // of one device; a larger number is a damaged file

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin) : json_(text, origin) {}

  RecordsFile read() {
    json_.begin_object();
    while (const auto key = json_.next_key()) member(std::string(*key));
    json_.finish();
    require_known_form();
    return std::move(file_);
  }

 private:
  void member(const std::string& key) {
    if (key == "chip_swimlane_level" || key == "l2_swimlane_level") {
      file_.level = json_.integer();
    } else if (key == "version") {
      file_.version = json_.integer();
    } else if (key == "metadata") {
      metadata();
    } else if (key == "aicore_tasks") {
      each_item([&] { core_row(); });
    } else if (key == "aicpu_tasks") {
      each_item([&] { scheduler_row(); });
    } else if (key == "tasks") {
      file_.in_us = true;
      each_item([&] { whole_row(); });
    } else if (key == "aicpu_scheduler_phases") {
      each_item([&] {
        each_item([&] { phase(file_.threads); });
        ++file_.threads;
      });
    } else if (key == "aicpu_orchestrator_phases" || key == "host_orchestrator_phases") {
      each_item([&] { each_item([&] { submit(); }); });
    } else {
      json_.skip();
    }
  }

  template <class F>
  void each_item(F&& read) {
    json_.begin_array();
    while (json_.next_item()) read();
  }

  void metadata() {
    json_.begin_object();
    while (const auto key = json_.next_key()) {
      if (*key == "clock_freq_hz") {
        file_.ticks_per_second = read_unsigned(json_);
        if (file_.ticks_per_second == 0) json_.fail("a clock of 0 Hz");
      } else if (*key == "core_types") {
        each_item([&] { file_.cores.push_back(core_kind()); });
      } else if (*key == "host_capture") {
        host_capture();
      } else {
        json_.skip();
      }
    }
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

  ir::CoreKind core_kind() {
    const std::string kind(json_.string());
    if (kind == "aic") return ir::CoreKind::Cube;
    if (kind == "aiv") return ir::CoreKind::Vector;
    json_.fail(fmt::format("expected the core type \"aic\" or \"aiv\", found {}", quote(kind)));
  }

  // A row of numbers; older ones lack the last columns, newer ones may have more.
  std::vector<uint64_t> row(std::size_t least) {
    std::vector<uint64_t> values;
    each_item([&] { values.push_back(read_unsigned(json_)); });
    if (values.size() < least)
      json_.fail(fmt::format("expected a row of at least {} numbers, found {}", least,
                             values.size()));
    return values;
  }

  int core(uint64_t number) {
    if (number >= kMostCores) json_.fail(fmt::format("core {} does not exist", number));
    return static_cast<int>(number);
  }

  void require_order(const char* first, Ticks begin, const char* second, Ticks end) {
    if (end < begin) json_.fail(fmt::format("{} {} is after {} {}", first, begin, second, end));
  }

  void core_row() {
    const auto v = row(5);
    CoreRow r;
    r.core = core(v[0]);
    r.task = v[1];
    r.token = v[2];
    r.start = v[3];
    r.end = v[4];
    require_order("start", r.start, "end", r.end);
    file_.executions.push_back(r);
  }

  void scheduler_row() {
    const auto v = row(4);
    SchedulerRow r{.token = v[1], .core = core(v[0]), .dispatch = v[2], .finish = v[3]};
    require_order("dispatch", r.dispatch, "finish", r.finish);
    file_.scheduled.push_back(r);
  }

  void whole_row() {
    CoreRow r;
    std::optional<ir::CoreKind> kind;
    Ticks dispatch = 0, finish = 0;
    std::vector<uint64_t> consumers;
    bool has_fanout = false;
    json_.begin_object();
    while (const auto key = json_.next_key()) {
      if (*key == "task_id") r.task = read_unsigned(json_);
      else if (*key == "func_id") r.function = read_small(json_, "function");
      else if (*key == "core_id") r.core = core(read_unsigned(json_));
      else if (*key == "core_type") kind = core_kind();
      else if (*key == "start_time_us") r.start = read_us(json_);
      else if (*key == "end_time_us") r.end = read_us(json_);
      else if (*key == "dispatch_time_us") dispatch = read_us(json_);
      else if (*key == "finish_time_us") finish = read_us(json_);
      else if (*key == "fanout") consumers = row(0), has_fanout = true;
      else json_.skip();
    }
    if (r.core < 0 || !kind) json_.fail("a task without core_id or core_type");
    require_order("start_time_us", r.start, "end_time_us", r.end);
    if (finish >= r.end && finish > 0) {  // the runtime writes 0 for what it did not record
      require_order("dispatch_time_us", dispatch, "start_time_us", r.start);
      r.dispatch = dispatch;
      r.finish = finish;
    }
    set_kind(r.core, *kind);
    file_.executions.push_back(r);
    if (!has_fanout) return;
    if (!file_.fanout) file_.fanout.emplace();
    for (uint64_t consumer : consumers) file_.fanout->emplace_back(r.task, consumer);
  }

  // Only cores that ran are known. Cube cores come before vector cores.
  void set_kind(int core, ir::CoreKind kind) {
    const auto c = static_cast<std::size_t>(core);
    if (c >= file_.cores.size()) file_.cores.resize(c + 1, kind);
    file_.cores[c] = kind;
  }

  // A time that the key gives in ticks ("start_cycles") or in microseconds ("start_time_us").
  bool time(std::string_view key, std::string_view which, std::optional<Ticks>& out) {
    if (key == fmt::format("{}_cycles", which)) {
      out = read_unsigned(json_);
    } else if (key == fmt::format("{}_time_us", which)) {
      file_.in_us = true;
      out = read_us(json_);
    } else {
      return false;
    }
    return true;
  }

  void phase(std::size_t thread) {
    PhaseRow r{.thread = thread, .kind = {}};
    std::optional<Ticks> begin, end;
    json_.begin_object();
    while (const auto found = json_.next_key()) {
      const std::string key(*found);
      if (key == "kind" || key == "phase") r.kind = json_.string();
      else if (!time(key, "start", begin) && !time(key, "end", end)) json_.skip();
    }
    if (!begin || !end || r.kind.empty()) json_.fail("a phase without kind, start or end");
    require_order("start", *begin, "end", *end);
    r.begin = *begin;
    r.end = *end;
    file_.phases.push_back(std::move(r));
  }

  void submit() {
    SubmitRow r;
    bool known = false;
    json_.begin_object();
    while (const auto found = json_.next_key()) {
      const std::string key(*found);
      if (key == "submit_idx") r.index = read_unsigned(json_);
      else if (key == "task_id") known = (r.task = read_unsigned(json_), true);
      else if (!time(key, "start", r.begin) && !time(key, "end", r.end)) json_.skip();
    }
    if (!known) json_.fail("a submission without task_id");
    if (r.begin && r.end) require_order("start", *r.begin, "end", *r.end);
    file_.submits.push_back(r);
  }

  void require_known_form() {
    constexpr int64_t kLastLevel = 4, kLastVersion = 2;
    if (!file_.level && !file_.version)
      json_.fail("no chip_swimlane_level, l2_swimlane_level or version: not a file of task records");
    if (file_.level && (*file_.level < 1 || *file_.level > kLastLevel))
      json_.fail(fmt::format("level {} is not known; 1 to {} are", *file_.level, kLastLevel));
    if (!file_.level && (*file_.version < 1 || *file_.version > kLastVersion))
      json_.fail(fmt::format("version {} is not known; 1 and 2 are", *file_.version));
    if (file_.in_us && file_.ticks_per_second != 0)
      json_.fail("times both in ticks of a clock and in microseconds");
    if (file_.in_us) {
      file_.ticks_per_second = kPsPerSecond;
    } else if (file_.ticks_per_second == 0) {
      json_.fail("no clock_freq_hz in metadata, so ticks cannot become microseconds");
    }
    const auto has_core = [&](int c) { return static_cast<std::size_t>(c) < file_.cores.size(); };
    for (const CoreRow& r : file_.executions)
      if (!has_core(r.core)) json_.fail(fmt::format("core {} is not in core_types", r.core));
    for (const SchedulerRow& r : file_.scheduled)
      if (!has_core(r.core)) json_.fail(fmt::format("core {} is not in core_types", r.core));
  }

  JsonReader json_;
  RecordsFile file_;
};

}  // namespace

RecordsFile read_records(std::string_view text, const std::string& origin) {
  return Reader(text, origin).read();
}

}  // namespace tilewright::device
