#include <tril/lessons/layer_costs.h>

namespace tril {

using detail::check_size;
using detail::kFloatBytes;
using detail::times;

double activation_flops(Activation activation) noexcept {
  switch (activation) {
    case Activation::relu:
      return 1;
    case Activation::gelu:
      return 5;
    case Activation::gelu_tanh:
      return 9;
    case Activation::silu:
      return 3;
  }
  return 0;
}

Cost activation_cost(Index count, Activation activation) {
  check_size(count, "activation_cost", "count");
  check_activation(activation, "activation_cost");
  const double bytes = kFloatBytes * times(count);
  return {.flops = times(count) * activation_flops(activation),
          .input_bytes = bytes,
          .output_bytes = bytes};
}

Cost linear_cost(Index rows, Index in, Index out, bool bias) {
  constexpr const char* kCall = "linear_cost";
  check_size(rows, kCall, "rows");
  check_size(in, kCall, "in");
  check_size(out, kCall, "out");
  Cost cost;
  cost.flops = times(2, rows, in, out) + (bias ? times(rows, out) : 0);
  cost.input_bytes = kFloatBytes * (times(rows, in) + times(in, out) + (bias ? times(out) : 0));
  cost.output_bytes = kFloatBytes * times(rows, out);
  return cost;
}

Cost layer_norm_cost(Index rows, Index width, bool affine) {
  constexpr const char* kCall = "layer_norm_cost";
  check_size(rows, kCall, "rows");
  check_size(width, kCall, "width");
  Cost cost;
  cost.flops = times(rows, width, affine ? 8 : 6) + times(rows, 5);
  cost.output_bytes = kFloatBytes * times(rows, width);
  cost.input_bytes = cost.output_bytes + (affine ? kFloatBytes * times(2, width) : 0);
  return cost;
}

Cost feed_forward_cost(const FeedForwardSizes& sizes) {
  constexpr const char* kCall = "feed_forward_cost";
  check_size(sizes.rows, kCall, "rows");
  check_size(sizes.width, kCall, "width");
  check_size(sizes.hidden, kCall, "hidden");
  check_activation(sizes.activation, kCall);
  const Cost up = linear_cost(sizes.rows, sizes.width, sizes.hidden, sizes.bias);
  const Cost down = linear_cost(sizes.rows, sizes.hidden, sizes.width, sizes.bias);
  Cost cost;
  cost.held_bytes = up.output_bytes;
  cost.flops =
      up.flops + down.flops + times(sizes.rows, sizes.hidden) * activation_flops(sizes.activation);
  cost.input_bytes = up.input_bytes + down.input_bytes - cost.held_bytes;
  cost.output_bytes = down.output_bytes;
  return cost;
}

}  // namespace tril
