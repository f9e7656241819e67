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

// Calls visit(name, shape, slot in the weights) for every tensor of the model.
void for_each_tensor(const ModelConfig& c, Naming naming, Weights& w,
                     const std::function<void(std::string, Shape, TensorView&)>& visit) {
  const auto visit_end = [&](const EndTensor& t) {
    visit(tensor_name(t, naming), t.shape(c), w.*t.member);
  };
  visit_end(embedding_tensor());
  w.layers.resize(static_cast<std::size_t>(c.layers));
  for (int64_t i = 0; i < c.layers; ++i)
    for (const LayerTensor& t : layer_tensors())
      if (t.is_in(c))
        visit(tensor_name(t, i, naming), t.shape(c),
              w.layers[static_cast<std::size_t>(i)].*t.member);
  visit_end(final_norm_tensor());
  if (!c.tied) visit_end(lm_head_tensor());
}

// Tensors that some checkpoints carry although the model does not need them: a copy of the tied
// embedding, and the angles of RoPE, which follow from theta.
bool is_harmless(const TensorView& t, const ModelConfig& c, Naming naming) {
  const EndTensor& head = lm_head_tensor();
  if (t.name == tensor_name(head, naming)) return c.tied && t.shape == head.shape(c);
  return naming == Naming::HuggingFace && t.name.ends_with(".rotary_emb.inv_freq");
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
  for_each_tensor(config, naming, unused, [&](std::string name, Shape shape, TensorView&) {
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
      config, naming, w, [&](const std::string& name, const Shape& shape, TensorView& slot) {
        const auto at = by_name.find(name);
        if (at == by_name.end())
          user_error("tensor-missing",
                     fmt::format("tensor {} {} is missing", name, shape_text(shape)),
                     "at " + origin, "a checkpoint holds every tensor of its model",
                     "download the missing files, or use the configuration that matches these "
                     "files");
        check_shape(*at->second, shape, origin);
        used.insert(at->second);
        slot = *at->second;
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
