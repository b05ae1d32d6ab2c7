#include <tril/attention/attention_backward.h>
#include <tril/attention/attention_backward_kernels.h>
#include <tril/attention/attention_problem.h>
#include <tril/attention/score_kernels.h>
#include <tril/foundation/check.h>
#include <tril/matmul/tile_kernels.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tril {

TRIL_DEFINE_DISPATCH(AttentionBackwardKernels, kAttentionBackwardKernels,
                     attention_backward_kernels)

namespace {

constexpr const char* kCall = "attention_backward";

// A block of scores and its gradients, 64 x 64 each, stay in the level-2 cache together with the
// panels they are multiplied with.
constexpr Index kQueryBlock = 64, kKeyBlock = 64;
// Pieces of work for one batch with one head: as many threads as can share it. More take memory,
// a copy of d_query each.
constexpr Index kFewestItems = 8;

Index blocks_of(Index size, Index block) noexcept { return (size + block - 1) / block; }

// The arguments, checked, and what follows from them.
struct Backward {
  TensorView<const float, 4> d_out, query, key, value, out;
  TensorView<const float, 3> log_sum_exp;
  AttentionGradients gradients;
  Mask mask;  // causal and key lengths included
  float scale, softcap;
  Index past;
  const std::vector<Index>& key_lengths;
  std::optional<detail::RowDropout> dropout;

  Index queries() const noexcept { return query.size(2); }
  Index keys() const noexcept { return key.size(2); }
  Index width() const noexcept { return query.size(3); }
  Index value_width() const noexcept { return value.size(3); }
  Index group() const noexcept { return query.size(1) / key.size(1); }
  Index offset(Index batch) const noexcept {
    return key_lengths.empty() ? past : key_lengths[static_cast<std::size_t>(batch)] - queries();
  }
};

Backward checked(TensorView<const float, 4> d_out, TensorView<const float, 4> query,
                 TensorView<const float, 4> key, TensorView<const float, 4> value,
                 TensorView<const float, 4> out, TensorView<const float, 3> log_sum_exp,
                 const AttentionOptions& options, const AttentionGradients& gradients,
                 bool interleaved) {
  detail::check_inputs(kCall, query, key, value);
  const Shape<4> scores = {query.size(0), query.size(1), query.size(2), key.size(2)};
  detail::check_options(kCall, options, scores);
  const Shape<4> outputs = {scores[0], scores[1], scores[2], value.size(3)};
  const Message why{"query is ", query, ", key is ", key, ", value is ", value};
  check_shape(d_out, outputs, kCall, "d_out", why);
  check_shape(out, outputs, kCall, "out", why);
  check_shape(log_sum_exp, {scores[0], scores[1], scores[2]}, kCall, "log_sum_exp", why);
  const auto check_written = [&](const TensorView<float, 4>& view, const Shape<4>& shape,
                                 const char* name) {
    if (!view) return;
    check_shape(view, shape, kCall, name, why);
    for (const auto& input : {d_out, query, key, value, out}) {
      check_no_overlap(view, input, kCall, name);
    }
    check_no_overlap(view, log_sum_exp, kCall, name);
  };
  const auto& [d_query, d_key, d_value, d_mask] = gradients;
  check_written(d_query, query.shape(), "d_query");
  check_written(d_key, key.shape(), "d_key");
  check_written(d_value, value.shape(), "d_value");
  check_written(d_mask, scores, "d_mask");
  if (!interleaved) {
    check_no_overlap(d_key, d_query, kCall, "d_key");
    check_no_overlap(d_value, d_query, kCall, "d_value");
    check_no_overlap(d_value, d_key, kCall, "d_value");
  }
  for (const auto& other : {d_query, d_key, d_value})
    check_no_overlap(d_mask, other, kCall, "d_mask");
  const double depth = static_cast<double>(query.size(3));
  return {d_out,
          query,
          key,
          value,
          out,
          log_sum_exp,
          gradients,
          detail::whole_mask(options),
          options.scale.value_or(static_cast<float>(1 / std::sqrt(depth))),
          options.softcap,
          options.past,
          options.key_lengths,
          options.dropout ? std::optional<detail::RowDropout>(*options.dropout) : std::nullopt};
}

// What one thread works with, and how much of it there is.
class Workspace {
 public:
  Workspace(const Backward& p, const TileKernels& tiles) noexcept
      : query_block_(tiles.packed_count(kQueryBlock, p.width())),
        output_block_(tiles.packed_count(kQueryBlock, p.value_width())),
        sizes_{p.group() * blocks_of(p.queries(), kQueryBlock) * query_block_,
               p.group() * blocks_of(p.queries(), kQueryBlock) * output_block_,
               tiles.packed_count(p.width(), kKeyBlock),
               tiles.packed_count(p.value_width(), kKeyBlock),
               tiles.packed_count(kKeyBlock, p.width()),
               kQueryBlock * kKeyBlock,
               kQueryBlock * kKeyBlock,
               p.softcap > 0 ? kQueryBlock * kKeyBlock : 0,
               kQueryBlock * kKeyBlock} {}

