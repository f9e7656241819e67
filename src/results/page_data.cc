#include "tilewright/results/page_data.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tilewright/base/files.h"
#include "tilewright/base/text.h"
#include "tilewright/data/program_file.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"
#include "tilewright/results/printed_lines.h"
#include "tilewright/session/doubt.h"
#include "tilewright/session/what_binds.h"

namespace tilewright::results {
namespace {

using session::Session;
using session::TimedRun;

constexpr std::uintmax_t kLargestSource = 1 << 20;  // bytes; nobody wrote more by hand

// Adds the lines of a source file, from the place itself or from the file system. C++ places have
// the paths that the compiler was given, which may be missing on another machine.
void add_source(std::map<std::string, std::vector<std::string>>& sources, const Place& place) {
  if (!place.known() || sources.contains(place.file)) return;
  if (place.source) {
    sources[place.file] = place.source->lines;
    return;
  }
  std::error_code error;
  const std::filesystem::path path(place.file);
  if (!std::filesystem::is_regular_file(path, error)) return;
  if (const auto size = std::filesystem::file_size(path, error); error || size > kLargestSource)
    return;
  sources[place.file] = split(read_text(path), '\n');
}

// Empty for a program of a file, which has no shapes to name.
std::string named_shape(const Session& s) {
  return s.shape() == data::kFileShape ? std::string() : s.shape();
}

}  // namespace

report::PageInfo page_info(Session& s, bool with_what_ifs) {
  report::PageInfo info;
  info.program = s.name();
  info.shape = named_shape(s);
  info.platform = s.request().platform_name;
  info.rules = s.rules().name;
  for (const catalog::Key& k : s.keys()) info.keys.emplace_back(k.name, k.value);
  info.measured = !s.request().simulated();
  if (with_what_ifs && !info.measured) info.what_ifs = what_ifs(s);
  for (const ir::Kernel& k : s.plan()->kernels) {
    add_source(info.sources, k.place);
    ir::for_each_op(k.body, [&](const ir::Op& op) { add_source(info.sources, op.place); });
  }
  if (!info.sources.empty() || info.measured) return info;
  if (auto printed = printed_lines(s)) {
    info.sources[printed->name] = std::move(printed->text);
    info.lines = std::move(printed->shares);
  }
  return info;
}

namespace {

report::Executed executed(const TimedRun& r) {
  return {*r.session->plan(), *r.session->graph(), *r.record, *r.profile, r.session->machine()};
}

report::Object side_data(const std::string& label, const TimedRun& run) {
  report::Object j{{"label", label}};
  j.update(report::side_data(executed(run), page_info(*run.session, true)));
  return j;
}

}  // namespace

report::Object profile_data(const TimedRun& run) {
  return report::profile_data(executed(run), page_info(*run.session, true));
}

report::Object compare_data(const session::SideBySide& r) {
  report::Object j;
  j["a"] = side_data(r.label_a, r.a);
  j["b"] = side_data(r.label_b, r.b);
  j["work_differences"] = r.work_differences;
  j["size_differences"] = r.size_differences;
  const auto ratio = [&](const TimedRun& from) {
    const report::Interval i = session::ratio_interval(from, r.b);
    return report::Object{i.low, i.high};
  };
  j["ratio_interval"] = ratio(r.a);
  j["like"] = r.like ? report::Object{{"shape", named_shape(*r.like->session)},
                                      {"total_us", r.like->profile->all.total_us},
                                      {"ratio_interval", ratio(*r.like)}}
                     : report::Object();
  j["stages"] = report::Object::array();
  for (const session::StagePair& s : r.stages)
    j["stages"].push_back(
        {{"name", s.name},
         {"a", s.a ? report::Object(s.a - r.a.profile->stages.data()) : report::Object()},
         {"b", s.b ? report::Object(s.b - r.b.profile->stages.data()) : report::Object()}});
  return j;
}

}  // namespace tilewright::results
