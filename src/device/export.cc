#include "tilewright/device/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tilewright/device/device_task.h"
#include "tilewright/device/runtime_tasks.h"
#include "tilewright/device/ticks.h"

namespace tilewright::device {
namespace {

std::string quoted(const std::string& s) { return nlohmann::json(s).dump(); }

// The part of a task that one core executes.
struct Part {
  std::size_t task = 0;  // of the record
  int core = 0;
  TaskNumber number = 0;
  uint64_t token = 0;
  int function = -1;
};

class Writer {
 public:
  Writer(const Executed& run, RecordsForm form, int level)
      : run_(run), form_(form), level_(level), tasks_(run) {
    find_parts();
  }

  std::string records() {
    out_ = "{\n";
    if (form_ == RecordsForm::L2Perf)
      add("  \"version\": {},\n", level_ >= 3 ? 2 : 1);  // 2: with phases
    else
      add("  \"{}_swimlane_level\": {},\n", form_ == RecordsForm::ChipSwimlane ? "chip" : "l2",
          level_);
    in_us() ? rows_in_us() : rows_in_ticks();
    if (level_ >= 3) scheduler();
    if (level_ >= 3 && in_us()) add(",\n  {}", core_to_thread());
    if (level_ >= 4) orchestrator();
    return std::move(out_) + "\n}\n";
  }

  std::string dependences() {
    out_ = "{\"tasks\":[";
    // Allocations are no tasks there, and yet edges begin at them.
    std::vector<RuntimeTask> tasks = tasks_.list();
    std::erase_if(tasks, [](const RuntimeTask& t) { return t.allocation; });
    each(tasks, [&](const RuntimeTask& t) {
      const auto f = functions(t.submission);
      add("\n{{\"task_id\":\"{}\",\"scope\":\"auto\",\"early_dispatch\":false,"
          "\"kernel_ids\":[{},{},{}],\"block_num\":{},\"args\":[]}}",
          t.number, f[0], f[1], f[2], blocks(t.submission));
    });
    add("],\"tensors\":[],\"edges\":[");
    each(tasks_.edges(), [&](const EdgeInfo& e) {
      add("\n{{\"pred\":\"{}\",\"succ\":\"{}\",\"arg\":0,\"source\":\"{}\",\"flags\":[\"wait\"]}}",
          e.from, e.to, edge_source_name(e.source));
    });
    add("]}}\n");
    return std::move(out_);
  }

  std::string names() {
    out_.clear();
    add("{{\n  \"level\": 2,\n  \"orchestrator_name\": {},\n  \"callable_id_to_name\": {{",
        quoted(run_.program));
    int id = 0;
    each(function_names(run_.plan),
         [&](const std::string& name) { add("\n    \"{}\": {}", id++, quoted(name)); });
    add("\n  }}\n}}\n");
    return std::move(out_);
  }

 private:
  bool in_us() const { return form_ == RecordsForm::L2SwimlaneUs || form_ == RecordsForm::L2Perf; }

  template <class... A>
  void add(fmt::format_string<A...> format, A&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<A>(args)...);
  }
  template <class List, class F>
  void each(const List& list, F&& write) {
    bool first = true;
    for (const auto& item : list) {
      if (!first) out_ += ',';
      first = false;
      write(item);
    }
  }

  int64_t blocks(uint32_t s) const {
    return run_.order.first_task[s + 1] - run_.order.first_task[s];
  }
  std::array<int, 3> functions(uint32_t s) const {
    if (blocks(s) == 0) return {-1, -1, -1};
    return functions_of(run_.plan, run_.graph.tasks[run_.order.first_task[s]].kernel);
  }

