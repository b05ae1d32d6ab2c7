// Helpers for tests of attention: inputs drawn for given sizes, and a test of every method.
#pragma once

#include <gtest/gtest.h>
#include <tril/attention/attention.h>

#include <algorithm>
#include <limits>

#include "core/attention_reference.h"
#include "core/compare.h"

namespace tril::testing {

struct AttentionDrawSizes {
  Index batches, heads, kv_heads, queries, keys, depth, width;
};

struct AttentionInputs {
  Buffer<float, 4> query, key, value, output;

  AttentionInputs(const AttentionDrawSizes& n, Random& random)
      : query({n.batches, n.heads, n.queries, n.depth}),
        key({n.batches, n.kv_heads, n.keys, n.depth}),
        value({n.batches, n.kv_heads, n.keys, n.width}),
        output({n.batches, n.heads, n.queries, n.width}) {
    fill_normal(query.view(), random);
    fill_normal(key.view(), random);
    fill_normal(value.view(), random);
    // NaN shows any element that is not written.
    std::fill_n(output.data(), output.view().count(), std::numeric_limits<float>::quiet_NaN());
  }

  ErrorBound bound(double scale, double bias) const {
    return {max_abs(query.view()), max_abs(key.view()), max_abs(value.view()), scale, bias,
            query.view().size(3),  key.view().size(2)};
  }
};

class AttentionTest : public ::testing::TestWithParam<AttentionMethod> {
 protected:
  void run(AttentionInputs& in, AttentionOptions options, const AttentionTrace& trace = {}) {
    options.method = GetParam();
    attention(in.query, in.key, in.value, options, in.output, {scratch, parallel}, trace);
  }

  Scratch scratch;
  Parallel parallel{2};
};

}  // namespace tril::testing
