// The layer's equations in double precision, from plain loops: what the programs are compared with.
// Written from the model's formulas alone; shares nothing with the tile programs. Values that the
// model stores in BF16 (normed rows, rotated Q, cache rows, attention, MLP activations, out) are
// rounded where they are stored. The softmax weights are not: how they round depends on how a
// program cuts the context into blocks. Weights with a parameter of scales (wq_scale of wq) are INT8
// codes; the rows that they multiply become codes too, and normed rows are then not rounded to BF16.
#pragma once

#include "tilewright/catalog/catalog.h"
#include "tilewright/models/qwen3/shapes.h"

namespace tilewright::models::qwen3::reference {

struct DecodeCase {
  ModelConfig model;
  bool qk_norm = true;
  int64_t batch = 0;
  int64_t max_seq = 0;
  int64_t layers = 1;  // of a stack
};

// Arrays are found by parameter name; outputs and caches are overwritten.
void scope1(const DecodeCase& run, catalog::Arrays& io);  // hidden_states -> q_proj, k_proj, v_proj
void scope2(const DecodeCase& run,
            catalog::Arrays& io);  // q_proj, ... -> attn_out, k_cache, v_cache
void scope12(const DecodeCase& run, catalog::Arrays& io);  // hidden_states -> attn_out and caches
void scope3(const DecodeCase& run, catalog::Arrays& io);   // attn_out, hidden_states -> out
void decode(const DecodeCase& run, catalog::Arrays& io);   // hidden_states -> out and caches
// Weights and caches of all layers lie under each other.
void stack(const DecodeCase& run, catalog::Arrays& io);    // hidden_states -> out and caches
void lm_head(const DecodeCase& run, catalog::Arrays& io);  // hidden_states -> logits
// hidden_states -> out, chosen, expert_weights
void moe(const DecodeCase& run, catalog::Arrays& io);
void embed(const DecodeCase& run, catalog::Arrays& io);    // token_ids -> hidden_states

}  // namespace tilewright::models::qwen3::reference