  // By core, and on each core in the order of execution, as a runtime collects them.
  void find_parts() {
    const auto& lanes = run_.record.lanes;
    for (uint32_t s = 0; s < run_.order.submissions(); ++s) {
      const std::array<int, 3> f = functions(s);
      for (uint32_t t = run_.order.first_task[s]; t < run_.order.first_task[s + 1]; ++t) {
        const int lane = run_.record.tasks[t].lane;
        const bool mixed = f[0] >= 0 && f[1] >= 0;
        for (int core = 0; core < static_cast<int>(lanes.size()); ++core) {
          const ir::Lane& other = lanes[static_cast<std::size_t>(core)];
          const bool takes_part =
              core == lane || (mixed && other.kind == ir::CoreKind::Vector &&
                               other.cluster == lanes[static_cast<std::size_t>(lane)].cluster);
          if (!takes_part) continue;
          const int side = other.kind == ir::CoreKind::Cube ? 0 : 1;
          parts_.push_back(
              {t, core, tasks_.of_submission(s), 0, f[static_cast<std::size_t>(side)]});
        }
      }
    }
    std::ranges::stable_sort(parts_, {}, [&](const Part& p) {
      return std::pair(p.core, run_.record.tasks[p.task].start);
    });
    for (std::size_t i = 0; i < parts_.size(); ++i)
      parts_[i].token = i > 0 && parts_[i - 1].core == parts_[i].core ? parts_[i - 1].token + 1 : 0;
  }

  const ir::TaskRecord& record(const Part& p) const { return run_.record.tasks[p.task]; }

  // A counter of ticks has counted before the run begins; readers take 0 for a time that is
  // missing.
  static int64_t ticks(int64_t ps) { return kPsPerSecond + ps; }

  // Of each core, the scheduler's thread that serves it, as the simulator distributes clusters.
  std::string core_to_thread() const {
    const auto threads = static_cast<int>(run_.record.scheduler_busy.size());
    std::vector<int> out;
    for (const ir::Lane& l : run_.record.lanes) out.push_back(l.cluster % std::max(1, threads));
    return fmt::format("\"core_to_thread\": [{}]", fmt::join(out, ", "));
  }

  void rows_in_ticks() {
    const auto& lanes = run_.record.lanes;
    add("  \"metadata\": {{\n    \"clock_freq_hz\": {},\n    \"num_cores\": {},\n    "
        "\"core_types\": [",
        kPsPerSecond, lanes.size());
    each(lanes, [&](const ir::Lane& l) { add("\"{}\"", core_type(l)); });
    add("]");
    if (level_ >= 3) add(",\n    {}", core_to_thread());
    add("\n  }},\n  \"aicore_tasks\": [");
    each(parts_, [&](const Part& p) {
      add("\n    [{}, {}, {}, {}, {}{}]", p.core, p.number, p.token, ticks(record(p).start),
          ticks(record(p).end), form_ == RecordsForm::ChipSwimlane ? ", 0" : "");
    });
    add("],\n  \"aicpu_tasks\": [");
    if (level_ >= 2)
      each(parts_, [&](const Part& p) {
        add("\n    [{}, {}, {}, {}]", p.core, p.token, ticks(record(p).dispatch),
            ticks(record(p).finish));
      });
    add("]");
  }

  const char* core_type(const ir::Lane& l) const {
    return l.kind == ir::CoreKind::Cube ? "aic" : "aiv";
  }

  void rows_in_us() {
    const std::vector<EdgeInfo> edges =
        form_ == RecordsForm::L2Perf ? tasks_.edges() : std::vector<EdgeInfo>();
    std::vector<std::vector<TaskNumber>> consumers(tasks_.list().size());
    for (const EdgeInfo& e : edges) consumers[e.from].push_back(e.to);
    add("  \"tasks\": [");
    each(parts_, [&](const Part& p) {
      const ir::TaskRecord& r = record(p);
      add("\n    {{\"task_id\": {}, \"func_id\": {}, \"core_id\": {}, \"core_type\": \"{}\", "
          "\"ring_id\": {}, \"start_time_us\": {}, \"end_time_us\": {}, \"duration_us\": {}, "
          "\"dispatch_time_us\": {}, \"finish_time_us\": {}",
          p.number, form_ == RecordsForm::L2Perf ? p.function : -1, p.core,
          core_type(run_.record.lanes[static_cast<std::size_t>(p.core)]), ring_of(p.number),
          us_word(r.start), us_word(r.end), us_word(r.end - r.start),
          us_word(level_ >= 2 ? r.dispatch : 0), us_word(level_ >= 2 ? r.finish : 0));
      if (form_ == RecordsForm::L2Perf) {
        add(", \"fanout\": [");
        each(consumers[p.number], [&](TaskNumber c) { add("{}", c); });
        add("], \"fanout_count\": {}", consumers[p.number].size());
      }
      add("}}");
    });
    add("]");
  }

