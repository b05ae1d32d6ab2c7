// ONNX's operators other than Attention (onnx_attention_test.cc) as a yardstick: every option that
// their specifications allow in float32, with our calls, against their definitions in double.
//
//   LayerNormalization 17, RMSNormalization 23   axis: the axes before it are our rows; a Scale
//                            that broadcasts is written out; Mean and InvStdDev are the trace
//   RotaryEmbedding 23       caches with position_ids gathered, or one per batch; interleaved:
//                            interleaved; 3-D inputs: views; rotary_embedding_dim: the tables'
//                            width
//   Softmax 13               any axis
//   Gelu 20                  approximate none and tanh
//   Trilu 14                 upper or lower, any k, batches
//   MatMul 13                NumPy's rules: batches broadcast; vectors are matrices of one row
//                            or column
#include <gtest/gtest.h>
#include <tril/attention/triangular.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/activations.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/rotary_positions.h>
#include <tril/layers/softmax.h>
#include <tril/matmul/batched.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/bounded.h"

namespace tril {
namespace {

using testing::activation_reference;
using testing::Bounded;
using testing::Sum;

// Expects a float within the bound of a definition (core/bounded.h).
void expect_bounded(const Bounded& expected, float actual) {
  EXPECT_NEAR(actual, expected.value, expected.error);
}

template <int Rank>
Buffer<float, Rank> normal(const Shape<Rank>& shape, unsigned seed) {
  Buffer<float, Rank> x(shape);
  Random random(seed);
  fill_normal(x.view(), random);
  return x;
}

// X [2, 3, 4, 5] at every axis: the leading axes are rows, the others are normalised together.
TEST(Onnx, LayerNormalizationAndRmsNormalization) {
  const Shape<4> shape = {2, 3, 4, 5};
  const Buffer<float, 4> x = normal<4>(shape, 1);
  Parallel parallel;
  for (int axis = 0; axis < 4; ++axis) {
    Index rows = 1;
    for (int before = 0; before < axis; ++before) rows *= x.view().size(before);
    const Index cols = x.view().count() / rows;
    const MatrixView<const float> in(x.data(), {rows, cols});
    Buffer<float, 2> out({rows, cols});
    Buffer<float, 1> mean({rows}), inverse({rows}), bias = normal<1>({cols}, 2);
    // A scale as wide as the normalised part, and a single number, which broadcasts.
    for (const bool one : {false, true}) {
      Buffer<float, 1> weight = normal<1>({cols}, 3);
      if (one) std::fill_n(weight.data(), cols, 0.7f);
      for (const bool with_bias : {true, false}) {
        for (const double eps : {1e-5, 0.1}) {
          const VectorView<const float> b = with_bias ? bias.view() : VectorView<float>();
          layer_norm(in, weight, b, {.eps = eps}, out, parallel, {mean, inverse});
          Buffer<float, 2> rms({rows, cols});
          rms_norm(in, weight, {.eps = eps}, rms, parallel);
          for (Index n = 0; n < rows; ++n) {
            const Bounded count = static_cast<double>(cols);
            Sum<Bounded> sum, squares, square;
            for (Index c = 0; c < cols; ++c) sum.add(Bounded(in[n][c]));
            const Bounded average = sum.value() / count;
            for (Index c = 0; c < cols; ++c) {
              const Bounded centred = Bounded(in[n][c]) - average;
              squares.add(centred * centred), square.add(Bounded(in[n][c]) * Bounded(in[n][c]));
            }
            const Bounded rstd = Bounded(1) / sqrt(squares.value() / count + Bounded(eps));
            const Bounded root = Bounded(1) / sqrt(square.value() / count + Bounded(eps));
            expect_bounded(average, mean.view()[n]);
            expect_bounded(rstd, inverse.view()[n]);
            for (Index c = 0; c < cols; ++c) {
              const Bounded value = in[n][c], scale = weight.view()[c];
              const Bounded shift = with_bias ? static_cast<double>(bias.view()[c]) : 0;
              expect_bounded((value - average) * rstd * scale + shift, out.view()[n][c]);
              expect_bounded(value * root * scale, rms.view()[n][c]);
            }
          }
        }
      }
    }
  }
}

// X [B, H, S, D], or [B, S, H D]; caches [positions, R / 2] with position_ids [B, S], or [B, S, R /
// 2] without.
TEST(Onnx, RotaryEmbedding) {
  constexpr Index B = 2, H = 3, S = 4, D = 8, Positions = 10;
  constexpr Index ids[B][S] = {{3, 0, 9, 1}, {5, 5, 2, 7}};
  for (const bool packed : {false, true}) {
    const Shape<4> strides =
        packed ? Shape<4>{S * H * D, D, H * D, 1} : contiguous_strides<4>({B, H, S, D});
    const Buffer<float, 1> memory = normal<1>({B * H * S * D}, 4);
    const TensorView<const float, 4> x(memory.data(), {B, H, S, D}, strides);
    for (const Index rotated : {D, Index{4}}) {  // rotary_embedding_dim
      const Index pairs = rotated / 2;
      const Buffer<float, 2> cosines = normal<2>({Positions, pairs}, 5);
      const Buffer<float, 2> sines = normal<2>({Positions, pairs}, 6);
      Buffer<float, 3> cosine({B, S, pairs}), sine({B, S, pairs});
      for (Index b = 0; b < B; ++b) {
        for (Index s = 0; s < S; ++s) {
          std::copy_n(cosines.view()[ids[b][s]].data(), pairs, cosine.view()[b][s].data());
          std::copy_n(sines.view()[ids[b][s]].data(), pairs, sine.view()[b][s].data());
        }
      }
      for (const bool interleaved : {false, true}) {
        Buffer<float, 4> out({B, H, S, D});
        rotary_positions(x, cosine, sine,
                         interleaved ? RotaryPairs::interleaved : RotaryPairs::halves, out);
        for (Index b = 0; b < B; ++b) {
          for (Index h = 0; h < H; ++h) {
            for (Index s = 0; s < S; ++s) {
              for (Index i = 0; i < D; ++i) {
                const auto at = [&](Index d) { return Bounded(x[b][h][s][d]); };
                Bounded expected = at(i);
                if (i < rotated) {
                  const Index pair = interleaved ? i / 2 : i % pairs;
                  const bool first = interleaved ? i % 2 == 0 : i < pairs;
                  const Index one = interleaved ? 2 * pair : pair;
                  const Index two = interleaved ? 2 * pair + 1 : pair + pairs;
                  const Bounded c = cosine.view()[b][s][pair], sn = sine.view()[b][s][pair];
                  expected = first ? at(one) * c - at(two) * sn : at(one) * sn + at(two) * c;
                }
                expect_bounded(expected, out.view()[b][h][s][i]);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Onnx, SoftmaxAlongEveryAxis) {
  const Buffer<float, 4> x = normal<4>({2, 3, 4, 5}, 7);
  for (int axis = -4; axis < 4; ++axis) {
    Buffer<float, 4> out(x.shape());
    softmax(x.view(), {.axis = axis}, out);
    const int along = axis < 0 ? axis + 4 : axis;
    const Index size = x.view().size(along), step = x.view().stride(along);
    for (Index i = 0; i < x.view().count(); ++i) {
      const float* const first = x.data() + i - i / step % size * step;
      float largest = first[0];
      for (Index k = 0; k < size; ++k) largest = std::max(largest, first[k * step]);
      const auto power = [&](float each) { return exp(Bounded(each) - Bounded(largest)); };
      Sum<Bounded> sum;
      for (Index k = 0; k < size; ++k) sum.add(power(first[k * step]));
      SCOPED_TRACE(axis);
      expect_bounded(power(x.data()[i]) * (Bounded(1) / sum.value()), out.data()[i]);
    }
  }
}

TEST(Onnx, Gelu) {
  const Buffer<float, 2> x = normal<2>({4, 33}, 8);
  Buffer<float, 2> exact(x.shape()), approximate(x.shape());
  gelu(x.view(), GeluForm::exact, exact);
  gelu(x.view(), GeluForm::tanh, approximate);
  for (Index i = 0; i < x.view().count(); ++i) {
    const double v = x.data()[i];
    const double inner = std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v);
    const auto off = [&](Activation form) { return activation_reference(form, Bounded(v)).error; };
    expect_bounded({0.5 * v * (1 + std::erf(v / std::numbers::sqrt2)), off(Activation::gelu)},
                   exact.data()[i]);
    expect_bounded({0.5 * v * (1 + std::tanh(inner)), off(Activation::gelu_tanh)},
                   approximate.data()[i]);
  }
}

TEST(Onnx, Trilu) {
  const Buffer<float, 3> x = normal<3>({3, 4, 6}, 9);
  for (const Triangle part : {Triangle::lower, Triangle::upper}) {
    for (Index k = -7; k <= 7; ++k) {
      Buffer<float, 3> out(x.shape());
      triangular(x.view(), {.part = part, .diagonal = k}, out);
      for (Index n = 0; n < 3; ++n) {
        for (Index i = 0; i < 4; ++i) {
          for (Index j = 0; j < 6; ++j) {
            const bool kept = part == Triangle::lower ? j - i <= k : j - i >= k;
            EXPECT_EQ(out.view()[n][i][j], kept ? x.view()[n][i][j] : 0);
          }
        }
      }
    }
  }
}

TEST(Onnx, MatMul) {
  const auto dot = [](const auto& a, const auto& b, Index i, Index j) {
    Sum<Bounded> sum;
    for (Index k = 0; k < a.size(1); ++k) sum.add(Bounded(a[i][k]) * Bounded(b[k][j]));
    return sum.value();
  };
  // Batches [2, 1] and [3] broadcast to [2, 3].
  const Buffer<float, 4> a = normal<4>({2, 1, 4, 5}, 10);
  const Buffer<float, 3> b = normal<3>({3, 5, 6}, 11);
  Buffer<float, 4> out({2, 3, 4, 6});
  batched_matmul(a.view(), b.view(), {}, out.view());
  for (Index m = 0; m < 2; ++m) {
    for (Index n = 0; n < 3; ++n) {
      for (Index i = 0; i < 4; ++i) {
        for (Index j = 0; j < 6; ++j) {
          expect_bounded(dot(a.view()[m][0], b.view()[n], i, j), out.view()[m][n][i][j]);
        }
      }
    }
  }
  // A left vector is a row, a right one a column, of every matrix.
  const Buffer<float, 2> row = normal<2>({1, 5}, 12), column = normal<2>({6, 1}, 13);
  Buffer<float, 3> left({3, 1, 6}), right({3, 5, 1});
  batched_matmul(row.view(), b.view(), {}, left.view());
  batched_matmul(b.view(), column.view(), {}, right.view());
  for (Index n = 0; n < 3; ++n) {
    for (Index j = 0; j < 6; ++j) {
      expect_bounded(dot(row.view(), b.view()[n], 0, j), left.view()[n][0][j]);
    }
    for (Index i = 0; i < 5; ++i) {
      expect_bounded(dot(b.view()[n], column.view(), i, 0), right.view()[n][i][0]);
    }
  }
}

}  // namespace
}  // namespace tril
