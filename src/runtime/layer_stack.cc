#include "tilewright/runtime/layer_stack.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "tilewright/runtime/step_tiles.h"

namespace tilewright::runtime {

using checkpoint::Checkpoint;
using models::transformer::StepSizes;
using models::transformer::StepTypes;

LayerStack::LayerStack(const Checkpoint& model, const StepSizes& sizes,
                       cpu::InstructionSet instructions)
    : cache_shape_(sizes.cache_shape()), kv_heads_(sizes.model.kv_heads), page_(sizes.page) {
  for (const checkpoint::LayerWeights& layer : model.weights.layers) {
    StepTypes types = models::transformer::layer_types(model, layer);
    types.cache = sizes.types.cache;
    auto same = std::ranges::find(variants_, types, [](const auto& v) { return v->types; });
    if (same == variants_.end()) {
      StepSizes own = sizes;
      own.types = types;
      own.tiles = cpu_tiles(instructions, types);
      variants_.emplace_back(
          new Variant{types, BoundProgram(models::transformer::layer_program(own), instructions), {}});
      if (own.model.has_experts()) variants_.back()->experts.emplace(own, instructions);
      same = variants_.end() - 1;
    }
    variant_of_.push_back(same->get());
  }
  if (!sizes.model.has_experts()) return;
  for (const char* name : {"attended", "post_normed", "chosen", "expert_weights"}) make(name);
}

HostArray& LayerStack::make(std::string_view name) {
  HostArray& array = variants_.front()->program.make(name);
  for (const auto& v : variants_) {
    v->program.bind(name, array);
    if (v->experts) v->experts->share(name, array);
  }
  if (name == "counts") counts_ = &array;
  return array;
}

void LayerStack::make_tasks(int threads) {
  for (const auto& v : variants_) {
    v->program.make_tasks(threads);
    if (v->experts) v->experts->make_tasks(counts_->as<int32_t>()[0], threads);
  }
}

void LayerStack::load(const Checkpoint& model, cpu::Pool& pool,
                      const std::function<void(int64_t)>& loaded) {
  std::map<const BoundProgram*, WeightLoader> loaders;
  const auto load_into = [&](BoundProgram& program, std::size_t layer, bool of_experts) {
    return loaders.try_emplace(&program, program, pool, loaded)
        .first->second.load(layer_sources(model.config, model.weights.layers[layer], of_experts));
  };
  for (std::size_t i = 0; i < variant_of_.size(); ++i) {
    Variant& v = *variant_of_[i];
    layers_.push_back({load_into(v.program, i, false),
                       v.experts ? load_into(v.experts->program(), i, true) : BoundWeights(),
                       HostArray(v.types.cache, cache_shape_),
                       HostArray(v.types.cache, cache_shape_)});
  }
}

void LayerStack::copy_page(int32_t from, int32_t to, int64_t positions) {
  for (Layer& layer : layers_)
    for (HostArray* cache : {&layer.k_cache, &layer.v_cache}) {
      const int64_t row = bytes_of(cache->dtype(), cache_shape_.back());
      for (int64_t head = 0; head < kv_heads_; ++head) {
        const auto at = [&](int32_t page) {
          return cache->data() + (page * kv_heads_ + head) * page_ * row;
        };
        std::memcpy(at(to), at(from), static_cast<std::size_t>(positions * row));
      }
    }
}

void LayerStack::run(cpu::Pool& pool) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    Variant& v = *variant_of_[i];
    v.program.bind_weights(layer.weights.arrays);
    v.program.bind("k_cache", layer.k_cache);
    v.program.bind("v_cache", layer.v_cache);
    v.program.run(pool, layer.weights.packed);
    if (!v.experts) continue;
    v.experts->program().bind_weights(layer.expert_weights.arrays);
    v.experts->run(pool, layer.expert_weights.packed);
  }
}

int64_t LayerStack::memory_bytes() const {
  int64_t bytes = 0;
  for (const auto& v : variants_) {
    bytes += v->program.memory_bytes();
    if (v->experts) bytes += v->experts->program().memory_bytes();
  }
  for (const Layer& layer : layers_) bytes += layer.weights.bytes() + layer.expert_weights.bytes();
  return bytes;
}

void LayerStack::add_weight_regions(std::vector<std::span<const std::byte>>& regions) const {
  for (const Layer& layer : layers_) {
    layer.weights.packed.add_regions(regions);
    layer.expert_weights.packed.add_regions(regions);
  }
}

std::vector<std::pair<std::string, double>> LayerStack::take_kernel_seconds() {
  std::vector<std::pair<std::string, double>> sum;
  const auto add = [&](BoundProgram& program) {
    for (auto& [kernel, seconds] : program.take_kernel_seconds()) {
      const auto at = std::ranges::find(sum, kernel, [](const auto& k) { return k.first; });
      if (at == sum.end())
        sum.emplace_back(kernel, seconds);
      else
        at->second += seconds;
    }
  };
  for (const auto& v : variants_) {
    add(v->program);
    if (v->experts) add(v->experts->program());
  }
  return sum;
}

}  // namespace tilewright::runtime
