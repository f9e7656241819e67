// A Plan: a Program compiled for a Platform. Scopes have become kernels with arguments, directions,
// a core kind, tiles placed in memories, and a lowered form that executors read; the orchestration
// is kept. Plain data, printable.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/core_kind.h"
#include "tilewright/ir/lowered.h"
#include "tilewright/ir/program.h"

namespace tilewright::ir {

struct KernelArg {
  VarId var;
  Direction direction = Direction::In;
  bool escape = false;  // born in this kernel and used by another: it travels through GM
};

// One on-chip allocation. Times are positions of ops in the kernel's body, in program order.
struct TileBuffer {
  VarId var;
  MemorySpace space = MemorySpace::Vec;
  int64_t address = 0;
  int64_t bytes = 0;   // of one copy, aligned
  int copies = 1;      // > 1 when a pipelined loop keeps several loads in flight
  int first = 0, last = 0;
  bool scratch = false;  // hidden working space of a reduction

  int64_t total() const { return bytes * copies; }
};

// A value that needs no memory of its own: it lies in that of its source.
struct TileView {
  VarId var;
  VarId source;
  VarId root;  // where a chain of views ends: a tile with memory of its own, or an argument
};

// A value that changes sides inside a mixed kernel.
struct Crossing {
  VarId from, to;
  bool cube_to_vector = true;
  int64_t bytes = 0;
  bool through_gm = true;  // the platform has no direct route
  Place place;
};

struct MemoryUse {
  MemorySpace space = MemorySpace::Vec;
  int64_t peak = 0;       // bytes alive at the worst moment
  int64_t allocated = 0;  // highest address given out
};

struct Kernel {
  std::string name;
  CoreKind core = CoreKind::Vector;
  Level level = Level::CoreGroup;
  Split split = Split::None;
  bool sync_start = false;
  std::vector<KernelArg> args;   // GM tensors
  std::vector<VarId> scalars;    // passed by value
  Block body;
  std::vector<TileView> views;  // in textual order
  std::vector<TileBuffer> memory;
  std::vector<MemoryUse> use;
  std::vector<Crossing> crossings;
  LoweredKernel lowered;
  ExternalId external;  // of a call; then the body is that call, and the lowered form is empty
  Place place;
};

// A value that leaves its scope and so is materialised in GM.
struct Escape {
  VarId var;
  KernelId from;
  std::vector<KernelId> to;
  int64_t bytes = 0;
};

struct Plan {
  Program program;  // the orchestration; its scopes are calls
  std::vector<Kernel> kernels;
  std::vector<Escape> escapes;
  std::string platform;

  const Kernel& kernel(KernelId k) const { return kernels[k.index()]; }
};

}  // namespace tilewright::ir
