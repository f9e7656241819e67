#include "tilewright/harness/pages.h"

#include <filesystem>

#include "tilewright/base/text.h"
#include "tilewright/harness/files.h"
#include "tilewright/harness/what_binds.h"
#include "tilewright/ir/walk.h"

namespace tilewright::harness {
namespace {

constexpr std::uintmax_t kLargestSource = 1 << 20;  // bytes; nobody wrote more by hand

// The lines of a source file if it can be found from here. Places are as the compiler was given
// them, so a program that is run elsewhere has none, and its page shows line numbers only.
void add_source(std::map<std::string, std::vector<std::string>>& sources, const Place& place) {
  if (!place.known() || sources.contains(place.file)) return;
  std::error_code error;
  const std::filesystem::path path(place.file);
  if (!std::filesystem::is_regular_file(path, error)) return;
  if (const auto size = std::filesystem::file_size(path, error); error || size > kLargestSource)
    return;
  sources[place.file] = split(read_text(path), '\n');
}

report::PageInfo page_info(const SimResult& result, const SimRequest& request) {
  const Prepared& p = *result.prepared;
  report::PageInfo info;
  info.program = p.program;
  info.shape = p.shape;
  info.platform = p.platform;
  info.rules = p.rules;
  for (const catalog::Key& k : p.keys) info.keys.emplace_back(k.name, k.value);
  info.measured = !request.platform.simulated;
  if (!info.measured) info.what_ifs = what_ifs(p, request);
  for (const ir::Kernel& k : p.plan->kernels) {
    add_source(info.sources, k.place);
    ir::for_each_op(k.body, [&](const ir::Op& op) { add_source(info.sources, op.place); });
  }
  return info;
}

report::Executed executed(const SimResult& r, const SimRequest& request) {
  return {*r.prepared->plan, *r.prepared->graph, *r.record, *r.profile, request.platform.platform};
}

report::Object side_data(const std::string& label, const SimResult& result,
                         const SimRequest& request) {
  report::Object j{{"label", label}};
  j.update(report::side_data(executed(result, request), page_info(result, request)));
  return j;
}

}  // namespace

report::Object profile_data(const SimResult& result, const SimRequest& request) {
  return report::profile_data(executed(result, request), page_info(result, request));
}

report::Object compare_data(const SideBySide& r, const SimRequest& a, const SimRequest& b) {
  report::Object j;
  j["a"] = side_data(r.label_a, r.a, a);
  j["b"] = side_data(r.label_b, r.b, b);
  j["work_differences"] = r.work_differences;
  j["size_differences"] = r.size_differences;
  j["like"] = r.like ? report::Object{{"shape", r.like->prepared->shape},
                                      {"total_us", r.like->profile->all.total_us}}
                     : report::Object();
  j["stages"] = report::Object::array();
  for (const StagePair& s : r.stages)
    j["stages"].push_back(
        {{"name", s.name},
         {"a", s.a ? report::Object(s.a - r.a.profile->stages.data()) : report::Object()},
         {"b", s.b ? report::Object(s.b - r.b.profile->stages.data()) : report::Object()}});
  return j;
}

}  // namespace tilewright::harness
