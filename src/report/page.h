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

// A program that was executed, and its record.
struct Executed {
  const ir::Plan& plan;
  const ir::TaskGraph& graph;
  const ir::RunRecord& record;
  const Profile& profile;
  const platform::Platform& platform;
};

// Texts and sources for a page.
struct PageInfo {
  std::string program, shape, platform, rules;
  std::vector<std::pair<std::string, int64_t>> keys;
  bool measured = false;         // on a real machine; else predicted
  std::vector<WhatIf> what_ifs;  // empty when not asked for
  // Source text by file, as lines; files that cannot be read are missing.
  std::map<std::string, std::vector<std::string>> sources;
  // Source-line attribution, when it refers to another text than the places of the plan; kernels
  // are those of the plan.
  std::optional<std::vector<LineShare>> lines = {};
};

// One program: the figures, the stages and every task.
Object side_data(const Executed& e, const PageInfo& info);
// The same with the pipes and memories of the kernels. Needs a record that kept its slices.
Object profile_data(const Executed& e, const PageInfo& info);

std::string profile_page(const Object& data);
std::string compare_page(const Object& data);
// The page of `watch`, which polls its server for new versions. `data` holds the data of a profile
// plus "id" and "watch" (cli/watch); only the latter two while there is no valid version.
std::string watch_page(const Object& data);

}  // namespace tilewright::report
