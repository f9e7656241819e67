// The tasks of a profile in the order of their submission, each with what the cores executed of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/device/profile.h"

namespace tilewright::device {

// One block of a launch, or all of a task: on one core, or on those of a cluster at the same time.
struct Block {
  int core = -1;  // the cube core of a mixed one
  ir::CoreKind kind = ir::CoreKind::Vector;
  int64_t start = 0, end = 0;
  int64_t dispatch = 0, finish = 0;  // start and end where they are not recorded
};

struct DeviceTask {
  TaskInfo info;           // without deps.json: functions as far as records have them
  bool described = false;  // by deps.json
  int64_t submitted = kUnrecorded;
  std::vector<Block> blocks;  // in the order of their dispatch
};

struct DeviceTasks {
  std::vector<DeviceTask> list;  // those with kernels
  // False: nothing says in which order tasks of different rings were submitted, or deps.json lacks
  // some of them.
  bool ordered = true;
  std::size_t undescribed = 0;  // that ran, and that deps.json lacks; they are last
};

// UserError when deps.json and the records are of different runs.
DeviceTasks device_tasks(const Profile& profile);

}  // namespace tilewright::device
