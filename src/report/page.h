// HTML reports: one self-contained file each, with its data inside. The scripts and styles are the
// files of page/, compiled in; the data comes from the record, packed in columns.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/report/binding.h"
#include "tilewright/report/columns.h"
#include "tilewright/report/line_shares.h"
#include "tilewright/report/profile.h"

namespace tilewright::report {

// What was executed, and what came of it.
struct Executed {
  const ir::Plan& plan;
  const ir::TaskGraph& graph;
  const ir::RunRecord& record;
  const Profile& profile;
  const platform::Platform& platform;
};

// What the user asked for, in words.
struct PageInfo {
  std::string program, shape, platform, rules;
  std::vector<std::pair<std::string, int64_t>> keys;
  bool measured = false;         // on a real machine; else predicted
  std::vector<WhatIf> what_ifs;  // empty: not asked
  // Source text by file, as lines; files that cannot be read are missing.
  std::map<std::string, std::vector<std::string>> sources;
  // Whose time a line is, where the source is not what places of the plan say; kernels are those of
  // the plan.
  std::optional<std::vector<LineShare>> lines = {};
};

// One program: the figures, the stages and every task.
Object side_data(const Executed& e, const PageInfo& info);
// The same and what is inside the kernels. Needs a record that kept its slices.
Object profile_data(const Executed& e, const PageInfo& info);

std::string profile_page(const Object& data);
std::string compare_page(const Object& data);
// The page of a file that is being edited: it asks the server it came from for what is new. `data`
// is that of a profile and "id" and "watch" (cli/watch), and only these while there is no good
// version.
std::string watch_page(const Object& data);

}  // namespace tilewright::report
