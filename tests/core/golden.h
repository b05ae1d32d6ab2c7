// PyTorch's numbers: reads tests/golden/PATH.npy, and draws the inputs that belong to them
// (tests/golden/golden.py draws the same bits).
#pragma once

#include <tril/files/file.h>
#include <tril/files/npy.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tril::testing {

// The folder tests/golden, defined in main.cc.
extern const char* const kGoldenFolder;

// The array in tests/golden/`path`.npy. Throws std::runtime_error if there is none of this rank.
template <int Rank>
Buffer<float, Rank> golden(const std::string& path) {
  const std::vector<std::byte> file = read_file(std::string(kGoldenFolder) + "/" + path + ".npy");
  const StoredTensor stored = parse_npy(file);
  if (stored.shape.size() != Rank) throw std::runtime_error(path + ": has another rank");
  Shape<Rank> shape{};
  std::ranges::copy(stored.shape, shape.begin());
  Buffer<float, Rank> array(shape);
  read_elements(stored, std::span(array.data(), static_cast<std::size_t>(stored.count())));
  return array;
}

// The default tolerances of torch.testing.assert_close for float32: the bound for numbers that are
// compared with PyTorch alone.
inline constexpr double kPyTorchAbsolute = 1e-5, kPyTorchRelative = 1.3e-6;

// An input tensor, uniform in [-1, 1): multiples of 2^-23, exact in every build.
template <int Rank>
Buffer<float, Rank> uniform(const Shape<Rank>& shape, Random& random) {
  Buffer<float, Rank> buffer(shape);
  fill_uniform(buffer.view(), random, -1.0f, 1.0f);
  return buffer;
}

}  // namespace tril::testing
