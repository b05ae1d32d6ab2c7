// A product by Eigen if the library has it, else its error.
#include <tril/foundation/buffer.h>
#include <tril/matmul/matmul.h>

#include <cstdio>

int main() {
  tril::Buffer<float, 2> a({1, 1}), b({1, 1}), out({1, 1});
  a.data()[0] = 2;
  b.data()[0] = 3;
  out.data()[0] = 1;
  try {
    tril::matmul(a, b, {.method = tril::MatmulMethod::eigen}, out);
  } catch (const tril::Error& error) {
    std::printf("%s, ", error.what());
  }
  std::printf("%g\n", static_cast<double>(out.data()[0]));
}
