#include "attention.h"

#include <emscripten/bind.h>
#include <tril/attention/attention_backward.h>

#include <algorithm>

#include "guard.h"
#include "layouts.h"
#include "traces.h"

namespace tril::js {

namespace {

constexpr const char* kCall = "attention";

// Appends to a cache, and undoes that unless the call succeeds.
class Appended {
 public:
  Appended(Cache* cache, const TensorView<const float, 4>& key,
           const TensorView<const float, 4>& value)
      : cache_(cache), before_(cache ? cache->core().length() : 0) {
    if (cache) cache->core().append(key, value);
  }
  ~Appended() {
    if (cache_ && !kept_) cache_->core().set_length(before_);
  }
  Appended(const Appended&) = delete;
  Appended& operator=(const Appended&) = delete;

  Index before() const noexcept { return before_; }
  void keep() noexcept { kept_ = true; }

 private:
  Cache* cache_;
  Index before_;
  bool kept_ = false;
};

// `past` followed by `now` along the axis of time, the last but one. All other axes must agree.
TensorHandle prepend(Engine& engine, const Tensor& past, const Tensor& now, const char* argument) {
  DynamicShape expected = now.shape();
  const auto time = expected.size() - 2;
  if (past.rank() == now.rank()) expected[time] = past.size(-2);
  if (past.shape() != expected) {
    fail(kCall, argument,
         {"must have the shape of what it comes before in all axes but time; past is ", past,
          ", now is ", now});
  }
  expected[time] += now.size(-2);
  TensorHandle present = std::make_shared<Tensor>(engine, expected, kCall);
  const Index past_block = past.size(-2) * past.size(-1), block = now.size(-2) * now.size(-1);
  float* to = present->data();
  const Index count = leading_count(now, 2);
  for (Index n = 0; n < count; ++n) {
    to = std::copy_n(past.data() + n * past_block, past_block, to);
    to = std::copy_n(now.data() + n * block, block, to);
  }
  return present;
}

}  // namespace

tril::AttentionOptions AttentionOptions::core(const Mask& core_mask, Index past,
                                              const char* call) const {
  tril::AttentionOptions options;
  options.causal = causal;
  options.mask = core_mask;
  if (scale) options.scale = static_cast<float>(*scale);
  options.softcap = static_cast<float>(softcap);
  options.past = past;
  options.key_lengths = shape_from(key_lengths);
  options.dropout = dropout;
  options.method = value_named(kAttentionMethods, method, call, "method");
  return options;
}

NamedTensors attention(Engine& engine, const Tensor& query, const Tensor& key, const Tensor& value,
                       const Tensor* past_key, const Tensor* past_value, Cache* cache,
                       const AttentionOptions& options, Tensor* out) {
  const HeadLayout layout(query, options.heads, kCall);
  layout.check_rank(key, kCall, "key");
  layout.check_rank(value, kCall, "value");
  const MaskArgument mask(options.mask, kCall);
  Results results(engine, kCall);
  const Tensor& all_keys =
      past_key ? results.add("presentKey", prepend(engine, *past_key, key, "past.key")) : key;
  const Tensor& all_values =
      past_value ? results.add("presentValue", prepend(engine, *past_value, value, "past.value"))
                 : value;

  const auto q = layout.view(query, options.heads, kCall, "query");
  TensorView<const float, 4> k = layout.view(all_keys, options.kv_heads, kCall, "key");
  TensorView<const float, 4> v = layout.view(all_values, options.kv_heads, kCall, "value");
  Appended appended(cache, k, v);
  if (cache) k = cache->core().keys(), v = cache->core().values();
  const Output output(engine, out,
                      layout.tensor_shape({q.size(0), q.size(1), q.size(2), v.size(3)}), kCall);
  if (!out) results.add("output", output.handle());

  const Shape<4> scores{q.size(0), q.size(1), q.size(2), k.size(2)};
  AttentionTrace trace;
  if (options.trace) {
    trace = Traces(results, layout.left_out()).attention(scores, options.softcap > 0);
  }
  if (options.log_sum_exp) {
    trace.log_sum_exp = Traces(results, layout.left_out())
                            .make("logSumExp", Shape<3>{scores[0], scores[1], scores[2]});
  }
  const Index past = past_key ? past_key->size(-2) : appended.before();
  tril::attention(q, k, v, options.core(mask.mask(), past, kCall),
                  layout.view(*output, options.heads, kCall, "out"), engine.context, trace);
  appended.keep();
  return results.hand_over();
}

NamedTensors attention_backward(Engine& engine, const Tensor& d_out, const Tensor& query,
                                const Tensor& key, const Tensor& value, const Tensor& output,
                                const Tensor& log_sum_exp, const AttentionOptions& options,
                                bool mask_gradient) {
  constexpr const char* kCall = "attention_backward";
  const HeadLayout layout(query, options.heads, kCall);
  const MaskArgument mask(options.mask, kCall);
  const auto q = layout.view(query, options.heads, kCall, "query");
  const auto k = layout.view(key, options.kv_heads, kCall, "key");
  const auto v = layout.view(value, options.kv_heads, kCall, "value");
  const Shape<3> sums{q.size(0), q.size(1), q.size(2)};
  check_same_shape(output, layout.tensor_shape({sums[0], sums[1], sums[2], v.size(3)}), kCall,
                   "output", "attention's output");
  check_same_shape(d_out, output.shape(), kCall, "d_out", "output");
  check_same_shape(log_sum_exp, {sums.begin() + layout.left_out(), sums.end()}, kCall, "logSumExp",
                   "a sum for each query");
  Results results(engine, kCall);
  const auto gradient = [&](const char* name, const Tensor& of, int heads) {
    return layout.view(results.make(name, of.shape()), heads, kCall, name);
  };
  AttentionGradients gradients{.d_query = gradient("dQuery", query, options.heads),
                               .d_key = gradient("dKey", key, options.kv_heads),
                               .d_value = gradient("dValue", value, options.kv_heads)};
  if (mask_gradient) {
    gradients.d_mask = Traces(results, layout.left_out())
                           .make("dMask", Shape<4>{sums[0], sums[1], sums[2], k.size(2)});
  }
  tril::attention_backward(layout.view(d_out, options.heads, kCall, "d_out"), q, k, v,
                           layout.view(output, options.heads, kCall, "output"),
                           {log_sum_exp.data(), sums}, options.core(mask.mask(), 0, kCall),
                           gradients, engine.context);
  return results.hand_over();
}

EMSCRIPTEN_BINDINGS(tril_attention) {
  using namespace emscripten;
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
  function("_attentionBackward", guard<&attention_backward>, allow_raw_pointers());
}

}  // namespace tril::js
