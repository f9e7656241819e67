// Small synthetic models, made on the spot.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "../temporary_directory.h"
#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/checkpoint/family.h"
#include "tilewright/models/transformer/reference.h"
#include "tilewright/models/transformer/synthetic.h"

namespace transformer_test {

using namespace tilewright;
using namespace tilewright::models::transformer;
namespace fs = std::filesystem;
using checkpoint::Checkpoint;
using checkpoint::Family;
using checkpoint::ModelConfig;
using Ids = std::vector<int32_t>;

inline const fs::path kModels = TILEWRIGHT_MODELS;  // what tools/fetch_models fetched, if it did

inline ModelConfig small_config(Family family, bool tied, int64_t heads, int64_t kv_heads) {
  ModelConfig c;
  c.family = family;
  c.hidden = 64;
  c.layers = 3;
  c.heads = heads;
  c.kv_heads = kv_heads;
  c.head_dim = 16;
  c.intermediate = 96;
  c.vocab = 400;
  c.max_positions = 256;
  c.rms_norm_eps = 1e-6;
  c.rope_theta = 1e6;
  c.tied = tied;
  if (checkpoint::family_row(family).experts) {
    c.experts = 12;
    c.experts_per_token = 3;
    c.intermediate = 48;
  }
  return c;
}

inline ModelConfig scaled(ModelConfig c, const checkpoint::RopeScaling& rope) {
  c.rope = rope;
  return c;
}

inline Checkpoint made(const TemporaryDirectory& d, const SyntheticModel& model) {
  const std::string path = d / "model";
  write_synthetic(model, path);
  return checkpoint::open_checkpoint(path);
}

inline int32_t best(const Vector& logits) {
  return static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
}

// Continues greedily.
inline Ids continued(const Reference& model, const Ids& prompt, std::size_t count,
                     const Ids& stop_ids = {}) {
  Reference::Sequence sequence;
  Vector logits = model.run(sequence, prompt).back();
  Ids out;
  while (out.size() < count) {
    const int32_t id = best(logits);
    if (std::ranges::find(stop_ids, id) != stop_ids.end()) break;
    out.push_back(id);
    logits = model.step(sequence, id);
  }
  return out;
}

}  // namespace transformer_test
