// How long an engine takes for prompts and for decoding, and the least time that the bytes and the
// multiply-adds of that work need.
#pragma once

#include "tilewright/runtime/engine.h"
#include "tilewright/runtime/machine.h"

namespace tilewright::runtime {

struct Work {
  double bytes = 0;  // through memory: weights once per step, K and V of every row
  double flops = 0;
  // The larger of the two at the machine's best rates.
  double least_seconds(const Machine& machine) const;
  // The rate of multiply-adds as a share of what fma gives at best. Above 1 where products are made
  // by a unit of their own.
  double of_fma(const Machine& machine, double seconds) const;
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

}  // namespace tilewright::runtime
