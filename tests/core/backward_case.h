// The guarantees of every backward pass. A case holds the arguments and the results of one pass:
// forward(), backward(threads), the requested `gradients`, and written(), all written elements.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/gradient.h"

namespace tril::testing {

// The elements of all tensors, one after another.
template <typename... Tensors>
Values<double> elements_of_all(const Tensors&... tensors) {
  Values<double> all;
  (append_elements(tensors.view(), all), ...);
  return all;
}

// Expects the same bits from one thread, from three, and from requests one by one. make() returns a
// new case; parts(all) are its gradients in parts, each of which is computed alone.
template <typename Make, typename Parts>
void expect_independent(const Make& make, const Parts& parts) {
  auto one = make(), three = make(), alone = make();
  one.forward(), three.forward(), alone.forward();
  one.backward(1);
  three.backward(3);
  const auto all = std::exchange(alone.gradients, {});
  alone.backward();
  for (const auto& part : parts(all)) {
    alone.gradients = part;
    alone.backward();
  }
  EXPECT_EQ(one.written(), three.written()) << "on three threads";
  EXPECT_EQ(one.written(), alone.written()) << "one by one";
}

// Expects the same batch, run twice with its weights' gradients added up in `sum`, to give twice
// the gradient, to the bit; and no allocation after the first run.
template <typename Case, int Rank>
void expect_adds_up(Case& c, const Buffer<float, Rank>& sum) {
  c.forward();
  c.backward();
  Values<double> twice = elements(sum);
  for (double& each : twice) each *= 2;
  const std::size_t capacity = c.scratch.capacity();
  c.backward();
  EXPECT_EQ(c.scratch.capacity(), capacity);
  EXPECT_EQ(elements(sum), twice);
}

// Expects refused calls to have left `before` unchanged, and the next call to work.
template <typename Case>
void expect_unharmed(Case& c, const Values<double>& before) {
  EXPECT_EQ(c.written(), before);
  c.backward();
  c.expect_all();
}

// Expects x, d_out and d_x [3, 5, 8] in memory with gaps to give the results without gaps. make()
// returns the case, back(c, d_out, x) runs its backward pass from these. The weights' gradients, in
// `sum`, are added up in another order.
template <typename Make, typename Back, typename Case>
void expect_any_batches(const Make& make, const Back& back, Buffer<float, 1> Case::*sum) {
  Case c = make(), far = make();
  c.forward(), far.forward();
  c.backward();
  Buffer<float, 3> x({3, 7, 9}), d_out({3, 6, 8}), d_x({3, 8, 10});
  const auto view = [](Buffer<float, 3>& buffer) {
    const Shape<3>& shape = buffer.shape();
    return TensorView<float, 3>(buffer.data(), {3, 5, 8}, {shape[1] * shape[2], shape[2], 1});
  };
  for (Index b = 0; b < 3; ++b) {
    for (Index t = 0; t < 5; ++t) {
      std::copy_n(c.x.view()[b][t].data(), 8, view(x)[b][t].data());
      std::copy_n(c.d_out.view()[b][t].data(), 8, view(d_out)[b][t].data());
    }
  }
  far.gradients.d_x = view(d_x);
  back(far, view(d_out), view(x));
  EXPECT_TRUE(equal(c.d_x, view(d_x)));
  EXPECT_EQ(d_x.view()[1][5][0], 0);
  EXPECT_EQ(d_x.view()[1][4][8], 0);
  EXPECT_TRUE(close(c.*sum, far.*sum, 1e-5));
}

}  // namespace tril::testing
