// The output of a call: the tensor that the caller gave as `out`, or a new one.
#pragma once

#include <tril/matmul/weight.h>

#include <exception>
#include <string>
#include <utility>

#include "tensor.h"

namespace tril::js {

class Output {
 public:
  // `out` may be null. Throws Error where its shape is not `shape`, or the new one does not fit
  // into memory.
  Output(Engine& engine, Tensor* out, DynamicShape shape, const char* call)
      : made_(out ? nullptr : std::make_shared<Tensor>(engine, shape, call)),
        tensor_(out ? out : made_.get()) {
    if (out && out->shape() != shape) {
      fail(call, "out", {"shape must be ", shape, ", is ", *out});
    }
  }
  // The packed copy of the caller's tensor is valid until the call writes to the tensor; a refused
  // call does not write.
  ~Output() {
    if (std::uncaught_exceptions() == exceptions_) tensor_->written();
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  Tensor& operator*() const noexcept { return *tensor_; }
  Tensor* operator->() const noexcept { return tensor_; }

  // The return value of the export: the new tensor, or null where the caller owns it already.
  TensorHandle handle() const noexcept { return made_; }

 private:
  TensorHandle made_;
  Tensor* tensor_;
  int exceptions_ = std::uncaught_exceptions();
};

// Several results by name. JavaScript gets all of them at once and only on success, so that a call
// that fails leaves nothing behind.
class Results {
 public:
  Results(Engine& engine, const char* call) : engine_(engine), call_(call) {}

  // A new tensor of zeros.
  Tensor& make(const std::string& name, DynamicShape shape) {
    return add(name, std::make_shared<Tensor>(engine_, std::move(shape), call_));
  }
  Tensor& add(const std::string& name, TensorHandle tensor) {
    return *named_.emplace_back(name, std::move(tensor)).second;
  }

  NamedTensors hand_over() const {
    auto object = emscripten::val::object();
    for (const auto& [name, tensor] : named_) object.set(name, tensor);
    return NamedTensors(object);
  }

 private:
  Engine& engine_;
  const char* call_;
  std::vector<std::pair<std::string, TensorHandle>> named_;
};

// The product of the sizes of all axes but the last `axes`.
inline Index leading_count(const Tensor& tensor, int axes) {
  Index count = 1;
  for (int axis = 0; axis < tensor.rank() - axes; ++axis) count *= tensor.size(axis);
  return count;
}

// The rows of a tensor: all axes but the last taken as one.
inline MatrixView<float> rows_of(Tensor& tensor) {
  return {tensor.data(), {leading_count(tensor, 1), tensor.size(-1)}};
}
inline MatrixView<const float> rows_of(const Tensor& tensor) {
  return rows_of(const_cast<Tensor&>(tensor));
}

// `shape` with another last axis.
inline DynamicShape with_width(DynamicShape shape, Index width) {
  shape.back() = width;
  return shape;
}

// A view of a vector. An empty vector has no memory and is allowed.
template <typename T>
VectorView<const T> view_of(const std::vector<T>& values) {
  static constexpr T kNothing{};
  return {values.empty() ? &kNothing : values.data(), {static_cast<Index>(values.size())}};
}

// Throws Error unless `tensor` has that shape, the shape of `of`. The core sees tensors as rows,
// where [2, 3] and [1, 2, 3] are the same.
inline void check_same_shape(const Tensor& tensor, const DynamicShape& shape, const char* call,
                             const char* argument, const char* of) {
  if (tensor.shape() == shape) return;
  fail(call, argument, {"must have the shape of ", of, ", ", shape, ", is ", tensor});
}

// A tensor of one axis, or none where `tensor` is null.
inline VectorView<const float> optional_vector(const Tensor* tensor, const char* call,
                                               const char* argument) {
  if (!tensor) return {};
  if (tensor->rank() != 1) fail(call, argument, {"must have one axis; shape is ", *tensor});
  return {tensor->data(), {tensor->count()}};
}

// The elements of a tensor as a vector.
inline VectorView<float> vector_of(Tensor& tensor) { return {tensor.data(), {tensor.count()}}; }

inline MatrixView<const float> matrix(const Tensor& tensor, const char* call,
                                      const char* argument) {
  if (tensor.rank() != 2) fail(call, argument, {"must have two axes; shape is ", tensor});
  return {tensor.data(), {tensor.size(0), tensor.size(1)}};
}

// The matrix with its packed copy, if it has one.
inline Weight weight_of(const Tensor& tensor, const char* call, const char* argument) {
  const MatrixView<const float> floats = matrix(tensor, call, argument);
  return tensor.packed() ? Weight(floats, tensor.packed()) : Weight(floats);
}

}  // namespace tril::js
