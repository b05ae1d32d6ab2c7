#include <tril/attention/attention_backward_blocks.h>
#include <tril/attention/score_kernels.h>
#include <tril/matmul/hidden_rows.h>

#include <algorithm>

namespace tril::detail {
namespace {

// Sets the rows of keys to 0.
void clear(const TensorView<float, 4>& d, Index batch, Index head, const KeyRange& keys) {
  if (!d) return;
  const MatrixView<float> rows = d[batch][head];
  for (Index key = keys.first; key < keys.last; ++key) {
    std::fill_n(rows[key].data(), rows.size(1), 0.0f);
  }
}

void transpose(const TileKernels& tiles, const float* from, Index rows, Index cols, float* to) {
  tiles.transpose(from, kKeyBlock, rows, cols, to, kQueryBlock);
}

// Rows [first, first + count).
template <typename T>
MatrixView<T> rows_of(const MatrixView<T>& all, Index first, Index count) noexcept {
  return {all[first].data(), {count, all.size(1)}, {all.stride(0), 1}};
}

}  // namespace

// Packs rows and replaces elements that are not finite by 0, for rows that do not see them. Returns
// whether all elements are finite.
bool KeyBlockPass::pack(const MatrixView<const float>& from, Index first, Index rows,
                        float* panels) const noexcept {
  tiles_.pack(from[first].data(), from.stride(0), rows, from.size(1), panels);
  const Index count = tiles_.packed_count(rows, from.size(1));
  const bool finite = all_finite(panels, count);
  if (!finite) clear_not_finite(panels, count);
  return finite;
}

void KeyBlockPass::pack_heads(Index batch, Index key_head,
                              const KeyBlockMemory& work) const noexcept {
  const Index blocks = blocks_of(p_.queries(), kQueryBlock);
  for (Index block = 0; block < p_.group() * blocks; ++block) {
    const Index head = key_head * p_.group() + block / blocks;
    const Index first = block % blocks * kQueryBlock;
    const Index rows = std::min(kQueryBlock, p_.queries() - first);
    const auto query = p_.query[batch][head], d_out = p_.d_out[batch][head];
    float* const finite = work.finite_block(block);
    finite[0] = pack(query, first, rows, work.query_block(block)) ? 1.0f : 0.0f;
    finite[1] = pack(d_out, first, rows, work.d_out_block(block)) ? 1.0f : 0.0f;
  }
}

// pack K^T, V^T and K of the block of keys;  d_key, d_value = 0
// for each head that shares them, for each block of queries that sees any of them:
//   weights = exp(mask(softcap(scale Q K^T)) - log_sum_exp)
//   d_scores = weights * (dropout(d_out V^T) - delta)
//   d_value += dropout(weights)^T d_out
//   d_scores *= slope of the soft cap
//   d_query += scale d_scores K
//   d_key += scale d_scores^T Q
// In the last three products a weight of 0, or a gradient of 0, hides what it is multiplied with,
// even NaN and infinity (matmul/hidden_rows.h).
void KeyBlockPass::key_block(Index batch, Index key_head, Index first_key,
                             const MatrixView<float>* d_query,
                             const KeyBlockMemory& work) const noexcept {
  const KeyRange keys{first_key, std::min(first_key + kKeyBlock, p_.keys())};
  const auto key = p_.key[batch][key_head], value = p_.value[batch][key_head];
  tiles_.pack_transposed(key[keys.first].data(), key.stride(0), p_.depth(), keys.size(),
                         work.keys_transposed);
  tiles_.pack_transposed(value[keys.first].data(), value.stride(0), p_.value_width(), keys.size(),
                         work.values_transposed);
  const bool finite_keys = !d_query || pack(key, keys.first, keys.size(), work.keys);
  clear(p_.gradients.d_key, batch, key_head, keys);
  clear(p_.gradients.d_value, batch, key_head, keys);

  for (Index member = 0; member < p_.group(); ++member) {
    MaskBlock block;
    block.batch = batch;
    block.head = key_head * p_.group() + member;
    block.last_query = p_.queries();
    block.offset = p_.offset(batch);
    block.keys = keys;
    clear_mask(block);
    const QueryRange seeing = p_.mask.seeing(block);
    if (seeing.empty()) continue;
    for (Index number = seeing.first / kQueryBlock; number * kQueryBlock < seeing.last; ++number) {
      block.first_query = number * kQueryBlock;
      block.last_query = std::min(block.first_query + kQueryBlock, p_.queries());
      if (p_.mask.visible(block).empty()) continue;
      const Index packed = member * blocks_of(p_.queries(), kQueryBlock) + number;
      score_block(block, key_head, packed, d_query ? d_query + member : nullptr, finite_keys, work);
    }
  }
}

void KeyBlockPass::clear_mask(const MaskBlock& block) const noexcept {
  if (!p_.gradients.d_mask) return;
  const MatrixView<float> d_mask = p_.gradients.d_mask[block.batch][block.head];
  for (Index query = 0; query < p_.queries(); ++query) {
    std::fill_n(d_mask[query].data() + block.keys.first, block.keys.size(), 0.0f);
  }
}

void KeyBlockPass::score_block(const MaskBlock& block, Index key_head, Index packed,
                               const MatrixView<float>* d_query, bool finite_keys,
                               const KeyBlockMemory& work) const noexcept {
  const Index rows = block.last_query - block.first_query, cols = block.keys.size();
  const MatrixView<const float> query = p_.query[block.batch][block.head];
  const MatrixView<const float> d_out = p_.d_out[block.batch][block.head];
  const Index position = p_.row_of(block.batch, block.head, block.first_query);

  multiply(query[block.first_query].data(), query.stride(0), work.keys_transposed,
           {rows, p_.depth(), cols}, p_.scale, false, work.weights, kKeyBlock);
  if (p_.softcap > 0) {
    for (Index row = 0; row < rows; ++row) {
      float* const scores = work.weights + row * kKeyBlock;
      score_kernels().cap(scores, scores, cols, p_.softcap);
      kernels_.cap_slope(scores, work.slopes + row * kKeyBlock, cols, p_.softcap);
    }
  }
  p_.mask.apply(block, work.weights, kKeyBlock);
  multiply(d_out[block.first_query].data(), d_out.stride(0), work.values_transposed,
           {rows, p_.value_width(), cols}, 1, false, work.d_scores, kKeyBlock);
  const VectorView<const float> log_sum_exp = p_.log_sum_exp[block.batch][block.head];
  for (Index row = 0; row < rows; ++row) {
    float* const weights = work.weights + row * kKeyBlock;
    float* const d_scores = work.d_scores + row * kKeyBlock;
    if (all_zero(d_out[block.first_query + row].data(), p_.value_width())) {
      std::fill_n(weights, cols, 0.0f);  // even for a query that is not finite
      std::fill_n(d_scores, cols, 0.0f);
      continue;
    }
    const auto drop = [&](float* x) {
      if (p_.dropout) (*p_.dropout)(x, x, position + row, block.keys.first, cols);
    };
    kernels_.weights(weights, cols, log_sum_exp[block.first_query + row]);
    drop(d_scores);
    kernels_.scores(weights, d_scores, cols, delta_[position + row]);
    drop(weights);
  }

  if (p_.gradients.d_value) {
    const MatrixView<float> d_value = p_.gradients.d_value[block.batch][key_head];
    transpose(tiles_, work.weights, rows, cols, work.transposed);
    multiply(work.transposed, kQueryBlock, work.d_out_block(packed), {cols, rows, p_.value_width()},
             1, true, d_value[block.keys.first].data(), d_value.stride(0));
    if (work.finite_block(packed)[1] == 0.0f) {
      add_not_finite(
          rows_of(d_out, block.first_query, rows), cols, rows_of(d_value, block.keys.first, cols),
          [&](Index col, Index row) noexcept { return work.weights[row * kKeyBlock + col]; });
    }
  }
  if (p_.gradients.d_mask) {
    const MatrixView<float> d_mask = p_.gradients.d_mask[block.batch][block.head];
    for (Index row = 0; row < rows; ++row) {
      std::copy_n(work.d_scores + row * kKeyBlock, cols,
                  d_mask[block.first_query + row].data() + block.keys.first);
    }
  }
  if (p_.softcap > 0) kernels_.multiply(work.d_scores, work.slopes, rows * kKeyBlock);
  if (d_query) {
    multiply(work.d_scores, kKeyBlock, work.keys, {rows, cols, p_.depth()}, p_.scale, true,
             (*d_query)[block.first_query].data(), d_query->stride(0));
    if (!finite_keys) {
      const MatrixView<const float> key = p_.key[block.batch][key_head];
      add_not_finite(rows_of(key, block.keys.first, cols), rows,
                     rows_of(*d_query, block.first_query, rows),
                     [&](Index row, Index col) noexcept {
                       return p_.scale * work.d_scores[row * kKeyBlock + col];
                     });
    }
  }
  if (p_.gradients.d_key) {
    const MatrixView<float> d_key = p_.gradients.d_key[block.batch][key_head];
    transpose(tiles_, work.d_scores, rows, cols, work.transposed);
    multiply(work.transposed, kQueryBlock, work.query_block(packed), {cols, rows, p_.depth()},
             p_.scale, true, d_key[block.keys.first].data(), d_key.stride(0));
    if (work.finite_block(packed)[0] == 0.0f) {
      add_not_finite(rows_of(query, block.first_query, rows), cols,
                     rows_of(d_key, block.keys.first, cols), [&](Index col, Index row) noexcept {
                       return p_.scale * work.d_scores[row * kKeyBlock + col];
                     });
    }
  }
}

void KeyBlockPass::multiply(const float* a, Index a_stride, const float* panels,
                            const TileShape& shape, float alpha, bool accumulate, float* out,
                            Index out_stride) const noexcept {
  const TileOutput to = {out, out_stride, alpha, accumulate};
  tiles_.multiply(a, a_stride, panels, shape, &to, 1);
}

}  // namespace tril::detail