  Index floats() const noexcept {
    Index sum = 0;
    for (const Index size : sizes_) sum += size;
    return sum;
  }
  // `memory`: floats() of them.
  void lay_out(float* memory) noexcept {
    float** const parts[] = {&queries, &d_outs,   &keys_transposed, &values_transposed, &keys,
                             &weights, &d_scores, &slopes,          &transposed};
    for (std::size_t i = 0; i < std::size(parts); ++i) {
      *parts[i] = memory;
      memory += sizes_[i];
    }
  }
  // The packed block of queries, or of gradients of outputs, number `block` of a group's heads.
  float* query_block(Index block) const noexcept { return queries + block * query_block_; }
  float* output_block(Index block) const noexcept { return d_outs + block * output_block_; }

  float *queries, *d_outs;                            // packed, block by block of each head
  float *keys_transposed, *values_transposed, *keys;  // packed, of one block of keys
  float *weights, *d_scores, *slopes, *transposed;    // of one block of scores

 private:
  Index query_block_, output_block_;
  Index sizes_[9];
};

void transpose(const TileKernels& tiles, const float* from, Index rows, Index cols, float* to) {
  tiles.transpose(from, kKeyBlock, rows, cols, to, kQueryBlock);
}

class Pass {
 public:
  Pass(const Backward& p, const float* delta) noexcept : p_(p), delta_(delta) {}

