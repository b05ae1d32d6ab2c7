#include <emscripten/bind.h>
#include <tril/attention/linear_attention.h>
#include <tril/layers/activations.h>
#include <tril/lessons/attention_cost.h>
#include <tril/lessons/cost.h>
#include <tril/lessons/layer_costs.h>
#include <tril/lessons/matmul_cost.h>
#include <tril/lessons/transformer_block_cost.h>
#include <tril/matmul/matmul.h>

#include <string>

#include "attention.h"
#include "guard.h"

namespace tril::js {

namespace {

// Integers, names and flags by name, as ../src/calls/cost.ts gives them for each kind.
EMSCRIPTEN_DECLARE_VAL_TYPE(Sizes)

struct CostResult {
  double flops, input_bytes, output_bytes, held_bytes;
  double bytes;   // input_bytes + output_bytes
  double scores;  // -1: not a cost of attention
};

CostResult result(const Cost& cost) {
  return {cost.flops, cost.input_bytes, cost.output_bytes, cost.held_bytes, cost.bytes(), -1};
}
CostResult result(const AttentionCost& cost) {
  return {cost.flops,      cost.input_bytes, cost.output_bytes,
          cost.held_bytes, cost.bytes(),     cost.scores};
}

// The cost of a call of that kind: the core's matmul_cost ("matmul"), attention_cost ("attention"),
// and so on. `options` matter only for calls with attention.
CostResult cost(const std::string& kind, const Sizes& sizes, const AttentionOptions& options) {
  const auto size = [&](const char* name) { return sizes[name].as<Index>(); };
  const auto flag = [&](const char* name) { return sizes[name].as<bool>(); };
  const auto text = [&](const char* name) { return sizes[name].as<std::string>(); };
  const std::string name = kind + "_cost";
  const char* const call = name.c_str();
  const auto activation = [&] {
    return value_named(kActivations, text("activation"), call, "activation");
  };

  if (kind == "matmul") {
    return result(matmul_cost({size("batches"), size("rows"), size("depth"), size("cols")},
                              value_named(kMatmulMethods, text("method"), call, "method"),
                              static_cast<int>(size("levels"))));
  }
  if (kind == "linear") {
    return result(linear_cost(size("rows"), size("in"), size("out"), flag("bias")));
  }
  if (kind == "softmax") {
    return result(softmax_cost(size("rows"), size("length"), flag("stable")));
  }
  if (kind == "activation") {
    return result(activation_cost(size("count"), activation()));
  }
  if (kind == "layer_norm") {
    return result(layer_norm_cost(size("rows"), size("width"), flag("affine")));
  }
  if (kind == "feed_forward") {
    return result(feed_forward_cost(
        {size("rows"), size("width"), size("hidden"), activation(), flag("bias")}));
  }
  if (kind == "additive_attention") {
    return result(
        additive_attention_cost({size("batches"), size("queries"), size("keys"), size("width"),
                                 size("keyWidth"), size("valueWidth"), size("units")}));
  }

  const MaskArgument mask(options.mask, call);
  const auto core = [&] { return options.core(mask.mask(), size("past"), call); };
  if (kind == "multi_head_attention") {
    return result(
        multi_head_attention_cost({size("batches"), size("queries"), size("keys"), size("width"),
                                   size("heads"), size("kvHeads"), flag("bias"), flag("cross")},
                                  core()));
  }
  if (kind == "transformer_block") {
    return result(
        transformer_block_cost({size("batches"), size("tokens"), size("width"), size("heads"),
                                size("kvHeads"), size("hidden"), activation()},
                               core()));
  }
  const AttentionSizes attention{size("batches"), size("heads"), size("kvHeads"),   size("queries"),
                                 size("keys"),    size("width"), size("valueWidth")};
  if (kind == "linear_attention") {
    return result(linear_attention_cost(
        attention, {value_named(kFeatureMaps, text("featureMap"), call, "featureMap", "map"),
                    value_named(kProductOrders, text("order"), call, "order"), flag("causal"),
                    flag("normalise")}));
  }
  if (kind == "low_rank_attention") {
    return result(low_rank_attention_cost(attention, size("rank")));
  }
  return result(attention_cost(attention, core(), {size("blockQueries"), size("blockKeys")}));
}

// The cost of one call after the other.
CostResult cost_sum(const CostResult& one, const CostResult& other) {
  const auto core = [](const CostResult& cost) {
    return Cost{cost.flops, cost.input_bytes, cost.output_bytes, cost.held_bytes};
  };
  Cost sum = core(one);
  return result(sum += core(other));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_cost) {
  using namespace emscripten;
  register_type<Sizes>("Record<string, number | string | boolean>");
  value_object<CostResult>("_Cost")
      .field("flops", &CostResult::flops)
      .field("inputBytes", &CostResult::input_bytes)
      .field("outputBytes", &CostResult::output_bytes)
      .field("heldBytes", &CostResult::held_bytes)
      .field("bytes", &CostResult::bytes)
      .field("scores", &CostResult::scores);
  function("_cost", guard<&cost>);
  function("_costSum", guard<&cost_sum>);
  function("_intensity", guard<&tril::intensity>);
  function("_gigaflops", guard<&tril::gigaflops>);
  function("_ratio", guard<&tril::ratio>);
}

}  // namespace tril::js
