// A decode step of a whole model on a described machine, predicted: one layer times the number of
// layers, and the LM head. Once with the programs that `generate` runs, cut for that machine, and
// once with the best schedules that are known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/checkpoint/config.h"
#include "tilewright/models/transformer/step_program.h"
#include "tilewright/report/binding.h"
#include "tilewright/runtime/step_arrays.h"
#include "tilewright/session/timed_run.h"

namespace tilewright::runtime {

// Every sequence has `context` tokens, the new one included.
struct DecodeStep {
  checkpoint::ModelConfig model;
  DType type = DType::BF16;  // of weights and caches where `generate` runs it
  int64_t batch = 1;         // sequences
  int64_t context = 0;
};

// One program of a step.
struct PredictedProgram {
  double us = 0;
  report::Interval likely_us;
  // Least bytes at the rate that programs reach of HBM, or multiply-adds at the cubes' rate.
  double roofline_us = 0;
  double peak_roofline_us = 0;  // the same at the specified peak of HBM
  int64_t tasks = 0;
  int64_t unordered_pairs = 0;  // of tasks that touch the same data, under the rules of the request
  std::vector<report::WhatIf> what_ifs = {};
};

struct PredictedStep {
  int64_t layers = 0;
  PredictedProgram layer, head;

  double layers_us() const { return static_cast<double>(layers) * layer.us; }
  double us() const { return layers_us() + head.us; }
  // What is wrong with a layer is wrong with all of them.
  report::Interval likely_us() const {
    const auto n = static_cast<double>(layers);
    return {n * layer.likely_us.low + head.likely_us.low,
            n * layer.likely_us.high + head.likely_us.high};
  }
  double roofline_us() const {
    return static_cast<double>(layers) * layer.roofline_us + head.roofline_us;
  }
  double peak_roofline_us() const {
    return static_cast<double>(layers) * layer.peak_roofline_us + head.peak_roofline_us;
  }
  double roofline_fraction() const { return us() > 0 ? roofline_us() / us() : 0; }
  double tokens_per_second(int64_t batch) const { return static_cast<double>(batch) / us() * 1e6; }
  // The whole step with one kind of cost left out at a time.
  std::vector<report::WhatIf> what_ifs() const;
  std::string bound_by() const { return report::binding_cost(what_ifs()); }
};

struct StepPrediction {
  std::optional<PredictedStep> step;  // absent when a program does not fit the machine
  Diagnostics diagnostics = {};       // then, why
};

// The programs of models/transformer/step_program.h, as the engine has them, with tiles that fit.
StepPrediction predict_generate(const DecodeStep& step, const session::Request& request);
// qwen3/decode-best and qwen3/lm-head, which are in BF16. Neither a step nor diagnostics when the
// model's layer is another one: with biases, experts or scaled RoPE.
StepPrediction predict_best(const DecodeStep& step, const session::Request& request);

// What the prediction of `generate` is made of: the layer's program with the rows of the step
// bound, ready, or with diagnostics.
struct BoundStep {
  models::transformer::StepSizes sizes;
  std::unique_ptr<session::Session> session;
  StepArrays arrays;
};
BoundStep bind_layer(const DecodeStep& step, const models::transformer::StepTiles& tiles,
                     const session::Request& request);
BoundStep bind_head(const DecodeStep& step, const models::transformer::StepTiles& tiles,
                    const session::Request& request);

}  // namespace tilewright::runtime
