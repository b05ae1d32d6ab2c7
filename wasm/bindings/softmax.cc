#include <emscripten/bind.h>
#include <tril/layers/softmax.h>

#include <string>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

struct SoftmaxOptions {
  int axis;  // from the end where negative
  double temperature;
};

// x, which has no gaps, as [outer, size, inner] around one of its axes. Throws Error, naming
// `call`, for an axis out of range.
Shape<3> around(const Tensor& x, int axis, const char* call) {
  if (axis < -x.rank() || axis >= x.rank()) {
    fail(call, "axis", {"there is no axis ", axis, "; x is ", x});
  }
  const int chosen = axis < 0 ? axis + x.rank() : axis;
  Shape<3> shape{1, x.size(chosen), 1};
  for (int i = 0; i < x.rank(); ++i) {
    if (i < chosen) shape[0] *= x.size(i);
    if (i > chosen) shape[2] *= x.size(i);
  }
  return shape;
}

// Calls `call_core(from, core_options, to)` with views that have the axis last or last but one.
template <typename CallCore>
TensorHandle along_axis(Engine& engine, const Tensor& x, const SoftmaxOptions& options, Tensor* out,
                        const char* call, const CallCore& call_core) {
  const Shape<3> shape = around(x, options.axis, call);
  const Output output(engine, out, x.shape(), call);
  tril::SoftmaxOptions core_options{.axis = -1, .temperature = options.temperature};
  if (shape[2] == 1) {
    // Both have the same rank, since each rank is compiled.
    const Shape<3> rows{1, shape[0], shape[1]};
    call_core(TensorView<const float, 3>(x.data(), rows), core_options,
              TensorView<float, 3>(output->data(), rows));
  } else {
    core_options.axis = -2;
    call_core(TensorView<const float, 3>(x.data(), shape), core_options,
              TensorView<float, 3>(output->data(), shape));
  }
  return output.handle();
}

// Tensors of any rank.
TensorHandle softmax(Engine& engine, const Tensor& x, const SoftmaxOptions& options, Tensor* out) {
  return along_axis(engine, x, options, out, "softmax",
                    [&](auto from, auto& core_options, auto to) {
                      tril::softmax(from, core_options, to, engine.context);
                    });
}

TensorHandle log_softmax(Engine& engine, const Tensor& x, const SoftmaxOptions& options,
                         Tensor* out) {
  return along_axis(engine, x, options, out, "log_softmax",
                    [&](auto from, auto& core_options, auto to) {
                      tril::log_softmax(from, core_options, to, engine.context);
                    });
}

using SoftmaxBackward = void (*)(const AnyView<const float>&, const AnyView<const float>&,
                                 const tril::SoftmaxOptions&, const AnyView<float>&,
                                 const Context&);

TensorHandle along_axis_backward(Engine& engine, const Tensor& d_out, const Tensor& output,
                                 const SoftmaxOptions& options, Tensor* out, const char* call,
                                 SoftmaxBackward backward) {
  const Shape<3> shape = around(output, options.axis, call);
  check_same_shape(d_out, output.shape(), call, "d_out", "output");
  const Output made(engine, out, output.shape(), call);
  const Shape<3> rows{1, shape[0], shape[1]};
  const bool along_rows = shape[2] == 1;
  const Shape<3>& chosen = along_rows ? rows : shape;
  backward(TensorView<const float, 3>(d_out.data(), chosen),
           TensorView<const float, 3>(output.data(), chosen),
           {.axis = along_rows ? -1 : -2, .temperature = options.temperature},
           TensorView<float, 3>(made->data(), chosen), engine.context);
  return made.handle();
}

// Takes the gradient of softmax's output, and the output itself; likewise for log-softmax.
TensorHandle softmax_backward(Engine& engine, const Tensor& d_out, const Tensor& output,
                              const SoftmaxOptions& options, Tensor* out) {
  return along_axis_backward(engine, d_out, output, options, out, "softmax_backward",
                             tril::softmax_backward);
}

TensorHandle log_softmax_backward(Engine& engine, const Tensor& d_out, const Tensor& output,
                                  const SoftmaxOptions& options, Tensor* out) {
  return along_axis_backward(engine, d_out, output, options, out, "log_softmax_backward",
                             tril::log_softmax_backward);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_softmax) {
  using namespace emscripten;
  value_object<SoftmaxOptions>("_SoftmaxOptions")
      .field("axis", &SoftmaxOptions::axis)
      .field("temperature", &SoftmaxOptions::temperature);
  function("_softmax", guard<&softmax>, allow_raw_pointers());
  function("_logSoftmax", guard<&log_softmax>, allow_raw_pointers());
  function("_softmaxBackward", guard<&softmax_backward>, allow_raw_pointers());
  function("_logSoftmaxBackward", guard<&log_softmax_backward>, allow_raw_pointers());
}

}  // namespace tril::js
