#include <nlohmann/json.hpp>

#include <algorithm>

#include "tilewright/ir/plan.h"
#include "tilewright/report/gm_values.h"
#include "tilewright/report/line_shares.h"
#include "tilewright/report/page_parts.h"

namespace tilewright::report {

using namespace ir;

namespace {

Object figures_data(const Figures& f) {
  return {{"tasks", f.tasks},
          {"total_us", f.total_us},
          {"busy_us", f.busy_us},
          {"exec_us", f.exec_us},
          {"latency_us", f.latency_us},
          {"head_us", f.head_us},
          {"tail_us", f.tail_us},
          {"gm_read", f.gm_read},
          {"gm_write", f.gm_write},
          {"least_read", f.least_read},
          {"least_write", f.least_write},
          {"hbm_read", f.hbm_read},
          {"roofline_us", f.roofline_us},
          {"peak_roofline_us", f.peak_roofline_us},
          {"mac_rows", f.mac_rows},
          {"mac_rows_used", f.mac_rows_used},
          {"transfers", f.transfers}};
}

// Multiply-adds by kernel.
std::vector<int64_t> macs_of(const Executed& e) {
  std::vector<int64_t> macs(e.plan.kernels.size(), 0);
  for (const TaskRecord& t : e.record.tasks) {
    const KernelProfile& p = e.record.profiles[t.profile];
    macs[p.kernel.index()] += p.macs;
  }
  return macs;
}

Object names_of(const Plan& plan, const std::vector<KernelId>& kernels) {
  Object list = Object::array();
  for (KernelId k : kernels) list.push_back(plan.kernel(k).name);
  return list;
}

Object machine_data(const platform::Platform& p) {
  constexpr double kHalfPrecisionBits = 16;
  const double macs_per_cycle = static_cast<double>(p.fractal_rows * p.fractal_rows) *
                                static_cast<double>(p.fractal_bytes) * 8 / kHalfPrecisionBits;
  return {{"title", p.title},
          {"cube_cores", p.cube_cores},
          {"vector_cores", p.vector_cores},
          {"hbm_gb_per_s", p.timing ? Object(p.timing->memory.hbm_gb_per_s) : Object()},
          // A multiply-add is two operations.
          {"cube_tflops", 2 * macs_per_cycle * p.clock_ghz * p.cube_cores / 1e3},
          {"dma_row_bytes", p.dma_row_bytes}};
}

Object lanes_data(const RunRecord& record) {
  Object list = Object::array();
  for (const Lane& l : record.lanes)
    list.push_back({{"name", l.name}, {"core", core_kind_name(l.kind)}, {"cluster", l.cluster}});
  return list;
}

Object binding_data(const Executed& e, const PageInfo& info) {
  Object what_ifs = Object::array(), pipes = Object::array();
  for (const WhatIf& w : info.what_ifs)
    what_ifs.push_back({{"name", w.name}, {"left_out", w.left_out}, {"total_us", w.total_us}});
  for (const PipeShare& p : pipe_shares(e.plan, e.record, e.platform))
    pipes.push_back({{"pipe", p.pipe},
                     {"core", p.side == CoreSide::Cube ? "cube" : "vector"},
                     {"share", p.share}});
  return {{"sentence", binding_sentence(e.profile.all.total_us, info.what_ifs)},
          {"what_ifs", what_ifs},
          {"pipes", pipes}};
}

}  // namespace

std::string place_text(const Place& place) { return place.known() ? place.text() : ""; }

Object stages_data(const Executed& e) {
  const std::vector<int64_t> macs = macs_of(e);
  Object list = Object::array();
  for (const Stage& s : e.profile.stages) {
    Object j = figures_data(s);
    j["kernel"] = s.kernel.index();
    j["macs"] = macs[s.kernel.index()];
    list.push_back(std::move(j));
  }
  return list;
}

Object gm_values_data(const Executed& e) {
  Object list = Object::array();
  for (const GmValue& v : gm_values(e.plan, e.graph))
    list.push_back({{"name", e.plan.program[v.var].name},
                    {"escape", v.escape},
                    {"buffers", v.buffers},
                    {"bytes", v.bytes},
                    {"written", v.written},
                    {"read", v.read},
                    {"from", names_of(e.plan, v.from)},
                    {"to", names_of(e.plan, v.to)},
                    {"place", place_text(e.plan.program[v.var].place)}});
  return list;
}

Object lines_data(const Executed& e, const PageInfo& info) {
  Object list = Object::array();
  for (const LineShare& l : info.lines ? *info.lines : line_shares(e.plan, e.record))
    list.push_back({{"file", l.file},
                    {"line", l.line},
                    {"busy_us", l.busy_us},
                    {"share", l.share},
                    {"kernels", names_of(e.plan, l.kernels)}});
  return list;
}

// Files of which a line takes time.
Object sources_data(const Object& lines, const PageInfo& info) {
  Object out = Object::object();
  for (const Object& l : lines)
    if (const auto it = info.sources.find(l.at("file").get<std::string>());
        it != info.sources.end() && l.at("share").get<double>() > 0)
      out[it->first] = it->second;
  return out;
}

Object side_data(const Executed& e, const PageInfo& info) {
  Object j;
  j["program"] = info.program;
  j["shape"] = info.shape;
  j["platform"] = info.platform;
  j["rules"] = info.rules;
  j["measured"] = info.measured;
  j["keys"] = Object::array();
  for (const auto& [name, value] : info.keys)
    j["keys"].push_back({{"name", name}, {"value", value}});
  j["machine"] = machine_data(e.platform);
  j["all"] = figures_data(e.profile.all);
  const auto& likely = e.profile.likely_us;
  j["likely_us"] = likely ? Object{likely->low, likely->high} : Object();
  j["binding"] = binding_data(e, info);
  j["lanes"] = lanes_data(e.record);
  j["kernels"] = Object::array();
  for (const Kernel& k : e.plan.kernels) {
    Object scalars = Object::array();
    for (VarId v : k.scalars) scalars.push_back(e.plan.program[v].name);
    j["kernels"].push_back({{"name", k.name},
                            {"core", core_kind_name(k.core)},
                            {"place", place_text(k.place)},
                            {"scalars", scalars}});
  }
  j["stages"] = stages_data(e);
  j["tasks"] = tasks_data(e);
  j["path"] = path_data(e);
  return j;
}

Object profile_data(const Executed& e, const PageInfo& info) {
  Object j = side_data(e, info);
  j["inside"] = kernels_data(e);
  j["gm_values"] = gm_values_data(e);
  j["lines"] = lines_data(e, info);
  j["sources"] = sources_data(j["lines"], info);
  return j;
}

}  // namespace tilewright::report
