#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/arithmetic_kernels.h>
#include <tril/layers/elementwise_kernels.h>
#include <tril/layers/unchecked.h>

#include <algorithm>

namespace tril {
namespace {

// Elements of a block, so that all arrays stay in the level-1 cache: 2 KiB per array.
constexpr Index kBlock = 512;

// Calls body(row, col, count) for runs of at most kBlock neighbours.
template <typename Body>
void for_blocks(const MatrixView<float>& matrix, bool flat, const Context& context,
                const Body& body) {
  for_runs(matrix, flat, context, [&](Index row, Index col, Index count) {
    for (Index begin = 0; begin < count; begin += kBlock) {
      body(row, col + begin, std::min(kBlock, count - begin));
    }
  });
}

}  // namespace

void gated_activation(Activation activation, MatrixView<const float> gate,
                      MatrixView<const float> up, MatrixView<float> out, const Context& context) {
  constexpr const char* kCall = "gated_activation";
  check_activation(activation, kCall);
  check_view(gate, kCall, "gate", Empty::allowed);
  check_shape(up, gate.shape(), kCall, "up", "the shape of gate");
  check_shape(out, gate.shape(), kCall, "out", "the shape of gate");
  check_in_place(out, gate, kCall, "out");
  check_in_place(out, up, kCall, "out");
  detail::run_gated_activation(activation, gate, up, out, context);
}

void detail::run_gated_activation(Activation activation, const MatrixView<const float>& gate,
                                  const MatrixView<const float>& up, const MatrixView<float>& out,
                                  const Context& context) {
  const auto value = elementwise_kernels().of(activation);
  const auto multiply = arithmetic_kernels().of(Binary::multiply);
  const bool flat = gate.is_contiguous() && up.is_contiguous() && out.is_contiguous();
  for_blocks(out, flat, context, [&](Index row, Index col, Index count) {
    float activated[kBlock];
    value(gate[row].data() + col, activated, count);
    multiply(activated, up[row].data() + col, out[row].data() + col, count);
  });
}

void gated_activation_backward(Activation activation, MatrixView<const float> d_out,
                               MatrixView<const float> gate, MatrixView<const float> up,
                               MatrixView<float> d_gate, MatrixView<float> d_up,
                               const Context& context) {
  constexpr const char* kCall = "gated_activation_backward";
  check_activation(activation, kCall);
  check_view(gate, kCall, "gate", Empty::allowed);
  check_shape(d_out, gate.shape(), kCall, "d_out", "the shape of gate");
  check_shape(up, gate.shape(), kCall, "up", "the shape of gate");
  check_shape(d_gate, gate.shape(), kCall, "d_gate", "the shape of gate");
  check_shape(d_up, gate.shape(), kCall, "d_up", "the shape of gate");
  check_no_overlap(d_gate, d_out, kCall, "d_gate");
  check_in_place(d_gate, gate, kCall, "d_gate");
  check_no_overlap(d_up, d_out, kCall, "d_up");
  check_in_place(d_up, up, kCall, "d_up");
  // Halves of one matrix have interleaved rows; views that begin at the same address do not.
  if (d_up.data() == d_gate.data()) check_no_overlap(d_up, d_gate, kCall, "d_up");
  if (d_up.data() == gate.data()) check_no_overlap(d_up, gate, kCall, "d_up");
  if (d_gate.data() == up.data()) check_in_place(d_gate, up, kCall, "d_gate");
  detail::run_gated_activation_backward(activation, d_out, gate, up, d_gate, d_up, context);
}

void detail::run_gated_activation_backward(Activation activation,
                                           const MatrixView<const float>& d_out,
                                           const MatrixView<const float>& gate,
                                           const MatrixView<const float>& up,
                                           const MatrixView<float>& d_gate,
                                           const MatrixView<float>& d_up, const Context& context) {
  const auto value = elementwise_kernels().of(activation);
  const auto value_backward = elementwise_backward_kernels().of(activation);
  const auto multiply = elementwise_backward_kernels().multiply;
  const bool flat = gate.is_contiguous() && up.is_contiguous() && d_out.is_contiguous() &&
                    d_gate.is_contiguous() && d_up.is_contiguous();
  for_blocks(d_gate, flat, context, [&](Index row, Index col, Index count) {
    float activated[kBlock], through[kBlock];
    const float* const d = d_out[row].data() + col;
    const float* const at = gate[row].data() + col;
    value(at, activated, count);
    multiply(d, up[row].data() + col, through, count);
    multiply(d, activated, d_up[row].data() + col, count);
    value_backward(through, at, d_gate[row].data() + col, count);
  });
}

}  // namespace tril
