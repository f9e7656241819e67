#include "tilewright/device/record_rows.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/device/json_fields.h"

namespace tilewright::device {
namespace {

constexpr int kMostCores = 4096;  // of one device; a larger number is a damaged file

// Numbers; older rows lack the last columns, newer ones may have more.
std::vector<uint64_t> row(JsonReader& json, std::size_t least) {
  std::vector<uint64_t> values;
  json.begin_array();
  while (json.next_item()) values.push_back(read_unsigned(json));
  if (values.size() < least)
    json.fail(fmt::format("expected a row of at least {} numbers, found {}", least, values.size()));
  return values;
}

int core(JsonReader& json, uint64_t number) {
  if (number >= kMostCores) json.fail(fmt::format("core {} does not exist", number));
  return static_cast<int>(number);
}

void require_order(JsonReader& json, const char* first, std::optional<Ticks> begin,
                   const char* second, std::optional<Ticks> end) {
  if (begin && end && *end < *begin)
    json.fail(fmt::format("{} {} is after {} {}", first, *begin, second, *end));
}

// The runtime writes 0 for what it did not record.
std::optional<Ticks> recorded(Ticks t) { return t > 0 ? std::optional(t) : std::nullopt; }

// "start_cycles" in ticks, "start_time_us" in microseconds. False: the key is another one.
bool read_time(JsonReader& json, std::string_view key, Interval& when) {
  const bool begin = key.starts_with("start_"), end = key.starts_with("end_");
  if (!begin && !end) return false;
  const std::string_view unit = key.substr(key.find('_') + 1);
  std::optional<Ticks>& t = begin ? when.begin : when.end;
  if (unit == "cycles") {
    t = read_unsigned(json);
  } else if (unit == "time_us") {
    t = read_us(json);
    when.in_us = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

ir::CoreKind read_core_kind(JsonReader& json) {
  const std::string kind(json.string());
  if (kind == "aic") return ir::CoreKind::Cube;
  if (kind == "aiv") return ir::CoreKind::Vector;
  json.fail(fmt::format("expected the core type \"aic\" or \"aiv\", found {}", quote(kind)));
}

CoreRow read_core_row(JsonReader& json) {
  const auto v = row(json, 5);
  CoreRow r;
  r.core = core(json, v[0]);
  r.task = v[1];
  r.token = v[2];
  r.start = v[3];
  r.end = v[4];
  require_order(json, "start", r.start, "end", r.end);
  if (v.size() > 5) {
    if (v[5] > r.start) json.fail(fmt::format("received {} ticks before start {}", v[5], r.start));
    r.received = r.start - v[5];
  }
  return r;
}

SchedulerRow read_scheduler_row(JsonReader& json) {
  const auto v = row(json, 4);
  SchedulerRow r{v[1], core(json, v[0]), recorded(v[2]), recorded(v[3])};
  require_order(json, "dispatch", r.dispatch, "finish", r.finish);
  return r;
}

WholeRow read_whole_row(JsonReader& json) {
  WholeRow whole;
  CoreRow& r = whole.row;
  std::optional<ir::CoreKind> kind;
  Ticks dispatch = 0;
  json.begin_object();
  while (const auto key = json.next_key()) {
    if (*key == "task_id")
      r.task = read_unsigned(json);
    else if (*key == "func_id")
      r.function = read_small(json, "function");
    else if (*key == "core_id")
      r.core = core(json, read_unsigned(json));
    else if (*key == "core_type")
      kind = read_core_kind(json);
    else if (*key == "start_time_us")
      r.start = read_us(json);
    else if (*key == "end_time_us")
      r.end = read_us(json);
    else if (*key == "dispatch_time_us")
      dispatch = read_us(json);
    else if (*key == "finish_time_us")
      r.finish = recorded(read_us(json));
    else if (*key == "fanout")
      whole.consumers = row(json, 0);
    else
      json.skip();
  }
  if (r.core < 0 || !kind) json.fail("a task without core_id or core_type");
  require_order(json, "start_time_us", r.start, "end_time_us", r.end);
  if (r.finish) r.dispatch = dispatch;  // the first dispatch of all is at 0
  require_order(json, "dispatch_time_us", r.dispatch, "finish_time_us", r.finish);
  whole.kind = *kind;
  return whole;
}

PhaseRow read_phase(JsonReader& json, std::size_t thread) {
  PhaseRow r{.thread = thread, .kind = {}, .when = {}};
  json.begin_object();
  while (const auto found = json.next_key()) {
    const std::string key(*found);
    if (key == "kind" || key == "phase")
      r.kind = json.string();
    else if (!read_time(json, key, r.when))
      json.skip();
  }
  if (!r.when.begin || !r.when.end || r.kind.empty())
    json.fail("a phase without kind, start or end");
  require_order(json, "start", r.when.begin, "end", r.when.end);
  return r;
}

SubmitRow read_submit(JsonReader& json, std::size_t thread) {
  SubmitRow r{.thread = thread, .when = {}};
  bool known = false;
  json.begin_object();
  while (const auto found = json.next_key()) {
    const std::string key(*found);
    if (key == "submit_idx")
      r.index = read_unsigned(json);
    else if (key == "task_id")
      known = (r.task = read_unsigned(json), true);
    else if (!read_time(json, key, r.when))
      json.skip();
  }
  if (!known) json.fail("a submission without task_id");
  require_order(json, "start", r.when.begin, "end", r.when.end);
  return r;
}

}  // namespace tilewright::device
