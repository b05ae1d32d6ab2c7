#include <tril/attention/attention_problem.h>
#include <tril/foundation/check.h>
#include <tril/lessons/attention_cost.h>
#include <tril/lessons/layer_costs.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

using detail::check_size;
using detail::kFloatBytes;
using detail::times;

void check_sizes(const AttentionSizes& sizes, const char* call) {
  check_size(sizes.batches, call, "batches");
  check_size(sizes.heads, call, "heads");
  check_size(sizes.kv_heads, call, "kv_heads");
  check_size(sizes.queries, call, "queries");
  check_size(sizes.keys, call, "keys");
  check_size(sizes.width, call, "width");
  check_size(sizes.value_width, call, "value_width");
  if (sizes.heads % sizes.kv_heads != 0) {
    fail(call, "kv_heads", {sizes.kv_heads, " does not divide the ", sizes.heads, " heads"});
  }
}

double input_bytes(const AttentionSizes& s) noexcept {
  return kFloatBytes *
         (times(s.batches, s.heads, s.queries, s.width) +
          times(s.batches, s.kv_heads, s.keys) * (times(s.width) + times(s.value_width)));
}
double output_bytes(const AttentionSizes& s) noexcept {
  return kFloatBytes * times(s.batches, s.heads, s.queries, s.value_width);
}

// Counts of an attention's work, over all heads.
struct Work {
  double scores = 0;   // computed
  double weights = 0;  // from the first to the last key that a query may see
  double visits = 0;   // of a query to a block of keys of which it may see any
};

// Maximum number of scores that are counted one by one: a few seconds of work.
constexpr double kMostCounted = 1 << 26;

