// Softmax along one axis: out_i = e^(x_i / temperature) / sum_j e^(x_j / temperature).
//
// Stable: the maximum is subtracted first, so no finite input overflows. Cases that the definition
// leaves open: -inf gives weight 0, and where all of a row is -inf every weight is 0, not NaN; a
// NaN or +inf makes its own row NaN and no other. Weights below 2^-126.5 of the largest are 0.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>

namespace tril {

// Options of softmax(): the axis and the temperature.
struct SoftmaxOptions {
  int axis = -1;           // -1: the last one, -2: the one before it, ...
  double temperature = 1;  // finite, above 0; towards 0 the largest element takes all
};

// x and out have one shape, of 1 to 8 axes, and any strides, except that the last axis has no gaps;
// out may be x itself, but must not overlap it otherwise. Throws Error where they do not fit, for
// an axis that does not exist, and for a temperature out of range.
void softmax(const AnyView<const float>& x, const SoftmaxOptions& options,
             const AnyView<float>& out, const Context& context = {});

// log(softmax(x)), without weights that round to 0 in between. A row of only -inf gives -inf.
void log_softmax(const AnyView<const float>& x, const SoftmaxOptions& options,
                 const AnyView<float>& out, const Context& context = {});

// Both along the last axis, at temperature 1.
inline void softmax(const AnyView<const float>& x, const AnyView<float>& out,
                    const Context& context = {}) {
  softmax(x, SoftmaxOptions(), out, context);
}
inline void log_softmax(const AnyView<const float>& x, const AnyView<float>& out,
                        const Context& context = {}) {
  log_softmax(x, SoftmaxOptions(), out, context);
}

// Both for a view or a buffer, into a new buffer of its shape.
template <FloatTensor X>
BufferLike<X> softmax(const X& x, const SoftmaxOptions& options = {}, const Context& context = {}) {
  return detail::new_buffer(x.shape(), [&](auto out) { softmax(x, options, out, context); });
}
template <FloatTensor X>
BufferLike<X> log_softmax(const X& x, const SoftmaxOptions& options = {},
                          const Context& context = {}) {
  return detail::new_buffer(x.shape(), [&](auto out) { log_softmax(x, options, out, context); });
}

// The gradient d_x of softmax's input, from the gradient d_out of its output and the output itself:
//
//   d_x_i = out_i (d_out_i - sum_j d_out_j out_j) / temperature
//
// All of one shape, as softmax takes them; d_x, which is overwritten, may be d_out or out itself.
// Throws Error as softmax does.
void softmax_backward(const AnyView<const float>& d_out, const AnyView<const float>& out,
                      const SoftmaxOptions& options, const AnyView<float>& d_x,
                      const Context& context = {});

// The same for log_softmax: d_x_i = (d_out_i - e^out_i sum_j d_out_j) / temperature.
void log_softmax_backward(const AnyView<const float>& d_out, const AnyView<const float>& out,
                          const SoftmaxOptions& options, const AnyView<float>& d_x,
                          const Context& context = {});

}  // namespace tril
