#include "tilewright/emit/companions.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/emit/kernel/queues.h"
#include "tilewright/emit/spelling.h"

namespace tilewright::emit {

using namespace ir;

namespace {

std::string_view direction_of(Direction d) {
  switch (d) {
    case Direction::In: return "D.IN";
    case Direction::Out: return "D.OUT";
    case Direction::InOut: return "D.INOUT";
  }
  return "";
}

std::string_view tag_of(Direction d) {
  switch (d) {
    case Direction::In: return "INPUT";
    case Direction::Out: return "OUTPUT_EXISTING";
    case Direction::InOut: return "INOUT";
  }
  return "";
}

std::string kernel_rows(const Plan& plan, const std::vector<Function>& functions) {
  std::string out;
  for (const Function& f : functions) {
    std::vector<std::string> directions;
    for (const KernelArg& a : plan.kernel(f.kernel).args)
      directions.emplace_back(direction_of(a.direction));
    if (Queues(plan.kernel(f.kernel).lowered).bytes() > 0)
      directions.emplace_back(direction_of(Direction::Out));
    out +=
        fmt::format("    (\"{}\", \"{}\", [{}]),\n", f.path, f.core_type(), join(directions, ", "));
  }
  return out;
}

std::string parameter_rows(const Plan& plan, const Options& options) {
  std::string out;
  for (const Param& param : plan.program.params) {
    const Var& v = plan.program[param.var];
    if (v.scalar) continue;
    const auto t = options.tolerances.find(v.name);
    const Tolerance tolerance = t == options.tolerances.end() ? Tolerance{} : t->second;
    out += fmt::format("    (\"{}\", \"{}\", ({},), \"{}\", {}, {}),\n", v.name,
                       runtime_type(v.dtype).value_or("DataType::").substr(10),
                       fmt::join(v.shape, ", "), tag_of(param.direction), tolerance.rtol,
                       tolerance.atol);
  }
  return out;
}

std::string scalar_rows(const Plan& plan) {
  std::string out;
  for (const Param& param : plan.program.params) {
    const Var& v = plan.program[param.var];
    if (v.scalar) out += fmt::format("    \"{}\",\n", v.name);
  }
  return out;
}

constexpr std::string_view kDriverHead = R"(#!/usr/bin/env python3
"""Compiles the kernels and the orchestration beside this file, runs them and compares the outputs.

    python3 driver.py -p a2a3sim --data DATA [--pto-isa DIR]

DATA is a directory that `tilewright run ... --save-data DATA` wrote: in/NAME.npy, and
expected/NAME.npy as the program's formula gives it. The exit code is 0 if all outputs agree.
"""
import argparse
import os
import sys

import numpy as np

from simpler.task_interface import (
    ArgDirection as D,
    CallConfig,
    ChipCallable,
    CoreCallable,
    DataType,
    TaskArgs,
    TensorArgType,
    scalar_to_uint64,
)
from simpler.worker import Worker
from simpler_setup.kernel_compiler import KernelCompiler
from simpler_setup.pto_isa import ensure_pto_isa_root

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = "tensormap_and_ringbuffer"
)";

constexpr std::string_view kDriverBody = R"(
NUMPY = {
    "FLOAT32": np.float32, "FLOAT16": np.float16, "BFLOAT16": np.uint16,
    "INT8": np.int8, "INT16": np.int16, "INT32": np.int32,
    "UINT8": np.uint8, "UINT16": np.uint16, "UINT32": np.uint32,
}


def to_device(values, dtype):
    """BF16 is saved as FP32: its upper half is the value."""
    if dtype == "BFLOAT16":
        return (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(values, NUMPY[dtype])


def from_device(values, dtype):
    if dtype == "BFLOAT16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64)


def build(platform, pto_isa):
    compiler = KernelCompiler(platform=platform)
    children = []
    for number, (path, core, signature) in enumerate(KERNELS):
        binary = compiler.compile_incore(
            source_path=os.path.join(HERE, path), core_type=core, pto_isa_root=pto_isa,
            extra_include_dirs=compiler.get_orchestration_include_dirs(RUNTIME))
        if not platform.endswith("sim"):
            from simpler_setup.elf_parser import extract_text_section
            binary = extract_text_section(binary)
        children.append((number, CoreCallable.build(signature=signature, binary=binary)))
    orchestration = compiler.compile_orchestration(
        runtime_name=RUNTIME, source_path=os.path.join(HERE, "orchestration.cpp"))
    directions = {"INPUT": D.IN, "OUTPUT_EXISTING": D.OUT, "INOUT": D.INOUT}
    return ChipCallable.build(
        signature=[directions[tag] for _, _, _, tag, _, _ in TENSORS],
        func_name="aicpu_orchestration_entry", binary=orchestration, children=children)


def load_inputs(data):
    arrays = []
    for name, dtype, shape, tag, _, _ in TENSORS:
        path = os.path.join(data, "in", name + ".npy")
        if os.path.exists(path):
            arrays.append(to_device(np.load(path), dtype).reshape(shape))
        elif tag == "OUTPUT_EXISTING":
            arrays.append(np.zeros(shape, NUMPY[dtype]))
        else:
            sys.exit(f"no data for {name}: {path} does not exist")
    return arrays


def run(worker, handle, arrays, scalars):
    buffers = [worker.malloc(a.nbytes) for a in arrays]
    args = TaskArgs()
    for buffer, array, (_, dtype, shape, tag, _, _) in zip(buffers, arrays, TENSORS):
        worker.copy_to(buffer, array)
        args.add_tensor(buffer.tensor(shapes=shape, dtype=getattr(DataType, dtype)),
                        getattr(TensorArgType, tag))
    for value in scalars:
        args.add_scalar(scalar_to_uint64(value))
    worker.run(handle, args, CallConfig())
    for buffer, array in zip(buffers, arrays):
        worker.copy_from(array, buffer)
        worker.free(buffer)


def compare(data, arrays):
    wrong = compared = 0
    for array, (name, dtype, _, tag, rtol, atol) in zip(arrays, TENSORS):
        path = os.path.join(data, "expected", name + ".npy")
        if tag == "INPUT" or not os.path.exists(path):
            continue
        want = np.load(path).astype(np.float64).reshape(array.shape)
        got = from_device(array, dtype)
        error = np.abs(got - want)
        bad = int(np.count_nonzero(~(error <= atol + rtol * np.abs(want))))
        compared += 1
        wrong += bad > 0
        print(f"{name}: {bad} of {got.size} elements beyond rtol {rtol:g} atol {atol:g}, "
              f"largest error {np.nanmax(error):g}{'' if bad == 0 else '  WRONG'}")
    if compared == 0:
        sys.exit(f"nothing to compare: {data}/expected has no output of this program")
    print("FAIL" if wrong else "PASS")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-p", "--platform", required=True, choices=["a2a3sim", "a2a3"])
    parser.add_argument("-d", "--device", type=int, default=0)
    parser.add_argument("--data", required=True)
    parser.add_argument("--pto-isa", help="a checkout of PTO-ISA; by default the runtime's own")
    options = parser.parse_args()
    arrays = load_inputs(options.data)
    scalars = [np.load(os.path.join(options.data, "in", name + ".npy")).item() for name in SCALARS]
    callable_ = build(options.platform, options.pto_isa or ensure_pto_isa_root())
    worker = Worker(level=2, platform=options.platform, runtime=RUNTIME, device_id=options.device)
    handle = worker.register(callable_)
    worker.init()
    try:
        run(worker, handle, arrays, scalars)
    finally:
        worker.close()
    return compare(options.data, arrays)


if __name__ == "__main__":
    sys.exit(main())
)";

}  // namespace

