#include "cost.h"

#include <tril/lessons/attention_cost.h>
#include <tril/lessons/layer_costs.h>
#include <tril/lessons/matmul_cost.h>
#include <tril/lessons/transformer_block_cost.h>

#include "efficient_attention.h"
#include "feed_forward.h"
#include "matmul.h"

namespace tril::js {

namespace {

CostResult result(const Cost& cost) {
  return {cost.flops, cost.input_bytes, cost.output_bytes, cost.held_bytes, cost.bytes(), -1};
}
CostResult result(const AttentionCost& cost) {
  return {cost.flops,      cost.input_bytes, cost.output_bytes,
          cost.held_bytes, cost.bytes(),     cost.scores};
}

}  // namespace

CostResult cost(const std::string& kind, const Sizes& sizes, const AttentionOptions& options) {
  const auto size = [&](const char* name) { return sizes[name].as<Index>(); };
  const auto flag = [&](const char* name) { return sizes[name].as<bool>(); };
  const auto text = [&](const char* name) { return sizes[name].as<std::string>(); };
  const std::string name = kind + "_cost";
  const char* const call = name.c_str();

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
    return result(activation_cost(size("count"), activation_named(text("activation"), call)));
  }
  if (kind == "layer_norm") {
    return result(layer_norm_cost(size("rows"), size("width"), flag("affine")));
  }
  if (kind == "feed_forward") {
    return result(feed_forward_cost({size("rows"), size("width"), size("hidden"),
                                     activation_named(text("activation"), call), flag("bias")}));
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
    return result(transformer_block_cost(
        {size("batches"), size("tokens"), size("width"), size("heads"), size("kvHeads"),
         size("hidden"), activation_named(text("activation"), call)},
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

CostResult cost_sum(const CostResult& one, const CostResult& other) {
  const auto core = [](const CostResult& cost) {
    return Cost{cost.flops, cost.input_bytes, cost.output_bytes, cost.held_bytes};
  };
  Cost sum = core(one);
  return result(sum += core(other));
}

}  // namespace tril::js
