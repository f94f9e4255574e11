// Layouts by name, in the words of layout files, written from what the makers publish:
// Megatron-LM's column and row parallel layers, the names and the sharding of transformers' and
// vLLM's models.
#include "checkpoints/presets.hpp"

#include <array>

namespace faro::inline v1::checkpoints {
namespace {

// Every projection into heads or into the hidden layer of an MLP is cut by its outputs, the one out
// of them by its inputs; what is added after a sum over ranks is copied.
constexpr std::string_view llama_words = R"(
model.embed_tokens.weight                                vocab 0 first tied
model.norm.weight                                        copy last
lm_head.weight                                           vocab 0 last
lm_head.bias                                             vocab 0 last
model.rotary_emb.inv_freq                                copy
model.layers.{layer}.self_attn.rotary_emb.inv_freq       copy
model.layers.{layer}.input_layernorm.weight              copy
model.layers.{layer}.post_attention_layernorm.weight     copy
model.layers.{layer}.pre_feedforward_layernorm.weight    copy
model.layers.{layer}.post_feedforward_layernorm.weight   copy
model.layers.{layer}.self_attn.q_proj.weight             heads 0
model.layers.{layer}.self_attn.q_proj.bias               heads 0
model.layers.{layer}.self_attn.k_proj.weight             kv 0
model.layers.{layer}.self_attn.k_proj.bias               kv 0
model.layers.{layer}.self_attn.v_proj.weight             kv 0
model.layers.{layer}.self_attn.v_proj.bias               kv 0
model.layers.{layer}.self_attn.q_norm.weight             copy
model.layers.{layer}.self_attn.k_norm.weight             copy
model.layers.{layer}.self_attn.o_proj.weight             heads 1
model.layers.{layer}.self_attn.o_proj.bias               copy
model.layers.{layer}.mlp.gate_proj.weight                shard 0
model.layers.{layer}.mlp.gate_proj.bias                  shard 0
model.layers.{layer}.mlp.up_proj.weight                  shard 0
model.layers.{layer}.mlp.up_proj.bias                    shard 0
model.layers.{layer}.mlp.down_proj.weight                shard 1
model.layers.{layer}.mlp.down_proj.bias                  copy

# Of quantised weights: a number for each block, for each row or for all, and what goes in and out.
**.weight_scale_inv                           scale **.weight by 128
**.weight_scale                               scale **.weight
**.input_scale                                scale **.weight
**.output_scale                               scale **.weight
model.layers.{layer}.self_attn.k_scale        copy
model.layers.{layer}.self_attn.v_scale        copy

# One tensor for what is computed together, whole as well: Phi-3 publishes its tensors so.
if not fused model.layers.{layer}.self_attn.qkv_proj.weight  qkv 0
if not fused model.layers.{layer}.self_attn.qkv_proj.bias    qkv 0
if not fused model.layers.{layer}.mlp.gate_up_proj.weight    blocks 0 2
if not fused model.layers.{layer}.mlp.gate_up_proj.bias      blocks 0 2

# Ranks hold q, k and v in one tensor, as vLLM does; the whole checkpoint has three.
if fused model.layers.{layer}.self_attn.qkv_proj.* =
  model.layers.{layer}.self_attn.q_proj.* + model.layers.{layer}.self_attn.k_proj.* +
  model.layers.{layer}.self_attn.v_proj.* along 0
if fused model.layers.{layer}.mlp.gate_up_proj.* =
  model.layers.{layer}.mlp.gate_proj.* + model.layers.{layer}.mlp.up_proj.* along 0
)";

constexpr std::string_view qwen_words = R"(
model.layers.{layer}.mlp.gate.weight                             copy
model.layers.{layer}.mlp.experts.{expert}.gate_proj.weight       shard 0
model.layers.{layer}.mlp.experts.{expert}.up_proj.weight         shard 0
model.layers.{layer}.mlp.experts.{expert}.down_proj.weight       shard 1
model.layers.{layer}.mlp.shared_expert.gate_proj.weight          shard 0
model.layers.{layer}.mlp.shared_expert.up_proj.weight            shard 0
model.layers.{layer}.mlp.shared_expert.down_proj.weight          shard 1
model.layers.{layer}.mlp.shared_expert_gate.weight               copy

# The first Qwen.
transformer.wte.weight                            vocab 0 first
transformer.ln_f.weight                           copy last
transformer.h.{layer}.ln_1.weight                 copy
transformer.h.{layer}.ln_2.weight                 copy
transformer.h.{layer}.attn.c_attn.weight          blocks 0 3
transformer.h.{layer}.attn.c_attn.bias            blocks 0 3
transformer.h.{layer}.attn.c_proj.weight          heads 1
transformer.h.{layer}.mlp.w1.weight               shard 0
transformer.h.{layer}.mlp.w2.weight               shard 0
transformer.h.{layer}.mlp.c_proj.weight           shard 1
)";

constexpr std::string_view mixtral_words = R"(
model.layers.{layer}.block_sparse_moe.gate.weight                copy
model.layers.{layer}.block_sparse_moe.experts.{expert}.w1.weight shard 0
model.layers.{layer}.block_sparse_moe.experts.{expert}.w3.weight shard 0
model.layers.{layer}.block_sparse_moe.experts.{expert}.w2.weight shard 1
)";