  std::string interval(int64_t begin, int64_t end) const {
    return in_us()
               ? fmt::format("\"start_time_us\": {}, \"end_time_us\": {}", us_word(begin),
                             us_word(end))
               : fmt::format("\"start_cycles\": {}, \"end_cycles\": {}", ticks(begin), ticks(end));
  }

  void scheduler() {
    std::vector<std::vector<const ir::RuntimePhase*>> threads(run_.record.scheduler_busy.size());
    for (const ir::RuntimePhase& p : run_.record.phases)
      if (p.work != ir::RuntimeWork::Submit)
        threads[static_cast<std::size_t>(p.thread)].push_back(&p);
    add(",\n  \"aicpu_scheduler_phases\": [");
    each(threads, [&](const auto& list) {
      add("\n    [");
      int64_t round = 0;
      each(list, [&](const ir::RuntimePhase* p) {
        add("\n      {{\"{}\": \"{}\", {}, \"loop_iter\": {}, \"tasks_processed\": 1}}",
            in_us() ? "phase" : "kind", phase_kind(p->work), interval(p->begin, p->end), round++);
      });
      add("]");
    });
    add("]");
  }

  void orchestrator() {
    std::vector<const ir::RuntimePhase*> of(run_.order.submissions());
    for (const ir::RuntimePhase& p : run_.record.phases)
      if (p.work == ir::RuntimeWork::Submit) of[p.submission] = &p;
    add(",\n  \"aicpu_orchestrator_phases\": [[");
    each(tasks_.list(), [&](const RuntimeTask& t) {
      const ir::RuntimePhase& p = *of[t.submission];
      add("\n      {{{}\"submit_idx\": {}, \"task_id\": {}, {}}}",
          in_us() ? "\"phase\": \"orch_submit\", " : "", t.number, t.number,
          interval(p.begin, t.allocation ? p.begin : p.end));
    });
    add("]]");
  }

  const Executed& run_;
  RecordsForm form_;
  int level_;
  RuntimeTasks tasks_;
  std::vector<Part> parts_;
  std::string out_;
};

const char* file_name(RecordsForm f) {
  switch (f) {
    case RecordsForm::ChipSwimlane: return "chip_swimlane_records.json";
    case RecordsForm::L2Swimlane:
    case RecordsForm::L2SwimlaneUs: return "l2_swimlane_records.json";
    case RecordsForm::L2Perf: return "l2_perf_records.json";
  }
  return "";
}

constexpr RecordsForm kForms[] = {RecordsForm::ChipSwimlane, RecordsForm::L2Swimlane,
                                  RecordsForm::L2SwimlaneUs, RecordsForm::L2Perf};

}  // namespace

std::string_view phase_kind(ir::RuntimeWork work) {
  switch (work) {
    case ir::RuntimeWork::Submit: return "orch_submit";
    case ir::RuntimeWork::Wire: return "wire";
    case ir::RuntimeWork::Complete: return "complete";
    case ir::RuntimeWork::Dispatch: return "dispatch";
    case ir::RuntimeWork::Stage: return "early_dispatch";
  }
  return "";
}

std::string_view records_form_name(RecordsForm f) {
  switch (f) {
    case RecordsForm::ChipSwimlane: return "chip-swimlane";
    case RecordsForm::L2Swimlane: return "l2-swimlane";
    case RecordsForm::L2SwimlaneUs: return "l2-swimlane-us";
    case RecordsForm::L2Perf: return "l2-perf";
  }
  return "";
}

std::optional<RecordsForm> records_form(std::string_view name) {
  for (RecordsForm f : kForms)
    if (records_form_name(f) == name) return f;
  return std::nullopt;
}

std::vector<std::string> records_form_names() {
  std::vector<std::string> out;
  for (RecordsForm f : kForms) out.emplace_back(records_form_name(f));
  return out;
}

std::vector<TextFile> export_records(const Executed& run, RecordsForm form, int level) {
  Writer writer(run, form, level);
  std::vector<TextFile> out{{file_name(form), writer.records()}};
  // The oldest form has its edges in the records.
  if (form != RecordsForm::L2Perf) out.push_back({"deps.json", writer.dependences()});
  std::string words;
  for (char c : run.program) words += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  out.push_back({fmt::format("name_map_{}.json", words), writer.names()});
  return out;
}

}  // namespace tilewright::device
