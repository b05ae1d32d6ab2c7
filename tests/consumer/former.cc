// A program from before Context existed: it compiles, and gives the same results.
#include <tril/attention/attention.h>
#include <tril/block/transformer_block.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/layer_norm.h>
#include <tril/matmul/matmul.h>

#include <cstdio>

int main() {
  tril::Buffer<float, 4> q({1, 8, 128, 64}), k(q.shape()), v(q.shape()), output(q.shape());
  tril::Random random(1);
  for (auto* tensor : {&q, &k, &v}) tril::fill_normal(tensor->view(), random);
  tril::Scratch scratch;
  tril::Parallel parallel(2);
  tril::attention(q, k, v, {.causal = true}, output, scratch, parallel);
  if (output.view()[0][0][0][0] != v.view()[0][0][0][0]) return 1;

  tril::Buffer<float, 2> a({3, 4}), b({4, 5}), product({3, 5}), same({3, 5}), normed({3, 5});
  tril::fill_normal(a.view(), random);
  tril::fill_normal(b.view(), random);
  tril::matmul(a, b, {}, product, scratch, parallel);
  tril::matmul(a, b, {}, same);
  for (int i = 0; i < 15; ++i) {
    if (product.data()[i] != same.data()[i]) return 1;
  }
  tril::layer_norm(product, {}, {}, {}, normed, parallel);
  try {
    tril::transformer_block({}, {}, {}, {}, scratch, parallel);
    return 1;
  } catch (const tril::Error& error) {
    std::printf("%s\n", error.what());
  }
}