constexpr std::string_view gpt_words = R"(
# Megatron core. linear_qkv has a group of queries, their key and their value after the other, so a
# cut between groups is a plain one. A gated linear_fc1 is [gate up].
embedding.word_embeddings.weight                              vocab 0 first tied
embedding.position_embeddings.weight                          copy first
output_layer.weight                                           vocab 0 last
decoder.final_layernorm.*                                     copy last
decoder.layers.{layer}.input_layernorm.*                      copy
decoder.layers.{layer}.pre_mlp_layernorm.*                    copy
decoder.layers.{layer}.self_attention.linear_qkv.layer_norm_* copy
decoder.layers.{layer}.self_attention.linear_qkv.weight       groups 0
decoder.layers.{layer}.self_attention.linear_qkv.bias         groups 0
decoder.layers.{layer}.self_attention.q_layernorm.*           copy
decoder.layers.{layer}.self_attention.k_layernorm.*           copy
decoder.layers.{layer}.self_attention.linear_proj.weight      heads 1
decoder.layers.{layer}.self_attention.linear_proj.bias        copy
decoder.layers.{layer}.mlp.linear_fc1.layer_norm_*            copy
if gated decoder.layers.{layer}.mlp.linear_fc1.weight         blocks 0 2
if gated decoder.layers.{layer}.mlp.linear_fc1.bias           blocks 0 2
if not gated decoder.layers.{layer}.mlp.linear_fc1.weight     shard 0
if not gated decoder.layers.{layer}.mlp.linear_fc1.bias       shard 0
decoder.layers.{layer}.mlp.linear_fc2.weight                  shard 1
decoder.layers.{layer}.mlp.linear_fc2.bias                    copy

# Megatron-LM before that.
language_model.embedding.word_embeddings.weight                              vocab 0 first tied
language_model.embedding.position_embeddings.weight                          copy first
language_model.output_layer.weight                                           vocab 0 last
language_model.encoder.final_layernorm.*                                     copy last
language_model.encoder.layers.{layer}.input_layernorm.*                      copy
language_model.encoder.layers.{layer}.post_attention_layernorm.*             copy
language_model.encoder.layers.{layer}.self_attention.query_key_value.weight  groups 0
language_model.encoder.layers.{layer}.self_attention.query_key_value.bias    groups 0
language_model.encoder.layers.{layer}.self_attention.dense.weight            heads 1
language_model.encoder.layers.{layer}.self_attention.dense.bias              copy
if gated language_model.encoder.layers.{layer}.mlp.dense_h_to_4h.weight      blocks 0 2
if gated language_model.encoder.layers.{layer}.mlp.dense_h_to_4h.bias        blocks 0 2
if not gated language_model.encoder.layers.{layer}.mlp.dense_h_to_4h.weight  shard 0
if not gated language_model.encoder.layers.{layer}.mlp.dense_h_to_4h.bias    shard 0
language_model.encoder.layers.{layer}.mlp.dense_4h_to_h.weight               shard 1
language_model.encoder.layers.{layer}.mlp.dense_4h_to_h.bias                 copy

# GPT-NeoX: q, k and v of a head lie together.
gpt_neox.embed_in.weight                                      vocab 0 first
embed_out.weight                                              vocab 0 last
gpt_neox.final_layer_norm.*                                   copy last
gpt_neox.layers.{layer}.input_layernorm.*                     copy
gpt_neox.layers.{layer}.post_attention_layernorm.*            copy
gpt_neox.layers.{layer}.attention.bias                        copy
gpt_neox.layers.{layer}.attention.masked_bias                 copy
gpt_neox.layers.{layer}.attention.rotary_emb.inv_freq         copy
gpt_neox.layers.{layer}.attention.query_key_value.weight      heads 0
gpt_neox.layers.{layer}.attention.query_key_value.bias        heads 0
gpt_neox.layers.{layer}.attention.dense.weight                heads 1
gpt_neox.layers.{layer}.attention.dense.bias                  copy
gpt_neox.layers.{layer}.mlp.dense_h_to_4h.weight              shard 0
gpt_neox.layers.{layer}.mlp.dense_h_to_4h.bias                shard 0
gpt_neox.layers.{layer}.mlp.dense_4h_to_h.weight              shard 1
gpt_neox.layers.{layer}.mlp.dense_4h_to_h.bias                copy
)";

// GPT-2's weights are inputs by outputs. Its names stand with and without `transformer.`.
constexpr std::string_view gpt2_words = R"(
@wte.weight                         vocab 0 first tied
@wpe.weight                         copy first
@ln_f.*                             copy last
@h.{layer}.ln_1.*                   copy
@h.{layer}.ln_2.*                   copy
@h.{layer}.attn.bias                copy
@h.{layer}.attn.masked_bias         copy
@h.{layer}.attn.c_attn.weight       blocks 1 3
@h.{layer}.attn.c_attn.bias         blocks 0 3
@h.{layer}.attn.c_proj.weight       heads 0
@h.{layer}.attn.c_proj.bias         copy
@h.{layer}.mlp.c_fc.weight          shard 1
@h.{layer}.mlp.c_fc.bias            shard 0
@h.{layer}.mlp.c_proj.weight        shard 0
@h.{layer}.mlp.c_proj.bias          copy
lm_head.weight                      vocab 0 last
)";

std::string with_prefix(std::string_view words, std::string_view prefix) {
  std::string text;
  for (const char c : words) {
    if (c == '@')
      text += prefix;
    else
      text += c;
  }
  return text;
}

}  // namespace

std::optional<std::string> preset_words(std::string_view name) {
  const std::string llama(llama_words);
  if (name == "llama") return llama;
  if (name == "qwen") return llama + std::string(qwen_words);
  if (name == "mixtral") return llama + std::string(mixtral_words);
  if (name == "gpt")
    return std::string(gpt_words) + with_prefix(gpt2_words, "") +
           with_prefix(gpt2_words, "transformer.");
  if (name == "whole") return "** copy\n";
  return std::nullopt;
}

}  // namespace faro::inline v1::checkpoints
