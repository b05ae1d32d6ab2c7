// The objects that JavaScript holds: a Tensor of any rank that owns its memory, and the Engine of
// every call.
//
// A Tensor never has gaps. The adapters beside this file turn it into the core's views of fixed
// rank, by shape and strides alone; nothing is copied between JavaScript's tensor and the core.
#pragma once

#include <emscripten/val.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/matmul/packed_matrix.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril::js {

using DynamicShape = std::vector<Index>;

// The number of living tensors of an engine, and their bytes with packed copies.
struct Usage {
  int tensors = 0;
  double bytes = 0;
};

// Working memory and threads of one loaded module.
struct Engine {
  explicit Engine(int threads) : parallel(threads) {}

  Scratch scratch;
  Parallel parallel;
  Context context{scratch, parallel};
  Usage usage;
};

// Adds bytes to the engine's memory for its own lifetime.
class CountedBytes {
 public:
  explicit CountedBytes(Engine& engine, std::size_t bytes = 0) noexcept : usage_(engine.usage) {
    set(bytes);
  }
  ~CountedBytes() { set(0); }
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;

  void set(std::size_t bytes) noexcept {
    usage_.bytes += static_cast<double>(bytes) - bytes_;
    bytes_ = static_cast<double>(bytes);
  }

 private:
  Usage& usage_;
  double bytes_ = 0;
};

class Tensor {
 public:
  // A tensor of zeros. Throws Error, naming `call`, for an axis below 1 and where there is not
  // enough memory.
  Tensor(Engine& engine, DynamicShape shape, const char* call);
  ~Tensor();
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  const DynamicShape& shape() const noexcept { return shape_; }
  int rank() const noexcept { return static_cast<int>(shape_.size()); }
  // Counts from the end where negative, as in NumPy.
  Index size(int axis) const noexcept {
    return shape_[static_cast<std::size_t>(axis < 0 ? axis + rank() : axis)];
  }
  Index count() const noexcept { return values_.shape()[0]; }
  float* data() noexcept { return values_.data(); }
  const float* data() const noexcept { return values_.data(); }

  // Packs a copy of a matrix for products, besides its numbers.
  void pack();
  // The packed copy of a matrix; null where there is none.
  const PackedMatrix& packed() const noexcept { return packed_; }
  // Drops the packed copy. Call it after each write to the tensor.
  void written() noexcept;

 private:
  Engine& engine_;
  DynamicShape shape_;
  Buffer<float, 1> values_;
  PackedMatrix packed_;
};

using TensorHandle = std::shared_ptr<Tensor>;

// "[2, 3]", in the core's notation of shapes.
std::string shape_text(const Tensor& tensor);

// JavaScript's own types, named in the generated declarations.
EMSCRIPTEN_DECLARE_VAL_TYPE(Numbers)       // number[]
EMSCRIPTEN_DECLARE_VAL_TYPE(Floats)        // Float32Array
EMSCRIPTEN_DECLARE_VAL_TYPE(Integers)      // Int32Array
EMSCRIPTEN_DECLARE_VAL_TYPE(Bytes)         // Uint8Array
EMSCRIPTEN_DECLARE_VAL_TYPE(Names)         // string[]
EMSCRIPTEN_DECLARE_VAL_TYPE(NamedTensors)  // Record<string, _Tensor>

// The tensor with that name, or null.
const Tensor* named(const NamedTensors& tensors, const char* name);

DynamicShape shape_from(const Numbers& numbers);

// A copy that outlives its source and any growth of memory.
Bytes to_javascript(std::span<const std::byte> bytes);
Bytes to_javascript(std::string_view text);
// A copy of the bytes.
std::string text_of(const Bytes& bytes);

}  // namespace tril::js
