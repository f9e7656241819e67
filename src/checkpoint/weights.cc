#include "tilewright/checkpoint/weights.h"

#include <fmt/format.h>

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/family.h"

namespace tilewright::checkpoint {
namespace {

// Calls visit(name, shape, slot in the weights, number of the expert) for every tensor of a file.
void for_each_tensor(
    const ModelConfig& c, Naming naming, Weights& w,
    const std::function<void(std::string, Shape, TensorView&, int64_t expert)>& visit) {
  const auto visit_end = [&](const EndTensor& t) {
    visit(tensor_name(t, naming), t.shape(c), w.*t.member, 0);
  };
  visit_end(embedding_tensor());
  w.layers.resize(static_cast<std::size_t>(c.layers));
  for (int64_t i = 0; i < c.layers; ++i)
    for (const LayerTensor& t : layer_tensors()) {
      if (!t.is_in(c)) continue;
      const int64_t files_tensors = t.of_experts && naming == Naming::HuggingFace ? c.experts : 1;
      for (int64_t e = 0; e < files_tensors; ++e)
        visit(tensor_name(t, i, naming, e), stored_shape(t, c, naming),
              w.layers[static_cast<std::size_t>(i)].*t.member, e);
    }
  visit_end(final_norm_tensor());
  if (!c.tied) visit_end(lm_head_tensor());
}

// Tensors that are no weights: a copy of the tied embedding, the angles of RoPE, which follow from
// theta, and their divisors in a GGUF file, which the configuration has.
bool is_harmless(const TensorView& t, const ModelConfig& c, Naming naming) {
  const EndTensor& head = lm_head_tensor();
  if (t.name == tensor_name(head, naming)) return c.tied && t.shape == head.shape(c);
  if (naming == Naming::Gguf) return t.name == kRopeDivisors;
  return t.name.ends_with(".rotary_emb.inv_freq");
}

// The matrix of another expert, below those that are there.
void append_rows(TensorView& all, const TensorView& t, const std::string& origin) {
  if (t.type != all.type)
    user_error("tensor-type",
               fmt::format("tensor {} is {}, but that of the first expert is {}", t.name,
                           stored_type_name(t.type), stored_type_name(all.type)),
               fmt::format("at {}, tensor {}", origin, t.name),
               "the matrices of the experts of a layer have one element type",
               "use weights that were saved in one type");
  if (all.parts.empty()) all.parts.push_back(all.bytes);
  all.parts.push_back(t.bytes);
  all.shape[0] += t.shape[0];
}

void check_shape(const TensorView& t, const Shape& expected, const std::string& origin) {
  if (t.shape == expected) return;
  user_error("tensor-shape",
             fmt::format("tensor {} is {}, but the configuration requires {}", t.name,
                         shape_text(t.shape), shape_text(expected)),
             fmt::format("at {}, tensor {}", origin, t.name),
             "the configuration determines the shape of every tensor",
             "use the configuration and weights of the same model");
}

}  // namespace

std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config, Naming naming) {
  std::vector<ExpectedTensor> out;
  Weights unused;
  for_each_tensor(config, naming, unused, [&](std::string name, Shape shape, TensorView&, int64_t) {
    out.push_back({std::move(name), std::move(shape)});
  });
  return out;
}

Weights bind_weights(const ModelConfig& config, Naming naming, std::vector<TensorView> tensors,
                     const std::string& origin) {
  // Before anything is made per layer: the number of layers may be a lie.
  if (static_cast<uint64_t>(config.layers) > tensors.size())
    user_error("tensor-missing",
               fmt::format("{} for {}", counted(static_cast<int64_t>(tensors.size()), "tensor"),
                           counted(config.layers, "layer")),
               "at " + origin, "a checkpoint holds every tensor of its model",
               "download the missing files, or use the configuration that matches these files");
  std::unordered_map<std::string_view, TensorView*> by_name;
  for (TensorView& t : tensors) by_name.emplace(t.name, &t);

  Weights w;
  std::unordered_set<const TensorView*> used;
  for_each_tensor(
      config, naming, w,
      [&](const std::string& name, const Shape& shape, TensorView& slot, int64_t expert) {
        const auto at = by_name.find(name);
        if (at == by_name.end())
          user_error("tensor-missing",
                     fmt::format("tensor {} {} is missing", name, shape_text(shape)),
                     "at " + origin, "a checkpoint holds every tensor of its model",
                     "download the missing files, or use the configuration that matches these "
                     "files");
        check_shape(*at->second, shape, origin);
        used.insert(at->second);
        if (expert == 0)
          slot = *at->second;
        else
          append_rows(slot, *at->second, origin);
        if (shape.size() == 3) slot.shape = {shape[0] * shape[1], shape[2]};
      });
  for (const TensorView& t : tensors)
    if (!used.contains(&t) && !is_harmless(t, config, naming))
      user_error("tensor-extra",
                 fmt::format("tensor {} {} is not part of this model", t.name, shape_text(t.shape)),
                 fmt::format("at {}, tensor {}", origin, t.name),
                 "every tensor of a checkpoint must belong to the model; ignoring one would "
                 "change the result",
                 "use the configuration and weights of the same model");
  if (config.tied) w.lm_head = w.embedding;
  if (naming == Naming::Gguf && family_row(config.family).gguf_interleaves)
    for (LayerWeights& layer : w.layers)
      layer.q.interleaved_head_dim = layer.k.interleaved_head_dim = config.head_dim;
  return w;
}

}  // namespace tilewright::checkpoint