  // Packs all blocks of queries and of d_out of the heads that share one of keys.
  void pack_heads(Index batch, Index key_head, const Workspace& work) const noexcept {
    const Index blocks = blocks_of(p_.queries(), kQueryBlock);
    for (Index block = 0; block < p_.group() * blocks; ++block) {
      const Index head = key_head * p_.group() + block / blocks;
      const Index first = block % blocks * kQueryBlock;
      const Index rows = std::min(kQueryBlock, p_.queries() - first);
      const auto query = p_.query[batch][head], d_out = p_.d_out[batch][head];
      tiles_.pack(query[first].data(), query.stride(0), rows, p_.width(), work.query_block(block));
      tiles_.pack(d_out[first].data(), d_out.stride(0), rows, p_.value_width(),
                  work.output_block(block));
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
  // d_query: where the rows of each head of the group are added to, one head after another.
  void key_block(Index batch, Index key_head, Index first_key, const MatrixView<float>* d_query,
                 const Workspace& work) const noexcept {
    const KeyRange keys{first_key, std::min(first_key + kKeyBlock, p_.keys())};
    const auto key = p_.key[batch][key_head], value = p_.value[batch][key_head];
    tiles_.pack_transposed(key[keys.first].data(), key.stride(0), p_.width(), keys.size(),
                           work.keys_transposed);
    tiles_.pack_transposed(value[keys.first].data(), value.stride(0), p_.value_width(), keys.size(),
                           work.values_transposed);
    if (d_query)
      tiles_.pack(key[keys.first].data(), key.stride(0), keys.size(), p_.width(), work.keys);
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
      for (Index number = seeing.first / kQueryBlock; number * kQueryBlock < seeing.last;
           ++number) {
        block.first_query = number * kQueryBlock;
        block.last_query = std::min(block.first_query + kQueryBlock, p_.queries());
        if (p_.mask.visible(block).empty()) continue;
        const Index packed = member * blocks_of(p_.queries(), kQueryBlock) + number;
        score_block(block, key_head, packed, d_query ? d_query + member : nullptr, work);
      }
    }
  }

 private:
  // Sets the rows of keys to 0.
  static void clear(const TensorView<float, 4>& d, Index batch, Index head, const KeyRange& keys) {
    if (!d) return;
    const MatrixView<float> rows = d[batch][head];
    for (Index key = keys.first; key < keys.last; ++key) {
      std::fill_n(rows[key].data(), rows.size(1), 0.0f);
    }
  }
  void clear_mask(const MaskBlock& block) const noexcept {
    if (!p_.gradients.d_mask) return;
    const MatrixView<float> d_mask = p_.gradients.d_mask[block.batch][block.head];
    for (Index query = 0; query < p_.queries(); ++query) {
      std::fill_n(d_mask[query].data() + block.keys.first, block.keys.size(), 0.0f);
    }
  }

  void score_block(const MaskBlock& block, Index key_head, Index packed,
                   const MatrixView<float>* d_query, const Workspace& work) const noexcept {
    const Index rows = block.last_query - block.first_query, cols = block.keys.size();
    const MatrixView<const float> query = p_.query[block.batch][block.head];
    const MatrixView<const float> d_out = p_.d_out[block.batch][block.head];
    const Index position =
        (block.batch * p_.query.size(1) + block.head) * p_.queries() + block.first_query;

    multiply(query[block.first_query].data(), query.stride(0), work.keys_transposed,
             {rows, p_.width(), cols}, p_.scale, false, work.weights, kKeyBlock);
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
      multiply(work.transposed, kQueryBlock, work.output_block(packed),
               {cols, rows, p_.value_width()}, 1, true, d_value[block.keys.first].data(),
               d_value.stride(0));
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
      multiply(work.d_scores, kKeyBlock, work.keys, {rows, cols, p_.width()}, p_.scale, true,
               (*d_query)[block.first_query].data(), d_query->stride(0));
    }
    if (p_.gradients.d_key) {
      const MatrixView<float> d_key = p_.gradients.d_key[block.batch][key_head];
      transpose(tiles_, work.d_scores, rows, cols, work.transposed);
      multiply(work.transposed, kQueryBlock, work.query_block(packed), {cols, rows, p_.width()},
               p_.scale, true, d_key[block.keys.first].data(), d_key.stride(0));
    }
  }

  void multiply(const float* a, Index a_stride, const float* panels, const TileShape& shape,
                float alpha, bool accumulate, float* out, Index out_stride) const noexcept {
    const TileOutput to = {out, out_stride, alpha, accumulate};
    tiles_.multiply(a, a_stride, panels, shape, &to, 1);
  }

