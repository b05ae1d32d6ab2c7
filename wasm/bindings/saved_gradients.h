// What the ways back through things with weights by name have in common: each is given what its
// forward pass left on the way, or computes that pass again, and gives a gradient for each weight
// it was given.
#pragma once

#include <tril/foundation/parameters.h>
#include <tril/foundation/saved_memory.h>

#include <algorithm>
#include <string>

#include "output.h"

namespace tril::js {

// A gradient of each weight that is given, of its shape, called dWeights.NAME.
template <typename Gradients, typename Weights>
Gradients gradients_of(Results& results, const Weights& weights) {
  Gradients gradients{};
  tril::detail::copy_form(gradients, weights);
  zip_parameters(
      [&](const ParameterName& name, const auto& view, auto& place) {
        if (!view) return;
        const auto& shape = view.shape();
        place = {results.make("dWeights." + name.text(), {shape.begin(), shape.end()}).data(),
                 shape};
      },
      weights, gradients);
  return gradients;
}

// What a forward pass leaves: laid_out(memory) says how, and is given the memory that it takes.
class Saved {
 public:
  Saved() = default;
  // Where JavaScript has kept what a pass has left in a tensor of its own; null: it has not.
  explicit Saved(const Tensor* kept) : kept_(kept) {}

  // Whether the pass has been.
  bool is_kept() const noexcept { return kept_ != nullptr; }

  // Throws Error in the name of `call` where what was kept is not as large.
  template <typename LaidOut>
  auto lay_out(const char* call, const LaidOut& laid_out) {
    const Index count = count_of(laid_out);
    if (!kept_) memory_ = Buffer<float, 1>({count});
    if (kept_ && kept_->shape() != DynamicShape{count}) {
      fail(call, "saved",
           {"must be what the forward pass of these inputs and options saved, [", count, "], is ",
            *kept_});
    }
    // It is only read.
    float* const data = kept_ ? const_cast<float*>(kept_->data()) : memory_.data();
    SavedMemory place(VectorView<float>(data, {count}));
    return laid_out(place);
  }
  // In a new tensor, called saved.
  template <typename LaidOut>
  static auto make(Results& results, const LaidOut& laid_out) {
    const Index count = count_of(laid_out);
    SavedMemory place(VectorView<float>(results.make("saved", {count}).data(), {count}));
    return laid_out(place);
  }

 private:
  template <typename LaidOut>
  static Index count_of(const LaidOut& laid_out) {
    SavedMemory size;
    laid_out(size);
    return std::max<Index>(size.count(), 1);
  }

  const Tensor* kept_ = nullptr;
  Buffer<float, 1> memory_;
};

// The output of a forward pass that nobody asks for.
inline TensorView<float, 3> unseen(Scratch::Frame& frame, const Shape<3>& shape) {
  return {frame.take<float>(shape[0], shape[1], shape[2]), shape};
}

// That of an input, of its shape.
inline TensorView<float, 3> gradient(Results& results, const char* name, const Tensor& of,
                                     const Shape<3>& shape) {
  return {results.make(name, of.shape()).data(), shape};
}

}  // namespace tril::js
