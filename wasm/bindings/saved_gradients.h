// What the ways back through things with weights by name have in common: each computes its forward
// pass again, for what that leaves on the way, and gives a gradient for each weight it was given.
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
  template <typename LaidOut>
  auto lay_out(const LaidOut& laid_out) {
    SavedMemory size;
    laid_out(size);
    memory_ = Buffer<float, 1>({std::max<Index>(size.count(), 1)});
    SavedMemory place(memory_);
    return laid_out(place);
  }

 private:
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