  const Backward& p_;
  const float* delta_;  // [B, H, T]
  const TileKernels& tiles_ = tile_kernels();
  const AttentionBackwardKernels& kernels_ = attention_backward_kernels();
};

// delta [B, H, T] = sum over the width of d_out * out
void fill_delta(const Backward& p, float* delta, Parallel& parallel) {
  const Index heads = p.query.size(1);
  const auto dot = attention_backward_kernels().dot;
  parallel.for_each(p.query.size(0) * heads, [&](Index item, int) {
    const auto d_out = p.d_out[item / heads][item % heads];
    const auto out = p.out[item / heads][item % heads];
    for (Index t = 0; t < p.queries(); ++t) {
      delta[item * p.queries() + t] = dot(d_out[t].data(), out[t].data(), p.value_width());
    }
  });
}

// d_query = the sum of its parts [parts, B, H, T, D], one after another.
void add_parts(const Backward& p, const float* memory, Index parts, Parallel& parallel) {
  const Index heads = p.query.size(1), rows = p.query.size(0) * heads * p.queries();
  parallel.for_each(p.query.size(0) * heads, [&](Index item, int) {
    const MatrixView<float> d_query = p.gradients.d_query[item / heads][item % heads];
    for (Index t = 0; t < p.queries(); ++t) {
      const float* from = memory + (item * p.queries() + t) * p.width();
      float* const to = d_query[t].data();
      std::copy_n(from, p.width(), to);
      for (Index part = 1; part < parts; ++part) {
        from += rows * p.width();
        for (Index d = 0; d < p.width(); ++d) to[d] += from[d];
      }
    }
  });
}

// delta = sum of d_out * out
// for each batch and head of keys, a piece of work, or several that take the blocks of keys in
// turn:
//   pack the queries and d_outs of the heads that share it;  d_query = 0
//   for each block of keys:  key_block
void run(const Backward& p, Scratch& scratch, Parallel& parallel) {
  const AttentionGradients& gradients = p.gradients;
  const TensorView<const float, 4>& query = p.query;
  const Index batches = query.size(0), heads = query.size(1), kv_heads = p.key.size(1);
  const Index key_blocks = blocks_of(p.keys(), kKeyBlock);
  // It depends on shapes alone, and so do the sums.
  const Index parts = std::min(key_blocks, blocks_of(kFewestItems, batches * kv_heads));

  Workspace layout(p, tile_kernels());
  Scratch::Frame frame(scratch);
  float* const delta = frame.take<float>(batches, heads, p.queries());
  float* const memory = frame.take<float>(layout.floats(), parallel.threads());
  const bool split = parts > 1 && gradients.d_query;
  const Shape<4> part_shape = query.shape();
  float* const d_queries =
      split ? frame.take<float>(parts, batches, heads, p.queries(), p.width()) : nullptr;
  MatrixView<float>* const rows =
      frame.take<MatrixView<float>>(p.group(), static_cast<Index>(parallel.threads()));
  fill_delta(p, delta, parallel);

  const Pass pass(p, delta);
  parallel.for_each(batches * kv_heads * parts, [&](Index item, int worker) {
    const Index part = item % parts, key_head = item / parts % kv_heads;
    const Index batch = item / parts / kv_heads;
    Workspace work = layout;
    work.lay_out(memory + layout.floats() * worker);
    pass.pack_heads(batch, key_head, work);
    MatrixView<float>* const d_query = rows + p.group() * worker;
    for (Index member = 0; gradients.d_query && member < p.group(); ++member) {
      const Index head = key_head * p.group() + member;
      d_query[member] =
          split ? TensorView<float, 4>(d_queries + part * query.count(), part_shape)[batch][head]
                : gradients.d_query[batch][head];
      for (Index t = 0; t < p.queries(); ++t) {
        std::fill_n(d_query[member][t].data(), p.width(), 0.0f);
      }
    }
    for (Index block = part; block < key_blocks; block += parts) {
      pass.key_block(batch, key_head, block * kKeyBlock, gradients.d_query ? d_query : nullptr,
                     work);
    }
  });
  if (split) add_parts(p, d_queries, parts, parallel);
}

}  // namespace

void attention_backward(TensorView<const float, 4> d_out, TensorView<const float, 4> query,
                        TensorView<const float, 4> key, TensorView<const float, 4> value,
                        TensorView<const float, 4> out, TensorView<const float, 3> log_sum_exp,
                        const AttentionOptions& options, const AttentionGradients& gradients,
                        Scratch& scratch, Parallel& parallel) {
  run(checked(d_out, query, key, value, out, log_sum_exp, options, gradients, false), scratch,
      parallel);
}

void detail::attention_backward_of_stacked(
    TensorView<const float, 4> d_out, TensorView<const float, 4> query,
    TensorView<const float, 4> key, TensorView<const float, 4> value,
    TensorView<const float, 4> out, TensorView<const float, 3> log_sum_exp,
    const AttentionOptions& options, const AttentionGradients& gradients, Scratch& scratch,
    Parallel& parallel) {
  run(checked(d_out, query, key, value, out, log_sum_exp, options, gradients, true), scratch,
      parallel);
}

}  // namespace tril
