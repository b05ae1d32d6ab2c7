// All that the module exports, one line each. A name that begins with _ is wrapped by the
// TypeScript in ../src, which checks what only JavaScript can see (kinds of values, unknown names,
// disposed tensors) and gives it its public name.
#include <emscripten/bind.h>

#include "arithmetic.h"
#include "attention.h"
#include "cost.h"
#include "efficient_attention.h"
#include "feed_forward.h"
#include "files.h"
#include "gradients.h"
#include "guard.h"
#include "key_value_cache.h"
#include "layers.h"
#include "matmul.h"
#include "matrices.h"
#include "measures.h"
#include "multi_head_attention.h"
#include "names.h"
#include "norms.h"
#include "online_attention.h"
#include "softmax.h"
#include "tensor.h"
#include "transformer.h"
#include "weights.h"

using namespace tril::js;
using namespace emscripten;
using tril::SinusoidalOptions;
using tril::Statistics;

EMSCRIPTEN_BINDINGS(tril) {
  register_optional<double>();
  register_type<Numbers>("number[]");
  register_type<Floats>("Float32Array");
  register_type<Integers>("Int32Array");
  register_type<Bytes>("Uint8Array");
  register_type<Names>("string[]");
  register_type<StoredArrays>("{ name: string; type: string; shape: number[]; tensor: _Tensor }[]");
  register_type<MaskRules>("{ kind: string }[]");
  register_type<Sizes>("Record<string, number | string | boolean>");
  register_type<NamedTensors>("Record<string, _Tensor>");

  class_<Engine>("_Engine")
      .constructor(guard<&make_engine>, allow_raw_pointers())
      .property("threads", &engine_threads)
      .property("tensors", &engine_tensors)
      .property("bytes", &engine_bytes)
      .property("workingBytes", &engine_working_bytes)
      .property("peakBytes", &engine_peak_bytes)
      .function("resetPeak", &reset_engine_peak);

  class_<Tensor>("_Tensor")
      .smart_ptr<TensorHandle>("_TensorHandle")
      .function("shape", guard<&tensor_shape>)
      .function("write", guard<&write_tensor>)
      .function("view", guard<&view_tensor>)
      .function("lend", guard<&lend_tensor>);

  class_<Cache>("_Cache")
      .smart_ptr<CacheHandle>("_CacheHandle")
      .function("length", guard<&cache_length>)
      .function("setLength", guard<&set_cache_length>);
  function("_cache", guard<&make_cache>);

  function("_heapBytes", &heap_bytes);
  function("_tensor", guard<&make_tensor>);
  function("_randomNormal", guard<&random_normal>);
  function("_randomUniform", guard<&random_uniform>);
  function("_prepareWeight", guard<&prepare_weight>);
  function("_weightNames", guard<&weight_names>);
  function("_optionNames", guard<&option_names>);
  function("_revokeViews", guard<&revoke_views>);

  value_object<MatmulOptions>("_MatmulOptions")
      .field("method", &MatmulOptions::method)
      .field("transposeA", &MatmulOptions::transpose_a)
      .field("transposeB", &MatmulOptions::transpose_b)
      .field("levels", &MatmulOptions::levels);
  function("_matmul", guard<&matmul>, allow_raw_pointers());

  function("_arithmetic", guard<&tril::js::arithmetic>, allow_raw_pointers());

  value_object<SoftmaxOptions>("_SoftmaxOptions")
      .field("axis", &SoftmaxOptions::axis)
      .field("temperature", &SoftmaxOptions::temperature);
  function("_softmax", guard<&softmax>, allow_raw_pointers());
  function("_logSoftmax", guard<&log_softmax>, allow_raw_pointers());

  value_object<AttentionOptions>("_AttentionOptions")
      .field("causal", &AttentionOptions::causal)
      .field("mask", &AttentionOptions::mask)
      .field("scale", &AttentionOptions::scale)
      .field("softcap", &AttentionOptions::softcap)
      .field("keyLengths", &AttentionOptions::key_lengths)
      .field("method", &AttentionOptions::method)
      .field("heads", &AttentionOptions::heads)
      .field("kvHeads", &AttentionOptions::kv_heads)
      .field("trace", &AttentionOptions::trace)
      .field("logSumExp", &AttentionOptions::log_sum_exp);
  function("_attention", guard<&attention>, allow_raw_pointers());

  function("_onlineAttention", guard<&online_attention>, allow_raw_pointers());
  function("_maskTensor", guard<&mask_tensor>, allow_raw_pointers());

  value_object<MultiHeadOptions>("_MultiHeadOptions")
      .field("attention", &MultiHeadOptions::attention)
      .field("needWeights", &MultiHeadOptions::need_weights)
      .field("averageWeights", &MultiHeadOptions::average_weights)
      .field("rotates", &MultiHeadOptions::rotates)
      .field("rotary", &MultiHeadOptions::rotary);
  function("_multiHeadAttention", guard<&multi_head_attention>, allow_raw_pointers());

  function("_additiveAttention", guard<&additive_attention>, allow_raw_pointers());

  value_object<LinearAttentionOptions>("_LinearAttentionOptions")
      .field("featureMap", &LinearAttentionOptions::feature_map)
      .field("order", &LinearAttentionOptions::order)
      .field("causal", &LinearAttentionOptions::causal)
      .field("normalise", &LinearAttentionOptions::normalise)
      .field("heads", &LinearAttentionOptions::heads)
      .field("kvHeads", &LinearAttentionOptions::kv_heads)
      .field("needWeights", &LinearAttentionOptions::need_weights);
  function("_linearAttention", guard<&linear_attention>, allow_raw_pointers());

  value_object<LowRankOptions>("_LowRankOptions")
      .field("scale", &LowRankOptions::scale)
      .field("heads", &LowRankOptions::heads)
      .field("kvHeads", &LowRankOptions::kv_heads)
      .field("trace", &LowRankOptions::trace);
  function("_lowRankAttention", guard<&low_rank_attention>, allow_raw_pointers());

  function("_triangular", guard<&triangular>, allow_raw_pointers());
  function("_singularValues", guard<&singular_values>, allow_raw_pointers());

  value_object<DifferenceResult>("_Difference")
      .field("count", &DifferenceResult::count)
      .field("beyond", &DifferenceResult::beyond)
      .field("frobenius", &DifferenceResult::frobenius)
      .field("expectedNorm", &DifferenceResult::expected_norm)
      .field("relative", &DifferenceResult::relative)
      .field("maxAbsolute", &DifferenceResult::max_absolute)
      .field("maxRelative", &DifferenceResult::max_relative)
      .field("worst", &DifferenceResult::worst)
      .field("worstExpected", &DifferenceResult::worst_expected)
      .field("worstActual", &DifferenceResult::worst_actual)
      .field("worstRelative", &DifferenceResult::worst_relative);
  function("_compare", guard<&compare>, allow_raw_pointers());
  value_object<Statistics>("_Statistics")
      .field("mean", &Statistics::mean)
      .field("variance", &Statistics::variance)
      .field("smallest", &Statistics::smallest)
      .field("largest", &Statistics::largest);
  function("_statistics", guard<&statistics>, allow_raw_pointers());
  function("_growth", guard<&growth>, allow_raw_pointers());
  function("_concentration", guard<&concentration>, allow_raw_pointers());
  function("_softmaxSteps", guard<&softmax_steps>, allow_raw_pointers());

  value_object<CostResult>("_Cost")
      .field("flops", &CostResult::flops)
      .field("inputBytes", &CostResult::input_bytes)
      .field("outputBytes", &CostResult::output_bytes)
      .field("heldBytes", &CostResult::held_bytes)
      .field("bytes", &CostResult::bytes)
      .field("scores", &CostResult::scores);
  function("_cost", guard<&tril::js::cost>);
  function("_costSum", guard<&cost_sum>);
  function("_intensity", guard<&tril::intensity>);
  function("_gigaflops", guard<&tril::gigaflops>);
  function("_ratio", guard<&tril::ratio>);

  function("_readFile", guard<&tril::js::read_file>);
  function("_knownFile", guard<&tril::js::known_file>);
  function("_writeFile", guard<&tril::js::write_file>);

  value_object<BlockOptions>("_BlockOptions")
      .field("heads", &BlockOptions::heads)
      .field("kvHeads", &BlockOptions::kv_heads)
      .field("norm", &BlockOptions::norm)
      .field("activation", &BlockOptions::activation)
      .field("eps", &BlockOptions::eps)
      .field("trace", &BlockOptions::trace)
      .field("attention", &BlockOptions::attention);
  function("_transformerBlock", guard<&transformer_block>, allow_raw_pointers());
  function("_decoderBlock", guard<&decoder_block>, allow_raw_pointers());
  function("_transformer", guard<&transformer>, allow_raw_pointers());

  value_object<SinusoidalOptions>("_SinusoidalOptions")
      .field("wavelength", &SinusoidalOptions::wavelength)
      .field("ratio", &SinusoidalOptions::ratio);
  function("_linear", guard<&linear>, allow_raw_pointers());
  function("_embedding", guard<&embedding>, allow_raw_pointers());
  function("_sinusoidalPositions", guard<&sinusoidal_positions>, allow_raw_pointers());

  value_object<RotaryOptions>("_RotaryOptions")
      .field("base", &RotaryOptions::base)
      .field("pairs", &RotaryOptions::pairs)
      .field("width", &RotaryOptions::width)
      .field("heads", &RotaryOptions::heads);
  function("_rotaryPositions", guard<&rotary_positions>, allow_raw_pointers());

  value_object<NormOptions>("_NormOptions")
      .field("axes", &NormOptions::axes)
      .field("eps", &NormOptions::eps);
  function("_layerNorm", guard<&layer_norm>, allow_raw_pointers());
  function("_rmsNorm", guard<&rms_norm>, allow_raw_pointers());

  function("_attentionBackward", guard<&tril::js::attention_backward>, allow_raw_pointers());
  function("_softmaxBackward", guard<&tril::js::softmax_backward>, allow_raw_pointers());
  function("_logSoftmaxBackward", guard<&tril::js::log_softmax_backward>, allow_raw_pointers());
  function("_linearBackward", guard<&tril::js::linear_backward>);
  function("_normBackward", guard<&tril::js::norm_backward>, allow_raw_pointers());
  function("_activateBackward", guard<&activate_backward>, allow_raw_pointers());
  function("_embeddingBackward", guard<&tril::js::embedding_backward>);
  register_type<Loss>(
      "{ loss: number; counted: number; correct: number; gradient: _Tensor | undefined }");
  value_object<tril::js::CrossEntropyOptions>("_CrossEntropyOptions")
      .field("ignore", &tril::js::CrossEntropyOptions::ignore)
      .field("labelSmoothing", &tril::js::CrossEntropyOptions::label_smoothing)
      .field("reduction", &tril::js::CrossEntropyOptions::reduction)
      .field("gradient", &tril::js::CrossEntropyOptions::gradient);
  function("_crossEntropy", guard<&tril::js::cross_entropy>, allow_raw_pointers());
  function("_meanSquaredError", guard<&tril::js::mean_squared_error>);

  function("_activate", guard<&activate>, allow_raw_pointers());
  function("_feedForward", guard<&feed_forward>, allow_raw_pointers());
}
