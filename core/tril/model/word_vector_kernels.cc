#include <tril/foundation/exp.h>
#include <tril/layers/lanes.h>
#include <tril/model/word_vector_kernels.h>

namespace tril::TRIL_ISA {
namespace {

// products[r * row + c] = rows[r] . columns[c]
template <int Rows, int Columns>
void products(const float* const* rows, const float* const* columns, Index width, float* products,
              Index row) noexcept {
  Register sums[Rows][Columns] = {};
  for (Index at = 0; at < width; at += kLanes) {
    Register column[Columns];
    for (int c = 0; c < Columns; ++c) column[c] = load(columns[c] + at);
    for (int r = 0; r < Rows; ++r) {
      const Register value = load(rows[r] + at);
      for (int c = 0; c < Columns; ++c) sums[r][c] = madd(value, column[c], sums[r][c]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int c = 0; c < Columns; ++c) products[r * row + c] = reduce_add(sums[r][c]);
  }
}

template <int Rows>
void product_rows(const float* const* rows, const float* const* columns, Index count, Index width,
                  float* out) noexcept {
  constexpr int kColumns = 3;
  Index c = 0;
  for (; c + kColumns <= count; c += kColumns) {
    products<Rows, kColumns>(rows, columns + c, width, out + c, count);
  }
  for (; c < count; ++c) products<Rows, 1>(rows, columns + c, width, out + c, count);
}

// out[r] = sum over sources s of weights[r * row + s * step] * source s
template <int Rows>
void combine_rows(const float* const* sources, Index count, const float* weights, Index row,
                  Index step, Index width, float* out) noexcept {
  for (Index at = 0; at < width; at += kLanes) {
    Register sums[Rows] = {};
    for (Index s = 0; s < count; ++s) {
      const Register source = load(sources[s] + at);
      for (int r = 0; r < Rows; ++r) {
        sums[r] = madd(broadcast(weights[r * row + s * step]), source, sums[r]);
      }
    }
    for (int r = 0; r < Rows; ++r) store(out + r * width + at, sums[r]);
  }
}

void combine(const float* const* sources, Index count, const float* weights, Index rows, Index row,
             Index step, Index width, float* out) noexcept {
  constexpr int kRows = 4;
  Index r = 0;
  for (; r + kRows <= rows; r += kRows) {
    combine_rows<kRows>(sources, count, weights + r * row, row, step, width, out + r * width);
  }
  for (; r < rows; ++r) {
    combine_rows<1>(sources, count, weights + r * row, row, step, width, out + r * width);
  }
}

void window(const float* const* input, Index inputs, const float* const* target, Index targets,
            Index width, float rate, float* p, float* steps, float* moves) noexcept {
  constexpr int kRows = 4;
  Index i = 0;
  for (; i + kRows <= inputs; i += kRows) {
    product_rows<kRows>(input + i, target, targets, width, p + i * targets);
  }
  for (; i < inputs; ++i) product_rows<1>(input + i, target, targets, width, p + i * targets);

  // s is the sign of `steps`, which is s times the rate at first.
  for (i = 0; i < inputs * targets; ++i) steps[i] = -rate;
  for (i = 0; i < inputs * targets; i += targets) steps[i] = rate;
  // e^80 is finite, and beyond it 1 - p is 1 to the last digit.
  const Register limit = broadcast(80.0f), one = broadcast(1.0f);
  for_each_register(inputs * targets, [&](Index at, auto lanes) {
    const Register x = lanes.get(p + at), signed_rate = lanes.get(steps + at);
    const Register against = select(signed_rate > Register{}, -x, x);
    const Register odds = exp(min(limit, max(-limit, against)));
    const Register share = one / (one + odds);
    lanes.put(p + at, share);
    lanes.put(steps + at, signed_rate * (odds * share));
  });
  combine(target, targets, steps, inputs, targets, 1, width, moves);
  combine(input, inputs, steps, targets, 1, targets, width, moves + inputs * width);
}

void add(float* row, const float* move, Index width) noexcept {
  for (Index at = 0; at < width; at += kLanes) store(row + at, load(row + at) + load(move + at));
}

}  // namespace

extern const WordVectorKernels kWordVectorKernels;
const WordVectorKernels kWordVectorKernels{window, add};

}  // namespace tril::TRIL_ISA