std::string name_map(const Plan& plan, const std::vector<Function>& functions) {
  std::string rows;
  for (std::size_t i = 0; i < functions.size(); ++i)
    rows += fmt::format("{}\n    \"{}\": \"{}\"", i ? "," : "", i, functions[i].name);
  return fmt::format(
      "{{\n  \"level\": 2,\n  \"orchestrator_name\": \"{}\",\n  \"callable_id_to_name\": {{{}\n  "
      "}}\n}}\n",
      plan.program.name, rows);
}

std::string driver(const Plan& plan, const Options& options,
                   const std::vector<Function>& functions) {
  return fmt::format(
      "{}\n# path, core, directions of the tensors\nKERNELS = [\n{}]\n\n"
      "# name, element type, shape, direction, tolerances\nTENSORS = [\n{}]\n\n"
      "SCALARS = [\n{}]\n{}",
      kDriverHead, kernel_rows(plan, functions), parameter_rows(plan, options), scalar_rows(plan),
      kDriverBody);
}

std::string readme(const Plan& plan, const Options& options,
                   const std::vector<Function>& functions) {
  std::string rows;
  for (std::size_t i = 0; i < functions.size(); ++i)
    rows += fmt::format("| {} | {} | {} |\n", i, functions[i].path, functions[i].core_type());
  return fmt::format(
      R"(# {0} for a2a3

Kernels against the headers of [PTO-ISA](https://github.com/hw-native-sys/pto-isa), revision
`{1}`, and an orchestration for the runtime
[simpler](https://github.com/hw-native-sys/simpler), revision
`{2}` (both {3}). Written by

```
tilewright emit {4} -p a2a3 -o DIR
```

| function | file | core |
|---|---|---|
{5}
`orchestration.cpp` submits the tasks. `name_map_{0}.json` names the functions for the runtime's
profiler. Every instruction has a comment with the statement it comes from and its place in the
source.

## Build and run

With simpler installed as its docs/getting-started.md says (g++ 15, or the CANN toolkit for a
device), and this directory as the working directory:

```
tilewright run {4} --save-data data        # inputs, and outputs by the program's formula
python3 driver.py -p a2a3sim --data data   # on the CPU simulation
python3 driver.py -p a2a3 -d 0 --data data # on a device
```

The driver compiles every kernel and the orchestration, fills the inputs, runs, and compares every
output with its expected values within the program's tolerances. `--pto-isa DIR` takes the headers
from a checkout of your own. To compile one kernel for the simulation by hand:

```
g++ -std=c++23 -D__CPU_SIM -D__DAV_{6}__ -I PTO_ISA/include -I SIMPLER/src/common/task_interface \
    -shared -fPIC {7}
```

The CPU simulation ignores flags and barriers. Missing synchronisation does not show there;
`tilewright check` and the exact executor of its tests are what check the waits that these flags
state.
)",
      plan.program.name, kPtoIsaRevision, kSimplerRevision, kRevisionMonth, options.request, rows,
      functions[0].side == CoreSide::Cube ? "CUBE" : "VEC", functions[0].path);
}

}  // namespace tilewright::emit
