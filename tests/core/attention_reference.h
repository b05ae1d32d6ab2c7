// Attention in double, straight from its definition: the oracle for every method, and the error
// bound of a float method.
#pragma once

#include <tril/attention/attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/compare.h"

namespace tril::testing {

// The number added to the score of query t and key s, -inf if the key is hidden: written again in
// each test, independent of Mask.
using Bias = std::function<double(Index batch, Index head, Index t, Index s)>;
inline double no_bias(Index, Index, Index, Index) { return 0; }

struct Reference {
  Buffer<double, 4> scores, capped, masked, weights, output;
};

// scale and softcap as in AttentionOptions; softcap 0: none.
inline Reference attention_reference(TensorView<const float, 4> query,
                                     TensorView<const float, 4> key,
                                     TensorView<const float, 4> value, double scale, double softcap,
                                     const Bias& bias) {
  const Index B = query.size(0), H = query.size(1), T = query.size(2), S = key.size(2);
  const Index group = H / key.size(1);
  Reference r{Buffer<double, 4>({B, H, T, S}), Buffer<double, 4>({B, H, T, S}),
              Buffer<double, 4>({B, H, T, S}), Buffer<double, 4>({B, H, T, S}),
              Buffer<double, 4>({B, H, T, value.size(3)})};
  for (Index b = 0; b < B; ++b) {
    for (Index h = 0; h < H; ++h) {
      const auto keys = key[b][h / group], values = value[b][h / group];
      for (Index t = 0; t < T; ++t) {
        // Rows are taken once: under sanitizers access to an element of four axes is slow.
        const auto row = [&](Buffer<double, 4>& buffer) { return buffer.view()[b][h][t]; };
        const auto scores = row(r.scores), capped = row(r.capped), masked = row(r.masked),
                   weights = row(r.weights), output = row(r.output);
        const auto query_row = query[b][h][t];
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (Index s = 0; s < S; ++s) {
          const auto key_row = keys[s];
          double dot = 0;
          for (Index d = 0; d < query.size(3); ++d) {
            dot += static_cast<double>(query_row[d]) * static_cast<double>(key_row[d]);
          }
          scores[s] = scale * dot;
          capped[s] = softcap > 0 ? softcap * std::tanh(scores[s] / softcap) : scores[s];
          const double shift = bias(b, h, t, s);
          masked[s] = std::isinf(shift) ? shift : capped[s] + shift;
          largest = std::fmax(largest, masked[s]);
        }
        if (std::isinf(largest) && largest < 0) continue;  // sees no key: zeros
        for (Index s = 0; s < S; ++s) sum += weights[s] = std::exp(masked[s] - largest);
        for (Index s = 0; s < S; ++s) {
          weights[s] /= sum;
          const double weight = weights[s];
          const auto value_row = values[s];
          for (Index d = 0; d < value.size(3); ++d) {
            output[d] += weight * static_cast<double>(value_row[d]);
          }
        }
      }
    }
  }
  return r;
}

// Bounds on the absolute error of a float method, first order in u = kEpsilon / 2, with room for
// the second. q, k, v: the largest magnitudes.
struct ErrorBound {
  double score, weight, output;

  ErrorBound(double q, double k, double v, double scale, double bias, Index depth, Index keys) {
    // A dot product of `depth` terms, each at most q k, and the scaling: depth + 1 roundings,
    // doubled (Higham 2002, section 3.5). Adding the mask rounds numbers that may be as large as
    // both.
    score = kEpsilon * static_cast<double>(depth + 1) * std::fabs(scale) * q * k + kEpsilon * bias;
    // e^x carries the error of x, here of a score, of the maximum and of their difference; an ulp
    // of exp; the error of the sum, at most `keys` roundings; and two roundings of the division.
    const double largest = std::fabs(scale) * static_cast<double>(depth) * q * k + bias;
    const double relative =
        2 * score + 2 * kEpsilon * largest + kEpsilon * (3 + static_cast<double>(keys) / 2);
    weight = 2 * relative;  // of a weight of at most 1, and of the sum that divides it
    // Each weight errs by 2 `relative`, and they sum to 1; then a sum of `keys` terms.
    output = v * (2 * relative + kEpsilon * static_cast<double>(keys));
  }
};

}  // namespace tril::testing
