// The exports of layer_gradients.h, block_gradients.h and saved_passes.h, beside those in
// bindings.cc.
#include <emscripten/bind.h>

#include "block_gradients.h"
#include "guard.h"
#include "layer_gradients.h"
#include "saved_passes.h"

using namespace emscripten;

EMSCRIPTEN_BINDINGS(tril_gradients) {
  namespace js = tril::js;
  using js::guard;
  function("_matmulBackward", guard<&js::matmul_backward>);
  function("_rotaryPositionsBackward", guard<&js::rotary_positions_backward>, allow_raw_pointers());
  function("_gatedActivation", guard<&js::gated_activation>, allow_raw_pointers());
  function("_gatedActivationBackward", guard<&js::gated_activation_backward>);
  function("_gatedFeedForward", guard<&js::gated_feed_forward>, allow_raw_pointers());
  function("_feedForwardBackward", guard<&js::feed_forward_backward>);
  function("_additiveAttentionBackward", guard<&js::additive_attention_backward>);
  function("_multiHeadAttentionBackward", guard<&js::multi_head_attention_backward>,
           allow_raw_pointers());
  function("_transformerBlockBackward", guard<&js::transformer_block_backward>,
           allow_raw_pointers());
  function("_decoderBlockBackward", guard<&js::decoder_block_backward>, allow_raw_pointers());
  function("_transformerBackward", guard<&js::transformer_backward>, allow_raw_pointers());
  function("_multiHeadAttentionSaved", guard<&js::multi_head_attention_saved>,
           allow_raw_pointers());
  function("_transformerBlockSaved", guard<&js::transformer_block_saved>, allow_raw_pointers());
  function("_decoderBlockSaved", guard<&js::decoder_block_saved>, allow_raw_pointers());
  function("_transformerSaved", guard<&js::transformer_saved>, allow_raw_pointers());
}