// Whether all heads of all batches have the same mask: such a mask fits any number of them.
bool are_alike(const AttentionSizes& s, const Mask& mask) {
  try {
    mask.check({s.batches - 1, s.heads - 1, s.queries, s.keys}, "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Calls call(first, last) for each block of `size`, up to the largest count that an Index holds.
template <typename Call>
void for_each_block(Index count, Index size, const Call& call) {
  for (Index first = 0, last = 0; first < count; first = last) {
    last = first + std::min(size, count - first);
    call(first, last);
  }
}

// for each head, for each block of queries, for each block of keys that any of them may see
//   scores += queries * keys
//   for each query:  weights += the keys that it may see;  visits += 1 if there are any
// If all heads have the same mask, one of them is counted.
Work count(const AttentionSizes& s, const AttentionOptions& options, Index query_block,
           Index key_block, const char* call) {
  const Mask mask = detail::whole_mask(options);
  const bool alike = are_alike(s, mask);
  const Index batches = alike ? 1 : s.batches, heads = alike ? 1 : s.heads;
  const double key_blocks = std::ceil(times(s.keys) / times(key_block));
  if (times(batches, heads, s.queries) * key_blocks > kMostCounted) {
    fail(call, "queries",
         {"too many to count: ", s.queries, " of ", batches, " * ", heads, " heads, and ",
          key_blocks, " blocks of keys"});
  }
  Work work;
  const auto count_block = [&](MaskBlock block) {
    block.keys = mask.visible(block);
    if (block.keys.empty()) return;
    work.scores += times(block.last_query - block.first_query, block.keys.size());
    MaskBlock row = block;
    for (row.first_query = block.first_query; row.first_query < block.last_query;
         ++row.first_query) {
      row.last_query = row.first_query + 1;
      const KeyRange seen = mask.visible(row);
      work.weights += static_cast<double>(seen.size());
      work.visits += seen.empty() ? 0 : 1;
    }
  };
  for (Index b = 0; b < batches; ++b) {
    const Index offset = detail::query_offset(options.past, options.key_lengths, b, s.queries);
    for (Index h = 0; h < heads; ++h) {
      for_each_block(s.queries, query_block, [&](Index first_query, Index last_query) {
        for_each_block(s.keys, key_block, [&](Index first_key, Index last_key) {
          count_block({b, h, first_query, last_query, offset, {first_key, last_key}});
        });
      });
    }
  }
  const double each = alike ? times(s.batches, s.heads) : 1;
  return {each * work.scores, each * work.weights, each * work.visits};
}

Cost feature_cost(FeatureMap map, double elements) noexcept {
  Cost cost;
  cost.flops = map == FeatureMap::elu_plus_one ? 2 * elements : 0;
  return cost;
}

}  // namespace

Cost softmax_cost(Index rows, Index length, bool stable) {
  check_size(rows, "softmax_cost", "rows");
  check_size(length, "softmax_cost", "length");
  Cost cost;
  cost.flops = times(stable ? 5 : 3, rows, length);
  cost.input_bytes = cost.output_bytes = kFloatBytes * times(rows, length);
  return cost;
}

AttentionCost attention_cost(const AttentionSizes& s, const AttentionOptions& options,
                             const OnlineBlocks& blocks) {
  constexpr const char* kCall = "attention_cost";
  check_sizes(s, kCall);
  check_size(blocks.queries, kCall, "blocks.queries");
  check_size(blocks.keys, kCall, "blocks.keys");
  detail::check_options(kCall, options, {s.batches, s.heads, s.queries, s.keys});
  const AttentionMethod method = detail::chosen_method(options.method, s.keys, false);
  const bool online = method == AttentionMethod::online;
  const Index query_block =
      std::min(s.queries, method == AttentionMethod::full      ? s.queries
                          : method == AttentionMethod::blocked ? detail::kQueryBlock
                                                               : blocks.queries);
  const Index key_block = online ? std::min(s.keys, blocks.keys) : s.keys;
  const Work work = count(s, options, query_block, key_block, kCall);

  AttentionCost cost;
  cost.scores = work.scores;
  cost.flops = work.scores * (times(2, s.width) + 1 + (options.softcap > 0 ? 3 : 0) +
                              times(2, s.value_width)) +
               work.weights * (online ? 4 : 5);
  if (online) {
    cost.flops += work.visits * (3 + times(s.value_width)) +
                  times(s.batches, s.heads, s.queries, s.value_width);
  }
  cost.input_bytes = input_bytes(s);
  cost.output_bytes = output_bytes(s);
  cost.held_bytes = kFloatBytes * times(query_block, key_block + (online ? 3 : 0));
  return cost;
}

Cost linear_attention_cost(const AttentionSizes& s, const LinearAttentionOptions& options) {
  check_sizes(s, "linear_attention_cost");
  const bool values_first = options.order == ProductOrder::values_first;
  // With a causal mask, keys after the last query are never used.
  const Index keys = values_first && options.causal ? std::min(s.keys, s.queries) : s.keys;
  const double features = times(s.width) * (times(s.queries) + times(keys));
  const double all_heads = times(s.batches, s.heads);
  double flops = feature_cost(options.feature_map, features).flops;
  double held = features;
  if (values_first) {
    flops += times(2, s.width, s.value_width) * (times(keys) + times(s.queries));
    held += times(s.width, s.value_width);
    if (options.normalise) {
      flops += times(s.width, keys) + times(s.queries) * (times(2, s.width) + times(s.value_width));
      held += times(s.width);
    }
    // With a causal mask, the features of one query and one key at a time.
    if (options.causal) held -= features - times(2, s.width);
  } else {
    flops += times(s.queries, keys) *
             (times(2, s.width) + times(2, s.value_width) + (options.normalise ? 2 : 0));
    held += times(s.queries, keys);
  }
  Cost cost;
  cost.flops = all_heads * flops;
  cost.input_bytes = input_bytes(s);
  cost.output_bytes = output_bytes(s);
  cost.held_bytes = kFloatBytes * held;
  return cost;
}

AttentionCost low_rank_attention_cost(const AttentionSizes& s, Index rank) {
  constexpr const char* kCall = "low_rank_attention_cost";
  check_sizes(s, kCall);
  check_size(rank, kCall, "rank");
  AttentionSizes projected = s;
  projected.keys = rank;
  AttentionCost cost = attention_cost(projected, {});
  const double values = times(s.batches, s.kv_heads) * (times(s.width) + times(s.value_width));
  cost.flops += times(2, rank, s.keys) * values;
  cost.input_bytes = input_bytes(s) + kFloatBytes * times(2, rank, s.keys);
  cost.held_bytes += kFloatBytes * times(rank) * values;
  return cost;
}

AttentionCost additive_attention_cost(const AdditiveSizes& s) {
  constexpr const char* kCall = "additive_attention_cost";
  check_size(s.batches, kCall, "batches");
  check_size(s.queries, kCall, "queries");
  check_size(s.keys, kCall, "keys");
  check_size(s.width, kCall, "width");
  check_size(s.key_width, kCall, "key_width");
  check_size(s.value_width, kCall, "value_width");
  check_size(s.units, kCall, "units");
  const double batches = times(s.batches), queries = times(s.queries), keys = times(s.keys);
  const double width = times(s.width), key_width = times(s.key_width);
  const double value_width = times(s.value_width), units = times(s.units);
  AttentionCost cost;
  cost.scores = batches * queries * keys;
  cost.flops = 2 * batches * units * (queries * width + keys * key_width) +
               cost.scores * (4 * units + 5 + 2 * value_width);
  cost.input_bytes = kFloatBytes * (batches * (queries * width + keys * (key_width + value_width)) +
                                    units * (width + key_width + 1));
  cost.output_bytes = kFloatBytes * batches * queries * value_width;
  cost.held_bytes = kFloatBytes * (units * (queries + keys) + queries * keys);
  return cost;
}

AttentionCost multi_head_attention_cost(const MultiHeadSizes& s, const AttentionOptions& options) {
  constexpr const char* kCall = "multi_head_attention_cost";
  check_size(s.width, kCall, "width");
  check_size(s.heads, kCall, "heads");
  if (s.width % s.heads != 0) {
    fail(kCall, "heads", {s.heads, " do not divide the width ", s.width});
  }
  if (!s.cross && s.keys != s.queries) {
    fail(kCall, "keys",
         {"without cross-attention there are as many as queries, ", s.queries, ", not ", s.keys});
  }
  const Index head = s.width / s.heads;
  AttentionCost cost = attention_cost({.batches = s.batches,
                                       .heads = s.heads,
                                       .kv_heads = s.kv_heads,
                                       .queries = s.queries,
                                       .keys = s.keys,
                                       .width = head,
                                       .value_width = head},
                                      options);
  const Index key_width = head * s.kv_heads;  // at most the width: kv_heads divides heads
  const auto rows_of = [&](Index tokens, const char* name) {
    const Shape<2> shape = {s.batches, tokens};
    return checked_count(shape.data(), 2, sizeof(float), kCall, name);
  };
  const Index rows = rows_of(s.queries, "queries"), key_rows = rows_of(s.keys, "keys");
  const Cost query = linear_cost(rows, s.width, s.width, s.bias);
  const Cost key = linear_cost(key_rows, s.width, key_width, s.bias);
  cost.flops += 2 * query.flops + 2 * key.flops;
  cost.held_bytes += cost.input_bytes + cost.output_bytes;  // queries, keys, values, and outputs
  // The inputs of the linear layers, without the heads' outputs, and shared inputs once.
  const double x = query.output_bytes, context = kFloatBytes * times(key_rows, s.width);
  cost.input_bytes =
      2 * (query.input_bytes - x) + 2 * (key.input_bytes - context) + x + (s.cross ? context : 0);
  cost.output_bytes = query.output_bytes;
  return cost;
}

}  // namespace tril
