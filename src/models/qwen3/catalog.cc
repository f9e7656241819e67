#include "tilewright/models/qwen3/catalog.h"

#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {

catalog::ProgramDef define(const Definition& d) {
  catalog::ProgramDef def;
  def.name = d.name;
  def.summary = d.summary;
  def.shapes = d.tiling.given ? std::vector{d.tiling.given->config.name} : model_names(d.default_shape);
  def.keys = [spec = d.tiling](const std::string& shape, const catalog::Machine& machine) {
    return keys_of(spec, shape, machine);
  };
  def.build = [spec = d.tiling, build = d.build](const catalog::Config& config) {
    return build(choice_of(spec, config));
  };
  def.inputs = [spec = d.tiling, inputs = d.inputs](const catalog::Config& config) {
    return inputs(choice_of(spec, config));
  };
  def.formula = [spec = d.tiling, reference = d.reference](const catalog::Config& config,
                                                           catalog::Arrays& io) {
    const Choice c = choice_of(spec, config);
    reference({c.model, c.qk_norm, c.tiling.batch, c.tiling.max_seq, c.tiling.layers}, io);
  };
  def.tolerances[""] = d.tolerance;
  if (d.tiling.groups & kMlpKeys) def.added_to["out"] = "hidden_states";
  if (d.tiling.groups & kContext) {
    def.tolerances["k_cache"] = cache_tolerance(d.tolerance);
    def.tolerances["v_cache"] = cache_tolerance(d.tolerance);
    def.validate = [spec = d.tiling, name = d.name](const catalog::Config& config,
                                                    const catalog::Arrays& io) {
      validate_lengths(choice_of(spec, config), name, io);
    };
  }
  if (d.tiling.groups & kEmbedKeys)
    def.validate = [spec = d.tiling, name = d.name](const catalog::Config& config,
                                                    const catalog::Arrays& io) {
      validate_tokens(choice_of(spec, config), name, io);
    };
  return def;
}

std::vector<catalog::ProgramDef> qwen3_programs() {
  return {scope1_program(),        scope1_split_program(),   scope1_fused_norm_program(),
          scope2_program(),        scope2_before_program(),  scope12_program(),
          scope3_before_program(), scope3_program(),         scope3_fused_program(),
          decode_program(),        decode_tilelet_program(), decode_fused_qkrope_program(),
          decode_flash_program(),  decode_best_program(),    scope3_best_program(),
          decode_a8w8_program(),   decode_a8w8_best_program(), stack_program(),
          lm_head_program(),       embed_program(),          moe_decode_program()};
}

StepPrograms step_programs(const GivenModel& model) {
  return {decode_best_program(model), lm_head_program(model)};
}

}  // namespace tilewright::models::qwen3
