#include "softmax.h"

#include <tril/layers/softmax.h>

#include <string>

#include "output.h"

namespace tril::js {

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

namespace {

// `call_core(from, core_options, to)` with views of the rank that fits best.
template <typename CallCore>
TensorHandle along_axis(Engine& engine, const Tensor& x, const SoftmaxOptions& options, Tensor* out,
                        const char* call, const CallCore& call_core) {
  const Shape<3> shape = around(x, options.axis, call);
  const Output output(engine, out, x.shape(), call);
  tril::SoftmaxOptions core_options{.axis = -1, .temperature = options.temperature};
  if (shape[2] == 1) {
    // The same rank for both: each one is compiled.
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

}  // namespace

TensorHandle softmax(Engine& engine, const Tensor& x, const SoftmaxOptions& options, Tensor* out) {
  return along_axis(engine, x, options, out, "softmax",
                    [&](auto from, auto& core_options, auto to) {
                      tril::softmax(from, core_options, to, engine.parallel);
                    });
}

TensorHandle log_softmax(Engine& engine, const Tensor& x, const SoftmaxOptions& options,
                         Tensor* out) {
  return along_axis(engine, x, options, out, "log_softmax",
                    [&](auto from, auto& core_options, auto to) {
                      tril::log_softmax(from, core_options, to, engine.parallel);
                    });
}

}  // namespace tril::js
