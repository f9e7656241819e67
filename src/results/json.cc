#include "tilewright/results/json.h"

#include "tilewright/base/json_text.h"
#include "tilewright/results/json_parts.h"

namespace tilewright::results {
namespace {

using namespace session;  // every function here writes one of its results

Object subscripts(int64_t index, const Shape& shape) {
  Object out = Object::array();
  for (std::size_t d = shape.size(); d-- > 0;) {
    out.insert(out.begin(), index % shape[d]);
    index /= shape[d];
  }
  return out;
}

const char* severity_text(Severity s) {
  switch (s) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

Object output_json(const OutputResult& o) {
  const Comparison& c = o.comparison;
  Object j{{"name", o.name},          {"shape", o.shape}, {"dtype", dtype_name(o.dtype)},
           {"matched", c.matched},    {"total", c.total}, {"rtol", o.tolerance.rtol},
           {"atol", o.tolerance.atol}};
  const bool compared = o.status != Status::Skipped;
  const bool finite = compared && c.max_abs_error_index >= 0;
  j["max_abs_error"] = finite ? Object(c.max_abs_error) : Object();
  j["max_abs_error_index"] = finite ? subscripts(c.max_abs_error_index, o.shape) : Object();
  j["passed"] = o.status == Status::Pass;
  j["status"] = status_name(o.status);
  if (!compared) return j;
  j["error"] = {{"relative_l2", c.relative_l2},
                {"cosine", c.cosine},
                {"p50", c.p50},
                {"p90", c.p90},
                {"p99", c.p99},
                {"max", c.max_abs_error}};
  if (!o.added_to.empty()) j["added"] = {{"to", o.added_to}, {"relative_l2", o.added_relative_l2}};
  j["nonfinite"] = {{"actual_nan", c.actual_nan},
                    {"actual_inf", c.actual_inf},
                    {"expected_nan", c.expected_nan},
                    {"expected_inf", c.expected_inf}};
  j["mismatches"] = Object::array();
  for (const Mismatch& m : c.mismatches)
    j["mismatches"].push_back(
        {{"index", subscripts(m.index, o.shape)}, {"actual", m.actual}, {"expected", m.expected}});
  return j;
}

Object exploration_json(const Exploration& e) {
  Object j{{"rules", e.rules}, {"orders", e.orders}, {"different", e.different}};
  if (!e.first) return j;
  const Difference& d = *e.first;
  j["first"] = {{"order", d.order_seed}};
  if (!d.stopped.empty()) {
    j["first"]["stopped"] = d.stopped;
    return j;
  }
  j["first"].update(Object{{"output", d.output},
                           {"elements", d.elements},
                           {"total", d.total},
                           {"index", subscripts(d.first_index, d.shape)}});
  return j;
}

Object escapes_json(const ir::Plan& plan) {
  Object list = Object::array();
  for (const ir::Escape& e : plan.escapes) {
    Object to = Object::array();
    for (ir::KernelId k : e.to) to.push_back(plan.kernel(k).name);
    list.push_back({{"value", plan.program[e.var].name},
                    {"bytes", e.bytes},
                    {"from", plan.kernel(e.from).name},
                    {"to", to}});
  }
  return list;
}

}  // namespace

Object diagnostics_json(const Diagnostics& diagnostics) {
  Object list = Object::array();
  for (const Diagnostic& d : diagnostics.list())
    list.push_back({{"severity", severity_text(d.severity)},
                    {"code", d.code},
                    {"what", d.what},
                    {"where", d.where},
                    {"law", d.law},
                    {"help", d.help}});
  return list;
}

Object keys_json(const std::vector<catalog::Key>& keys) {
  Object out = Object::object();
  for (const catalog::Key& k : keys) out[k.name] = k.value;
  return out;
}

Object memory_json(const ir::Plan& plan) {
  Object list = Object::array();
  for (const ir::Kernel& k : plan.kernels)
    for (const ir::MemoryUse& u : k.use)
      list.push_back({{"kernel", k.name},
                      {"core", ir::core_kind_name(k.core)},
                      {"memory", memory_space_name(u.space)},
                      {"peak_bytes", u.peak},
                      {"allocated_bytes", u.allocated}});
  return list;
}

Object session_json(const Session& s) {
  return {{"program", s.name()},
          {"shape", s.shape()},
          {"platform", s.request().platform_name},
          {"keys", keys_json(s.keys())}};
}

std::string to_json(const RunResult& r) {
  Object j;
  j["program"] = r.program;
  j["shape"] = r.shape;
  j["platform"] = r.platform;
  j["seed"] = r.seed;
  j["keys"] = keys_json(r.keys);
  j["executor"] = r.executor;
  j["sums"] = r.sums;
  j["kernels"] = r.kernels;
  j["tasks"] = r.tasks;
  if (r.predicted) {
    add_figures(j, r.predicted->all);
    j["total_test_time_interval_us"] = interval_json(r.predicted->likely_us);
    j["stages"] = stages_json(*r.predicted);
  }
  j["outputs"] = Object::array();
  for (const OutputResult& o : r.outputs) j["outputs"].push_back(output_json(o));
  j["passed"] = r.passed();
  j["status"] = status_name(r.status);
  if (r.exploration) j["exploration"] = exploration_json(*r.exploration);
  j["steps"] = Object::array();
  for (const Phase& p : r.phases) j["steps"].push_back({{"name", p.name}, {"seconds", p.seconds}});
  j["seconds"] = r.seconds;
  j["diagnostics"] = diagnostics_json(r.diagnostics);
  return json_text(j);
}

std::string to_json(const CheckResult& r) {
  const Session& s = *r.session;
  const ir::Plan* plan = s.plan();
  const ir::TaskGraph* graph = s.graph();
  Object j = session_json(s);
  j["rules"] = s.rules().name;
  j["rules_chosen_by"] = s.chosen_rules().by;
  j["memories"] = Object::array();
  for (const platform::Memory& m : s.machine().memories)
    j["memories"].push_back({{"memory", memory_space_name(m.space)},
                             {"physical_bytes", m.physical ? Object(*m.physical) : Object()},
                             {"safe_bytes", m.safe ? Object(*m.safe) : Object()}});
  j["kernels"] = plan ? Object(plan->kernels.size()) : Object();
  j["tasks"] = graph ? Object(graph->tasks.size()) : Object();
  j["dependences"] = graph ? Object(graph->edges.size()) : Object();
  j["escapes"] = plan ? escapes_json(*plan) : Object::array();
  j["memory"] = plan ? memory_json(*plan) : Object::array();
  j["conflicts_checked"] = r.hazards ? Object(r.hazards->conflicts_checked) : Object();
  j["unordered_pairs"] = r.hazards ? Object(r.hazards->unordered_pairs) : Object();
  j["passed"] = r.passed();
  j["diagnostics"] = diagnostics_json(r.diagnostics);
  return json_text(j);
}

std::string to_json(const std::vector<platform::Platform>& platforms) {
  Object j;
  j["platforms"] = Object::array();
  for (const platform::Platform& p : platforms) {
    Object facts = Object::array();
    for (const platform::Fact& f : p.facts)
      facts.push_back({{"path", f.path},
                       {"value", f.text.empty() ? Object(f.value) : Object(f.text)},
                       {"unit", f.unit},
                       {"standing", platform::standing_name(f.standing)},
                       {"source", f.source}});
    j["platforms"].push_back({{"name", p.name},
                              {"title", p.title},
                              {"device", p.device},
                              {"rules", p.rules},
                              {"numbers", facts}});
  }
  return json_text(j);
}

std::string to_json(const catalog::Catalog& catalog, const Request& request) {
  Object j;
  j["programs"] = Object::array();
  for (const catalog::ProgramDef& def : catalog.all()) {
    const catalog::Config config = configure(def, request);
    j["programs"].push_back({{"name", def.name},
                             {"summary", def.summary},
                             {"shapes", def.shapes},
                             {"keys", keys_json(config.keys())},
                             {"has_formula", static_cast<bool>(def.formula)}});
  }
  return json_text(j);
}

}  // namespace tilewright::results
