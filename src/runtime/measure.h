// How long an engine takes for prompts and for decoding, and the least time that the bytes and the
// multiply-adds of that work need.
#pragma once

#include "tilewright/runtime/engine.h"
#include "tilewright/runtime/machine.h"

namespace tilewright::runtime {

struct Work {
  double bytes = 0;  // through memory: weights once per step, K and V of every row
  double flops = 0;
  double integer_ops = 0;  // products with encoded weights
  // The larger of bytes and products at the best rates.
  double least_seconds(const Limits& limits) const;
  // The rate of all multiply-adds as a share of what fma gives at best. Above 1 where products are
  // made by a unit of their own, or of small integers.
  double of_fma(const Limits& limits, double seconds) const;
};

// `batch` sequences of `prompt` tokens each, read in chunks, then `count` steps that append a token
// to every one, chosen greedily. Either may be 0.
struct Load {
  int64_t batch = 1, prompt = 0, count = 0;
};

struct Measured {
  double prompt_seconds = 0, decode_seconds = 0;
  Work prompt, decode;
};

Measured measure(Engine& engine, const Load& load);

// Repeated measurements of one half of a load, its prompts or its decoding.
struct Timing {
  Samples seconds;
  Work work;
  double tokens = 0;

  double reach(const Limits& limits) const {
    return runtime::reach(work.least_seconds(limits), seconds.best());
  }
  double of_fma(const Limits& limits) const { return work.of_fma(limits, seconds.best()); }
};

struct Series {
  Load load;
  Timing prompt, decode;
  Limits limits;  // measured before the first repetition, between all, and after the last
};

// A shared machine's memory is faster in one minute than in another: a load is held against limits
// that were measured around it.
Series measure_series(Engine& engine, Machine& machine, const Load& load, int64_t repetitions);

}  // namespace tilewright::runtime
