// Lack of memory: an Error states how much was requested and how much there is, nothing is written,
// and the next call works.
#include <gtest/gtest.h>
#include <tril/attention/additive_attention.h>
#include <tril/attention/linear_attention.h>
#include <tril/attention/low_rank_attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/random.h>
#include <tril/foundation/scratch.h>
#include <tril/matmul/matmul.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/block_weights.h"
#include "core/memory_limit.h"

namespace tril {
namespace {

constexpr std::size_t kKiB = 1 << 10, kMiB = 1 << 20;

// The exception for lack of memory, if one was thrown.
template <typename Body>
std::optional<OutOfMemory> refusal(const Body& body) {
  try {
    body();
  } catch (const OutOfMemory& error) {
    return error;
  }
  return {};
}

TEST(OutOfMemory, SaysHowMuchIsAskedForAndHowMuchThereIs) {
  // The most elements that can be addressed: no machine has that memory.
  constexpr Index kCount = std::numeric_limits<Index>::max() / sizeof(float);
  Scratch scratch;
  Scratch::Frame frame(scratch);
  for (const bool working : {false, true}) {
    const std::optional<OutOfMemory> error = refusal([&] {
      if (working) {
        frame.take<double>(kCount, kCount);
      } else {
        Buffer<float, 2>({1, kCount});
      }
    });
    ASSERT_TRUE(error);
    const double needed = working ? 8.0 * static_cast<double>(kCount) * static_cast<double>(kCount)
                                  : 4.0 * static_cast<double>(kCount);
    EXPECT_EQ(error->needed(), needed);
    const std::string who = working ? "Scratch: memory: is not enough: working memory"
                                    : "Buffer: memory: is not enough: a tensor of shape [1, " +
                                          std::to_string(kCount) + "]";
    std::string says = who + " takes " + number_text(std::floor(needed / kMiB)) + " MiB";
#ifdef __linux__
    EXPECT_GT(error->free(), kMiB);
#endif
    if (error->free() > 0)
      says += ", and there are " + number_text(std::floor(error->free() / kMiB));
    EXPECT_EQ(error->what(), says);
    EXPECT_EQ(error->argument(), "memory");
  }
  EXPECT_EQ(scratch.capacity(), 0u);
  frame.take<float>(100)[99] = 1;
}

TEST(OutOfMemory, LeavesWorkingMemoryAsItWas) {
  if (TRIL_SANITIZED) GTEST_SKIP() << "memory is not limited";
  Scratch scratch;
  {
    Scratch::Frame frame(scratch);
    float* const first = frame.take<float>(100);
    first[99] = 7;
    {
      const testing::MemoryLimit limit(kMiB);
      Scratch::Frame inner(scratch);
      const auto error = refusal([&] { inner.take<float>(kMiB); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->needed(), 4.0 * kMiB);
      EXPECT_STREQ(error->what(), "Scratch: memory: is not enough: working memory takes 4 MiB");
      inner.take<float>(100)[99] = 8;
    }
    EXPECT_EQ(first[99], 7);
    frame.take<float>(kMiB)[kMiB - 1] = 9;
  }
  EXPECT_GE(scratch.capacity(), 4 * kMiB);
  {
    // Memory assembled from pieces is given up if there is no room for it.
    Scratch::Frame frame(scratch);
    frame.take<float>(2 * kMiB);
    EXPECT_GE(scratch.capacity(), 8 * kMiB);
  }
  EXPECT_TRUE(refusal([] {
    const testing::MemoryLimit limit(100 * kKiB);
    Buffer<float, 1>({Index{1} << 20});
  }));
}

// A call, and its output.
struct Call {
  std::string name;
  std::function<void(const Context&)> run;
  Buffer<float, 4>* out;
};

// Runs the call under every limit that is too low, 16 KiB apart.
void expect_nothing_written(const Call& call) {
  SCOPED_TRACE(call.name);
  Parallel parallel(2);
  const VectorView<float> out(call.out->data(), {call.out->view().count()});
  const auto run = [&](Scratch& scratch) {
    std::fill_n(out.data(), out.size(0), 7.0f);
    call.run({scratch, parallel});
  };
  const auto written = [&] { return std::vector<float>(out.data(), out.data() + out.size(0)); };
  Scratch ample;
  run(ample);
  const std::vector<float> expected = written();
  int refused = 0;
  for (std::size_t bytes = 16 * kKiB;; bytes += 16 * kKiB) {
    Scratch scratch;
    const auto error = refusal([&] {
      const testing::MemoryLimit limit(bytes);
      run(scratch);
    });
    if (!error) break;
    ++refused;
    for (Index i = 0; i < out.size(0); ++i) {
      ASSERT_EQ(out[i], 7) << "element " << i << " with " << bytes << " bytes";
    }
    if (bytes % (64 * kKiB) == 0) {
      run(scratch);
      ASSERT_EQ(written(), expected) << "after " << bytes << " bytes";
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(OutOfMemory, LeavesOutputsAsTheyWere) {
  if (TRIL_SANITIZED) GTEST_SKIP() << "memory is not limited";
  constexpr Index B = 2, H = 2, T = 96, D = 48, C = 96, R = 32;
  Random random(5);
  const auto draw = [&](const Shape<4>& shape) {
    Buffer<float, 4> buffer(shape);
    fill_normal(buffer.view(), random);
    return buffer;
  };
  const auto as3 = [](const Buffer<float, 4>& x) {
    return TensorView<float, 3>(const_cast<float*>(x.data()),
                                {x.shape()[0], x.shape()[1] * x.shape()[2], x.shape()[3]});
  };
  const auto as2 = [](const Buffer<float, 4>& x) {
    return MatrixView<float>(const_cast<float*>(x.data()), {x.shape()[2], x.shape()[3]});
  };
  const Buffer<float, 4> query = draw({B, H, T, D}), key = draw({B, H, T, D});
  const Buffer<float, 4> value = draw({B, H, T, D}), mixing = draw({1, 1, R, T});
  const Buffer<float, 4> x = draw({B, 1, T, C}), memory = draw({B, 1, T, C});
  const Buffer<float, 4> a = draw({1, 1, 300, 200}), b = draw({1, 1, 200, 300});
  Buffer<float, 4> heads(query.shape()), rows(x.shape()), product({1, 1, 300, 300});
  testing::WeightSource source(random, false);
  const TransformerBlockWeights block = source.block(C, 200);
  const TransformerWeights whole = source.transformer(2, 2, C, 200);

  std::vector<Call> calls;
  for (const MatmulMethod method :
       {MatmulMethod::tiled, MatmulMethod::strassen, MatmulMethod::automatic}) {
    calls.push_back({"matmul " + std::string(name_of(kMatmulMethods, method)),
                     [&, method](const Context& context) {
                       matmul(as2(a), as2(b), {.method = method}, as2(product), context);
                     },
                     &product});
  }
  for (const auto& [name, method] : kAttentionMethods) {
    AttentionOptions options;
    options.method = method, options.causal = true;
    calls.push_back({"attention " + std::string(name),
                     [&, options](const Context& context) {
                       attention(query, key, value, options, heads, context);
                     },
                     &heads});
  }
  for (const auto& [name, order] : kProductOrders) {
    LinearAttentionOptions options;
    options.order = order;
    calls.push_back({"linear_attention " + std::string(name),
                     [&, options](const Context& context) {
                       linear_attention(query, key, value, options, heads, context);
                     },
                     &heads});
  }
  calls.push_back({"low_rank_attention",
                   [&](const Context& context) {
                     low_rank_attention(query, key, value, as2(mixing), as2(mixing), {}, heads,
                                        context);
                   },
                   &heads});
  MultiHeadOptions options;
  options.heads = 4;
  calls.push_back({"multi_head_attention",
                   [&](const Context& context) {
                     multi_head_attention(as3(x), block.self_attn, options, as3(rows), context);
                   },
                   &rows});
  TransformerBlockOptions block_options;
  block_options.heads = 4;
  calls.push_back({"transformer_block",
                   [&](const Context& context) {
                     transformer_block(as3(x), block, block_options, as3(rows), context);
                   },
                   &rows});
  TransformerOptions transformer_options;
  transformer_options.heads = 4;
  calls.push_back({"transformer",
                   [&](const Context& context) {
                     transformer(as3(memory), as3(x), whole, transformer_options, as3(rows),
                                 context);
                   },
                   &rows});
  for (const Call& call : calls) expect_nothing_written(call);
}

}  // namespace
}  // namespace tril
