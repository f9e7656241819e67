#include "tilewright/device/deps_file.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_set>

#include "tilewright/base/json_reader.h"
#include "tilewright/base/text.h"
#include "tilewright/device/json_fields.h"

namespace tilewright::device {
namespace {

EdgeSource source(JsonReader& json) {
  const std::string word(json.string());
  for (EdgeSource s : {EdgeSource::Creator, EdgeSource::TensorMap, EdgeSource::Explicit})
    if (word == edge_source_name(s)) return s;
  json.fail(
      fmt::format("expected creator, tensormap or explicit as the source of an edge, found {}",
                  quote(word)));
}

TaskInfo task(JsonReader& json, bool& kernels) {
  TaskInfo t;
  bool known = false;
  json.begin_object();
  while (const auto key = json.next_key()) {
    if (*key == "task_id") {
      t.task = read_unsigned(json);
      known = true;
    } else if (*key == "kernel_ids") {
      kernels = true;
      std::size_t i = 0;
      json.begin_array();
      while (json.next_item()) {
        if (i == t.functions.size()) json.fail("more than three kernel_ids");
        t.functions[i++] = read_small(json, "function");
      }
    } else if (*key == "block_num") {
      t.blocks = json.integer();
      if (t.blocks < 0) json.fail(fmt::format("{} blocks", t.blocks));
    } else {
      json.skip();
    }
  }
  if (!known) json.fail("a task without task_id");
  return t;
}

// Since August 2026 an edge may only keep a task's memory: nobody waits for it then.
bool waits(JsonReader& json) {
  bool out = false;
  json.begin_array();
  while (json.next_item()) out = json.string() == "wait" || out;
  return out;
}

// Nothing: it is no order.
std::optional<EdgeInfo> edge(JsonReader& json) {
  EdgeInfo e;
  bool from = false, to = false, is_order = true;
  json.begin_object();
  while (const auto key = json.next_key()) {
    if (*key == "pred") {
      e.from = read_unsigned(json);
      from = true;
    } else if (*key == "succ") {
      e.to = read_unsigned(json);
      to = true;
    } else if (*key == "source") {
      e.source = source(json);
    } else if (*key == "flags") {
      is_order = waits(json);
    } else {
      json.skip();
    }
  }
  if (!from || !to) json.fail("an edge without pred or succ");
  return is_order ? std::optional(e) : std::nullopt;
}

}  // namespace

Dependences read_dependences(std::string_view text, const std::string& origin) {
  JsonReader json(text, origin);
  Dependences out;
  std::unordered_set<TaskNumber> known;
  bool edges = false;
  json.begin_object();
  while (const auto found = json.next_key()) {
    const std::string key(*found);
    if (key != "tasks" && key != "edges") {
      json.skip();
      continue;
    }
    json.begin_array();
    while (json.next_item()) {
      if (key == "edges") {
        if (const auto e = edge(json)) out.edges.push_back(*e);
        continue;
      }
      out.tasks.push_back(task(json, out.kernels));
      if (!known.insert(out.tasks.back().task).second)
        json.fail(fmt::format("task {} is there twice", task_text(out.tasks.back().task)));
    }
    edges = edges || key == "edges";
  }
  json.finish();
  if (!edges) json.fail("no edges: not a file of dependences");
  return out;
}

}  // namespace tilewright::device
